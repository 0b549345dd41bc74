import type { Command, Group } from '../command.ts';
import { everyCommand } from '../every-command.ts';
import { badUsage } from '../failure.ts';
import { readText } from '../input.ts';
import { follow } from '../net/follow.ts';
import { operationCommand, perform, take } from '../operation-command.ts';
import { rows } from '../operations/messages.ts';
import { keepPresence, requirePresence, roomNames, seatIn, speaking } from '../presence.ts';
import { progress } from '../progress.ts';
import { orgFlag, projectFlag, requireRoom, roomFlag } from '../resolve.ts';

const roomFlags = [roomFlag, orgFlag, projectFlag];
const inputs = rows['rooms.sendMessage'].inputs;

const send: Command = {
  words: 'messages send',
  summary: rows['rooms.sendMessage'].summary,
  about: [
    'You speak as this checkout’s presence; one is registered when there is none, under SVC_AGENT_NAME if that is set.',
    'A body of - is read from standard input.',
  ],
  positionals: [{ name: 'body', rest: true, about: inputs.body.about }],
  flags: [
    { name: 'to', type: 'list', placeholder: 'a,b', about: inputs.to.about },
    { name: 'cc', type: 'list', placeholder: 'a,b', about: inputs.cc.about },
    { name: 'ack', type: 'boolean', about: inputs.ack_required.about },
    { name: 'thread', type: 'string', placeholder: 'id', about: inputs.thread_id.about },
    { name: 'importance', type: 'string', choices: inputs.importance.choices, about: inputs.importance.about },
    { name: 'idempotency-key', type: 'string', placeholder: 'key', about: inputs.idempotency_key.about },
    ...roomFlags,
  ],
  examples: [
    ['A word', 'messages send "The schema is in place"'],
    ['To somebody, who is asked to confirm it', 'messages send "Take over at noon?" --to Atlas --ack'],
    ['From a file', 'messages send - --room standup < report.md'],
  ],
  operations: ['rooms.sendMessage'],
  async run({ cli, positionals, flags }) {
    const seat = await seatIn(cli, await requireRoom(cli, roomNames(flags)));
    const body = positionals.body === '-' ? await readText(cli, '-') : positionals.body;
    const sent = await speaking(cli, seat, (identity) =>
      perform(cli, rows['rooms.sendMessage'], {
        ...seat.room,
        ...identity,
        body,
        to: flags.list('to'),
        cc: flags.list('cc'),
        thread_id: flags.text('thread'),
        importance: flags.text('importance'),
        ack_required: flags.is('ack') ? true : undefined,
        idempotency_key: flags.text('idempotency-key'),
      }),
    );
    await keepPresence(seat, sent.sender_presence as Parameters<typeof keepPresence>[1]);
    return sent;
  },
};

const thread = { name: 'thread', type: 'string' as const, placeholder: 'id', about: 'Only messages of this thread.' };
const cursor = {
  name: 'cursor',
  type: 'string' as const,
  about: 'Only messages after this cursor; where this checkout left off unless told.',
};

const list: Command = {
  words: 'messages list',
  summary: 'Messages of a room, oldest first, from where this checkout left off.',
  about: [
    'Each page moves the cursor that this checkout keeps for the room. --before reads older history, newest first, and moves nothing. Lists show the beginnings of long messages; `messages get` shows one as a whole.',
  ],
  flags: [
    { name: 'unread', type: 'boolean', about: 'Only messages that name you and that you have not read.' },
    cursor,
    { name: 'before', type: 'string', placeholder: 'cursor', about: 'Only messages before this cursor, newest first.' },
    thread,
    { name: 'limit', type: 'integer', min: 1, max: 200, about: 'Messages per page: 50 unless told, at most 200.' },
    { name: 'watch', type: 'boolean', about: 'Go on as they are sent, a line for each, whole bodies.' },
    ...roomFlags,
  ],
  examples: [
    ['What is new', 'messages list'],
    ['What is for you', 'messages list --unread'],
    ['Follow', 'messages list --watch'],
  ],
  operations: ['rooms.listMessages', 'rooms.open'],
  human: 'messages',
  async run({ cli, flags, line }) {
    const seat = await seatIn(cli, await requireRoom(cli, roomNames(flags)));
    const before = flags.text('before');
    const unread = flags.is('unread');
    if (before !== undefined && (unread || flags.text('cursor') !== undefined || flags.is('watch')))
      throw badUsage('--before goes by itself: it reads backwards.', { field: 'before' });
    const after = flags.text('cursor') ?? seat.place.cursor;
    const me = unread ? requirePresence(seat) : {};
    if (flags.is('watch')) {
      const document = `subscription ($org: ID!, $room: String!, $after: String, $threadId: String, $to: MessageAddressee, $presenceId: String, $sessionKey: String) {
        roomMessages(org: $org, room: $room, after: $after, threadId: $threadId, addressedTo: $to, presenceId: $presenceId, sessionKey: $sessionKey) {
          cursor reset message { message_id: messageId sender body thread_id: threadId importance ack_required: ackRequired created_at: createdAt } } }`;
      const variables = {
        ...seat.room,
        threadId: flags.text('thread'),
        ...(unread ? { to: 'ME', presenceId: me.presence_id, sessionKey: me.session_key } : {}),
      };
      for await (const told of follow<{ cursor: string }>(cli, { document, variables, after })) {
        line(told);
        await seat.keep({ cursor: told.cursor });
      }
      return undefined;
    }
    const page = await perform(cli, rows['rooms.listMessages'], {
      ...seat.room,
      ...me,
      ...(unread ? { addressed_to: 'me', unread: true } : {}),
      ...(before === undefined ? { cursor: after } : { before, order: 'desc' }),
      thread_id: flags.text('thread'),
      limit: flags.number('limit'),
    });
    if (before === undefined) await seat.keep({ cursor: page.cursor as string });
    return page;
  },
};

/** Longest time for which a gateway holds one long-poll, in seconds. */
const heldSecondsMax = 25;

const wait: Command = {
  words: 'messages wait',
  summary: 'Wait until a message comes, or until nobody has said anything for a while.',
  about: [
    'Answers as soon as there is something after the cursor; `settled` is true then. Silence is no failure: the messages are empty, the cursor is the same, `settled` is false, and the exit code 0.',
  ],
  flags: [
    { name: 'addressed-to', type: 'string', choices: ['me'], about: 'Only messages that name you.' },
    thread,
    {
      name: 'timeout',
      type: 'integer',
      min: 1,
      max: 600,
      placeholder: 'seconds',
      about: 'Longest wait: 120 seconds unless told, at most 600.',
    },
    cursor,
    ...roomFlags,
  ],
  examples: [
    ['For an answer', 'messages wait --addressed-to me --timeout 300'],
    ['In one thread', 'messages wait --thread deploy'],
  ],
  operations: ['rooms.listMessages'],
  human: 'messages',
  async run({ cli, flags }) {
    const seat = await seatIn(cli, await requireRoom(cli, roomNames(flags)));
    const timeoutMs = (flags.number('timeout') ?? 120) * 1000;
    const me = flags.text('addressed-to') === 'me' ? { ...requirePresence(seat), addressed_to: 'me' } : {};
    const startedAt = Date.now();
    const bar = progress(cli);
    const after = flags.text('cursor') ?? seat.place.cursor;
    for (;;) {
      const leftMs = timeoutMs - (Date.now() - startedAt);
      bar.at('Waiting for a message', 1 - leftMs / timeoutMs);
      const page = await perform(cli, rows['rooms.listMessages'], {
        ...seat.room,
        ...me,
        cursor: after,
        thread_id: flags.text('thread'),
        wait: Math.min(heldSecondsMax, Math.max(1, Math.ceil(leftMs / 1000))),
      });
      const {
        messages,
        cursor: reached,
        has_more,
        live_presences = [],
      } = page as {
        messages: unknown[];
        cursor: string;
        has_more: boolean;
        live_presences?: unknown[];
      };
      const waitedMs = Date.now() - startedAt;
      const settled = messages.length > 0;
      if (!settled && waitedMs < timeoutMs && !cli.signal.aborted) continue;
      bar.end();
      if (settled) await seat.keep({ cursor: reached });
      return { messages, cursor: reached, has_more, settled, waited_ms: waitedMs, live_presences };
    }
  },
};

const ack: Command = {
  words: 'messages ack',
  summary: rows['rooms.ackMessage'].summary,
  positionals: [{ name: 'message_id', about: 'Message, msg_….' }],
  flags: roomFlags,
  examples: [['Confirm it', 'messages ack msg_0kz3m']],
  operations: ['rooms.ackMessage'],
  async run({ cli, positionals, flags }) {
    const seat = await seatIn(cli, await requireRoom(cli, roomNames(flags)));
    const { presence_id, session_key } = seat.identity;
    return perform(cli, rows['rooms.ackMessage'], {
      ...seat.room,
      presence_id,
      session_key,
      message: positionals.message_id,
    });
  },
};

export const group: Group = {
  name: 'messages',
  about: [
    'svc messages: what is said in a room. Name a room with --project, or with --org and --room; else it is that of SVC_ROOM, the binding file, or the project in use.',
  ],
  commands: everyCommand(rows, [
    send,
    list,
    wait,
    operationCommand('messages get', rows['rooms.getMessage'], {
      takes: [take('message', { name: 'message_id' })],
      examples: [['All of it', 'messages get msg_0kz3m']],
    }),
    ack,
  ]),
};
