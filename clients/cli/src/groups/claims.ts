import type { Command, Group } from '../command.ts';
import { everyCommand } from '../every-command.ts';
import { follow } from '../net/follow.ts';
import { operationCommand, perform, take } from '../operation-command.ts';
import { rows } from '../operations/claims.ts';
import { keepPresence, roomNames, seatIn, speaking } from '../presence.ts';
import { orgFlag, projectFlag, requireRoom, roomFlag } from '../resolve.ts';

const roomFlags = [roomFlag, orgFlag, projectFlag];
const inputs = rows['claims.create'].inputs;

const create: Command = {
  words: 'claims create',
  summary: rows['claims.create'].summary,
  about: [
    'It always succeeds. `conflicts` lists claims of others who are live on the same thing; paths of repo: are compared by overlap, everything else letter by letter.',
  ],
  positionals: [{ name: 'resource', about: inputs.resource.about }],
  flags: [
    {
      name: 'mode',
      type: 'string',
      choices: inputs.mode.choices,
      about: '`exclusive` unless told; `shared` gets on with others that are shared.',
    },
    { name: 'ttl', type: 'integer', min: 1, max: 86_400, placeholder: 'seconds', about: inputs.ttl_seconds.about },
    { name: 'note', type: 'string', about: inputs.note.about },
    ...roomFlags,
  ],
  examples: [
    ['A folder of the repository', `claims create 'repo:src/auth/**' --note "new sign-in"`],
    ['Deploying, for ten minutes', 'claims create deploy --ttl 600'],
  ],
  operations: ['claims.create'],
  async run({ cli, positionals, flags }) {
    const seat = await seatIn(cli, await requireRoom(cli, roomNames(flags)));
    const claim = await speaking(cli, seat, (identity) =>
      perform(cli, rows['claims.create'], {
        ...seat.room,
        ...identity,
        resource: positionals.resource,
        mode: flags.text('mode') ?? 'exclusive',
        ttl_seconds: flags.number('ttl'),
        note: flags.text('note'),
      }),
    );
    await keepPresence(seat, claim.presence as Parameters<typeof keepPresence>[1]);
    return claim;
  },
};

const list: Command = {
  words: 'claims list',
  summary: 'What is claimed in a room, newest first.',
  flags: [
    { name: 'all', type: 'boolean', about: rows['claims.list'].inputs.include_inactive.about },
    { name: 'watch', type: 'boolean', about: 'Follow what is claimed and released, a line for each.' },
    ...roomFlags,
  ],
  examples: [
    ['Who is on what', 'claims list'],
    ['As it happens', 'claims list --watch'],
  ],
  operations: ['claims.list', 'claims.open'],
  async run({ cli, flags, line }) {
    const room = await requireRoom(cli, roomNames(flags));
    if (!flags.is('watch'))
      return perform(cli, rows['claims.list'], { ...room, ...(flags.is('all') ? { include_inactive: true } : {}) });
    const document = `subscription ($org: ID!, $room: String!, $after: String) { roomClaims(org: $org, room: $room, after: $after) {
      cursor reset claim { claim_id: claimId resource mode note holder expires_at: expiresAt created_at: createdAt released_at: releasedAt } } }`;
    for await (const told of follow(cli, { document, variables: { ...room } })) line(told);
    return undefined;
  },
};

export const group: Group = {
  name: 'claims',
  about: ['svc claims: say “I am on this” to the others in a room. A claim blocks nothing and nobody.'],
  commands: everyCommand(rows, [
    create,
    list,
    operationCommand('claims release', rows['claims.release'], {
      takes: [take('claim', { name: 'claim_id' })],
      examples: [['Done with it', 'claims release clm_0kz3m']],
    }),
  ]),
};
