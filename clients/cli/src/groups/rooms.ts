import type { Call, Command, Group } from '../command.ts';
import { everyCommand } from '../every-command.ts';
import { badUsage, local } from '../failure.ts';
import { readText } from '../input.ts';
import { newInviteKey, readInviteKey } from '../invite-key.ts';
import { noCredential } from '../net/credential.ts';
import { follow } from '../net/follow.ts';
import { call } from '../net/gateway.ts';
import { capFlag, operationCommand, perform, take } from '../operation-command.ts';
import { rows } from '../operations/rooms.ts';
import { keepPresence, register, roomNames, seatIn } from '../presence.ts';
import { orgFlag, projectFlag, requireRoom, roomFlag } from '../resolve.ts';

const roomFlags = [roomFlag, orgFlag, projectFlag];

interface Presence {
  readonly presence_id: string;
  readonly name: string;
  readonly requested_name?: string;
}

const join: Command = {
  words: 'rooms join',
  summary: 'Take part in a room: who you are there, who else is, and what they are on.',
  about: [
    'A presence is one session with a name of its own. This checkout keeps it (in `messaging.json` of the settings) and speaks as it from then on. After an hour of silence it expires, and the next call takes another name.',
    'With a key that begins with kri1_ the room of somebody else’s organization opens: the seat costs 0.01 USD in test money from your wallet, and you stay a viewer there.',
  ],
  positionals: [{ name: 'key', optional: true, about: 'Invite key, kri1_….' }],
  flags: [
    { name: 'name', type: 'string', about: 'Name you would like; a taken one gets a number. Else SVC_AGENT_NAME.' },
    { name: 'task', type: 'string', about: 'What you are doing, for the others to see.' },
    { name: 'all', type: 'boolean', about: 'List those who have gone, too.' },
    ...roomFlags,
    { ...capFlag, about: 'Most that may be paid for a seat, in micro-dollars: 10000 unless told.' },
  ],
  examples: [
    ['The room of the project in use', 'rooms join --name Atlas --task "schema work"'],
    ['A room of the organization', 'rooms join --room standup'],
    ['Somebody else’s, by a key', 'rooms join kri1_…'],
  ],
  operations: ['rooms.join', 'rooms.claimInvite'],
  async run(invocation) {
    const { cli, positionals, flags } = invocation;
    if (positionals.key !== undefined) return joinByKey(invocation, positionals.key);
    const wanted = { requested_name: flags.text('name'), task: flags.text('task') };
    const seat = await seatIn(cli, await requireRoom(cli, roomNames(flags)), wanted);
    const { room, place } = seat;
    const known = seat.identity.presence_id;
    const isAnother = wanted.requested_name !== undefined && wanted.requested_name !== place.requested_name;
    const you =
      known === undefined || isAnother || wanted.task !== undefined
        ? await register(cli, seat, wanted)
        : ((await livePresence(invocation, { ...room, presence: known })) ?? (await register(cli, seat, wanted)));
    const [{ presences }, { claims }] = await Promise.all([
      perform(cli, rows['rooms.listPresences'], { ...room, ...(flags.is('all') ? { include_expired: true } : {}) }),
      call(cli, { method: 'GET', path: `/orgs/v1/${room.org}/rooms/${encodeURIComponent(room.room)}/claims` }).then(
        ({ body }) => body,
      ),
    ]);
    return { org_id: room.org, room_key: room.room, you, presences, claims };
  },
};

/** The stored presence, if it is live. */
async function livePresence({ cli }: Call, inputs: Readonly<Record<string, string>>) {
  const found = await perform(cli, rows['rooms.getPresence'], inputs);
  return found.state === 'active' ? found : undefined;
}

/** Price of a seat, in millionths of a dollar. */
const seatMicros = 10_000;

async function joinByKey({ cli, flags }: Call, key: string): Promise<unknown> {
  const { inviteId, authSecret } = await readInviteKey(key);
  const { walletPayer } = await import('../net/x402.ts');
  const { SVC_SESSION_KEY: session_key, SVC_AGENT_NAME, SVC_PROGRAM: program, SVC_MODEL: model } = cli.env;
  const { body: seated } = await call(cli, {
    method: 'POST',
    path: `/rooms/v1/invites/${inviteId}/claim`,
    body: {
      auth_secret: authSecret,
      requested_name: flags.text('name') ?? SVC_AGENT_NAME,
      task: flags.text('task'),
      program,
      model,
      session_key,
    },
    // Sends neither wallet nor token: the seat belongs to the payer.
    credential: noCredential,
    payer: walletPayer(cli, { capMicros: flags.number('max-usd-micros') ?? seatMicros, network: 'base-sepolia' }),
  });
  const { org_id: org, room_key: room } = seated.room as { org_id: string; room_key: string };
  const seat = await seatIn(cli, { org, room });
  await keepPresence(seat, seated.presence as Presence | undefined);
  await seat.keep({ cursor: seated.cursor as string });
  return seated;
}

const invite: Command = {
  words: 'rooms invite',
  summary: 'Make a key that seats one guest in a room, as a viewer.',
  about: [
    'The key is printed this once: the gateway keeps only its hash. Whoever has it takes the seat for 0.01 USD in test money. The room is told that a key was made, never the key.',
  ],
  flags: [
    { name: 'note', type: 'string', about: 'Shown to whoever arrives by the key; plain text, at most 4 KiB.' },
    { name: 'note-file', type: 'string', placeholder: 'file', about: 'The note from a file, or - for standard input.' },
    {
      name: 'expires-in',
      type: 'integer',
      min: 60,
      max: 86_400,
      placeholder: 'seconds',
      about: 'Seconds until it expires: 3600 unless told, 60 to 86400.',
    },
    ...roomFlags,
  ],
  examples: [
    ['A key for an hour', 'rooms invite --note "Welcome to the build"'],
    ['For a named room, for a day', 'rooms invite --room standup --expires-in 86400'],
  ],
  operations: ['rooms.mintInvite'],
  async run({ cli, flags }) {
    const file = flags.text('note-file');
    if (file !== undefined && flags.text('note') !== undefined)
      throw badUsage('--note and --note-file exclude each other.', { field: 'note' });
    const note = file === undefined ? flags.text('note') : await readText(cli, file);
    const seat = await seatIn(cli, await requireRoom(cli, roomNames(flags)));
    const { key, inviteId, authHash } = await newInviteKey();
    const minted = await perform(cli, rows['rooms.mintInvite'], {
      ...seat.room,
      invite_id: inviteId,
      auth_hash: authHash,
      note,
      expires_in_seconds: flags.number('expires-in'),
      inviter_presence_id: seat.identity.presence_id,
    });
    if (minted.invite_id !== inviteId)
      throw local('ROOM_INVITE_ID_MISMATCH', 'The gateway made another key than the one asked for.', {
        details: { asked: inviteId, made: minted.invite_id },
      });
    const { announceInvite } = await import('../announce-invite.ts');
    return { ...minted, key, announced: await announceInvite(cli, seat, inviteId) };
  },
};

const leave: Command = {
  words: 'rooms leave',
  summary: 'Leave a room for good: the presence ends, and its claims are free.',
  positionals: [
    { name: 'presence_id', optional: true, about: 'Presence of yours, prs_…; the one of this checkout unless told.' },
  ],
  flags: roomFlags,
  examples: [['As this checkout', 'rooms leave']],
  operations: ['rooms.leave'],
  async run({ cli, positionals, flags }) {
    const seat = await seatIn(cli, await requireRoom(cli, roomNames(flags)));
    const presence = positionals.presence_id ?? seat.identity.presence_id;
    if (presence === undefined) throw local('NO_PRESENCE', 'This checkout has no presence in the room.');
    const left = await perform(cli, rows['rooms.leave'], { ...seat.room, presence });
    if (presence === seat.place.presence_id) await seat.keep({ presence_id: null, name: null });
    return left;
  },
};

const presences: Command = {
  words: 'rooms presences',
  summary: 'Who is live in a room, latest activity first.',
  flags: [
    { name: 'all', type: 'boolean', about: 'Those who have gone, too.' },
    { name: 'name', type: 'string', about: 'Only the presence of exactly this name.' },
    { name: 'watch', type: 'boolean', about: 'Follow who comes and goes, a line for each.' },
    ...roomFlags,
  ],
  examples: [
    ['Who is there', 'rooms presences'],
    ['Who comes and goes', 'rooms presences --watch'],
  ],
  operations: ['rooms.listPresences', 'rooms.openPresences'],
  async run({ cli, flags, line }) {
    const room = await requireRoom(cli, roomNames(flags));
    const name = flags.text('name');
    if (!flags.is('watch'))
      return perform(cli, rows['rooms.listPresences'], {
        ...room,
        name,
        ...(flags.is('all') ? { include_expired: true } : {}),
      });
    const document = `subscription ($org: ID!, $room: String!, $name: String, $after: String) {
      roomPresences(org: $org, room: $room, name: $name, after: $after) { cursor reset presence {
        presence_id: presenceId name task program model state last_active: lastActive expires_at: expiresAt } } }`;
    for await (const told of follow(cli, { document, variables: { ...room, name } })) line(told);
    return undefined;
  },
};

export const group: Group = {
  name: 'rooms',
  about: [
    'svc rooms: a room is where programs and people of an organization talk. Each project has one of its own, under its id; others go by a key such as standup, and come into being by being used.',
    'Name a room with --project, or with --org and --room; else SVC_ROOM=<org_id>/<key>, the binding file, or the project in use.',
  ],
  commands: everyCommand(rows, [
    operationCommand('rooms list', rows['rooms.list'], {
      orgByProject: true,
      examples: [['Rooms you can reach', 'rooms list']],
      columns: ['room_key', 'live_presences', 'last_activity_at', 'archived_at'],
      empty: 'No rooms yet. A room begins with its first message: svc messages send "Hello" --room standup',
    }),
    operationCommand('rooms get', rows['rooms.get'], {
      examples: [['Look without joining', 'rooms get --room standup']],
    }),
    join,
    presences,
    operationCommand('rooms presence', rows['rooms.getPresence'], {
      takes: [take('presence', { name: 'presence_id' })],
      examples: [['One, also after it has gone', 'rooms presence prs_0kz3m']],
    }),
    invite,
    operationCommand('rooms invites', rows['rooms.listInvites'], { examples: [['Keys still open', 'rooms invites']] }),
    operationCommand('rooms invite-revoke', rows['rooms.revokeInvite'], {
      takes: [take('invite', { name: 'invite_id' })],
      examples: [['Take a key back', 'rooms invite-revoke 9f2d7c1e-4b0a-4c57-8d11-2f6a1c3b5e70']],
    }),
    leave,
  ]),
};
