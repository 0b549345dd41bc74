import { afterAll, expect, test } from 'vitest';
import { expectRefusal, moment } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { roomsOf } from './room.ts';

const service = await sharedService();
afterAll(() => service.stop());
const newRoom = roomsOf(service);

const kibibytes32 = 32 * 1024;

test('a message comes back with everything that was said about it', async () => {
  const { post, path } = await newRoom();
  const ada = (await post('/presences', { requested_name: 'Ada' })).body;
  await post('/presences', { requested_name: 'Bob' });
  const carl = (await post('/presences', { requested_name: 'Carl' })).body;
  const sent = await post('/messages', {
    body: '**hello**',
    to: ['bob', 'Bob'],
    cc: ['Carl', 'Bob'],
    thread_id: 't-1',
    importance: 'high',
    ack_required: true,
    presence_id: ada.presence_id,
  });
  expect(sent.status).toBe(201);
  const { sender_presence, live_presences, ...message } = sent.body;
  expect(message).toStrictEqual({
    message_id: expect.stringMatching(/^msg_[a-z0-9]{26}$/),
    cursor: expect.stringMatching(/^mcr_[\w-]+$/),
    room_key: 'standup',
    sender: 'Ada',
    body_snippet: '**hello**',
    body_truncated: false,
    thread_id: 't-1',
    importance: 'high',
    ack_required: true,
    // Somebody named twice is asked once, in the stronger way; those in `cc` are never asked to acknowledge.
    recipients: [
      { name: 'Bob', kind: 'to', ack_required: true, acked_at: null },
      { name: 'Carl', kind: 'cc', ack_required: false, acked_at: null },
    ],
    created_at: moment,
    deduplicated: false,
    next_actions: [{ type: 'poll', method: 'GET', path: `${path}/messages?cursor=${message.cursor}` }],
  });
  expect(sender_presence).toMatchObject({ presence_id: ada.presence_id, name: 'Ada', state: 'active' });
  for (const rider of ['requested_name', 'renamed', 'resumed']) expect(sender_presence).not.toHaveProperty(rider);
  expect(live_presences.map(({ name }: { name: string }) => name).sort()).toEqual(['Bob', 'Carl']);
  const { requested_name, renamed, next_actions, ...alone } = carl;
  expect(live_presences).toContainEqual(alone);
});

test('a message that says nothing else is normal, to nobody, in no thread', async () => {
  const { post } = await newRoom();
  const { body } = await post('/messages', { body: 'hi' });
  expect(body).toMatchObject({ thread_id: null, importance: 'normal', ack_required: false, recipients: [] });
  expect(body.live_presences).toEqual([]);
});

test('the room comes into being with its first message', async () => {
  const { post, count } = await newRoom();
  expect(await count('rooms')).toBe(0);
  await Promise.all([post('/messages', { body: '1' }), post('/messages', { body: '2' })]);
  expect([await count('rooms'), await count('room_messages')]).toEqual([1, 2]);
});

test.each([
  ['x', 1],
  ['é', 2],
  ['€', 3],
  ['🦊', 4],
])(
  '32 KiB of %s is counted in bytes: at the limit it is kept whole, one byte over it is refused',
  async (unit, bytes) => {
    const { post, get, count } = await newRoom();
    const whole = unit.repeat(Math.floor(kibibytes32 / bytes)).padEnd(kibibytes32 / bytes, 'x');
    const body = whole + 'x'.repeat(kibibytes32 - Buffer.byteLength(whole));
    const sent = await post('/messages', { body });
    expect(sent.status).toBe(201);
    expect((await get(`/messages/${sent.body.message_id}`)).body.body).toBe(body);
    const over = await post('/messages', { body: `${body}x` });
    expectRefusal(over, 'VALIDATION_FAILED', { field: 'body', reason: 'MESSAGE_TOO_LARGE' });
    expect(await count('room_messages')).toBe(1);
  },
);

test.each<[string, Record<string, unknown> | string, string]>([
  ['no body', {}, 'body'],
  ['an empty body', { body: '' }, 'body'],
  ['a blank body', { body: ' \n\t ' }, 'body'],
  ['a body that is no text', { body: 5 }, 'body'],
  ['a NUL in the body', { body: 'a\0b' }, 'body'],
  ['half a surrogate pair in the body', '{"body":"a\\udc00"}', 'body'],
  ['an importance it does not know', { body: 'x', importance: 'urgent' }, 'importance'],
  ['a thread of 129 characters', { body: 'x', thread_id: 't'.repeat(129) }, 'thread_id'],
  ['a thread with a NUL', { body: 'x', thread_id: 't\0' }, 'thread_id'],
  ['an acknowledgement that is no boolean', { body: 'x', ack_required: 'yes' }, 'ack_required'],
  ['recipients that are no list', { body: 'x', to: 'Ada' }, 'to'],
  ['51 recipients', { body: 'x', cc: Array(51).fill('Ada') }, 'cc'],
  ['a recipient with a NUL', { body: 'x', to: ['A\0'] }, 'to[0]'],
  ['an idempotency key of 257 characters', { body: 'x', idempotency_key: 'k'.repeat(257) }, 'idempotency_key'],
  ['an empty idempotency key', { body: 'x', idempotency_key: '' }, 'idempotency_key'],
  ['an idempotency key with a NUL', { body: 'x', idempotency_key: '\0' }, 'idempotency_key'],
  ['a session key with a NUL', { body: 'x', session_key: '\0' }, 'session_key'],
  ['a presence with a NUL', { body: 'x', presence_id: 'prs_\0' }, 'presence_id'],
  ['a name with a NUL', { body: 'x', requested_name: '\0' }, 'requested_name'],
])('%s is refused by name and nothing is stored', async (_case, body, field) => {
  const { post, count } = await newRoom();
  expectRefusal(await post('/messages', body), 'VALIDATION_FAILED', { field });
  expect([await count('rooms'), await count('room_messages'), await count('room_presences')]).toEqual([0, 0, 0]);
});

test('a recipient who is not live is refused by name and nothing at all is stored', async () => {
  const { post, expire, count } = await newRoom();
  await post('/presences', { requested_name: 'Ada' });
  const gone = (await post('/presences', { requested_name: 'Gone' })).body;
  await expire(gone.presence_id);
  const before = await count('room_presences');
  const cc = ['Ada', 'Gone', 'Nobody'];
  const refused = await post('/messages', { body: 'x', to: ['Ada'], cc, session_key: 'new', requested_name: 'New' });
  expectRefusal(refused, 'UNKNOWN_RECIPIENT', { unresolved: ['Gone', 'Nobody'], field: 'cc' });
  expect([await count('room_messages'), await count('room_presences')]).toEqual([0, before]);
});

test('all who are not there are named at once, in `to` and in `cc`', async () => {
  const { post, count } = await newRoom();
  await post('/presences', { requested_name: 'Ada' });
  const refused = await post('/messages', { body: 'x', to: ['Ada', 'Who'], cc: ['Gone', 'Who', 'Ada'] });
  expectRefusal(refused, 'UNKNOWN_RECIPIENT', { unresolved: ['Who', 'Gone'], field: 'to' });
  expect(await count('room_messages')).toBe(0);
});

test('a name is matched exactly first, then without regard to letter case', async () => {
  const { post } = await newRoom();
  await post('/presences', { requested_name: 'Ada' });
  const { body } = await post('/messages', { body: 'x', to: ['ADA'] });
  expect(body.recipients).toEqual([{ name: 'Ada', kind: 'to', ack_required: false, acked_at: null }]);
});

test('a name is 80 characters at most, whatever they take, and found in any Unicode form', async () => {
  const { post } = await newRoom();
  const long = '𝒜'.repeat(64);
  await post('/presences', { requested_name: 'Zoë' });
  await post('/presences', { requested_name: long });
  const to = ['Zoe\u0308', 'ZOE\u0308', long];
  const { status, body } = await post('/messages', { body: 'x', to });
  expect([status, body.recipients?.map(({ name }: { name: string }) => name)]).toEqual([201, ['Zoë', long]]);
  // As many characters as a name can have are looked for; one more is no name.
  expectRefusal(await post('/messages', { body: 'x', cc: ['𝒜'.repeat(80)] }), 'UNKNOWN_RECIPIENT');
  expectRefusal(await post('/messages', { body: 'x', cc: ['𝒜'.repeat(81)] }), 'VALIDATION_FAILED', { field: 'cc.0' });
  // A composed one that is not the same is another name.
  expectRefusal(await post('/messages', { body: 'x', to: ['Zoe'] }), 'UNKNOWN_RECIPIENT', { unresolved: ['Zoe'] });
});

test('a presence may write to itself', async () => {
  const { post } = await newRoom();
  const { body } = await post('/messages', { body: 'note', requested_name: 'Me', to: ['Me'] });
  expect(body).toMatchObject({ sender: 'Me', recipients: [{ name: 'Me' }], live_presences: [] });
});

test('the sender is the presence named, else the session resumed or begun, else the latest without one, else a new one', async () => {
  const { post, count } = await newRoom();
  const named = (await post('/presences', { requested_name: 'Named' })).body;
  const begun = await post('/messages', { body: '1', session_key: 's', requested_name: 'Session' });
  expect(begun.body).toMatchObject({
    sender: 'Session',
    sender_presence: { name: 'Session', requested_name: 'Session', renamed: false },
  });
  const resumed = await post('/messages', { body: '2', session_key: 's', requested_name: 'Ignored', task: 'later' });
  expect(resumed.body.sender_presence).toMatchObject({ name: 'Session', resumed: true, task: 'later' });
  const both = await post('/messages', { body: '3', presence_id: named.presence_id, session_key: 's' });
  expect(both.body.sender).toBe('Named');
  for (const again of [{}, { requested_name: 'Named' }])
    expect((await post('/messages', { body: '4', ...again })).body.sender_presence.presence_id).toBe(named.presence_id);
  const fresh = await post('/messages', { body: '5', requested_name: 'Session' });
  expect(fresh.body.sender_presence).toMatchObject({ name: 'Session-2', requested_name: 'Session', renamed: true });
  expect(await count('room_presences')).toBe(3);
});

test('an expired presence is 410, an unknown one 404, another principal’s 403, and nothing is stored', async () => {
  const { post, expire, member, count, get } = await newRoom();
  const { presence_id } = (await post('/presences', {})).body;
  const message = { body: 'x', presence_id };
  const stranger = await member();
  expectRefusal(await post('/messages', message, stranger), 'FORBIDDEN');
  expectRefusal(await get(`/messages?presence_id=${presence_id}`, stranger), 'FORBIDDEN');
  await expire(presence_id);
  expectRefusal(await post('/messages', message), 'PRESENCE_EXPIRED', { presence_id });
  expectRefusal(await get(`/messages?presence_id=${presence_id}`), 'PRESENCE_EXPIRED', { presence_id });
  const unknown = { presence_id: 'prs_nobody' };
  expectRefusal(await post('/messages', { body: 'x', ...unknown }), 'RESOURCE_NOT_FOUND', unknown);
  expectRefusal(await get('/messages?presence_id=prs_nobody'), 'RESOURCE_NOT_FOUND', unknown);
  expect([await count('room_messages'), await count('room_presences')]).toEqual([0, 1]);
});

test('speaking keeps a presence alive for another hour', async () => {
  const { post, get, orgId } = await newRoom();
  const { presence_id } = (await post('/presences', {})).body;
  const almost = () =>
    service.control.sql(
      `update room_presences set last_active = now() - interval '59 min', expires_at = now() + interval '1 min'
       where org_id = $1`,
      [orgId],
    );
  for (const speak of [
    () => post('/messages', { body: 'x', presence_id }),
    () => get(`/messages?presence_id=${presence_id}`),
  ]) {
    await almost();
    expect((await speak()).status).toBeLessThan(300);
    const { last_active, expires_at } = (await get(`/presences/${presence_id}`)).body;
    expect(Date.parse(expires_at) - Date.parse(last_active)).toBe(3600_000);
  }
});

test('ten sends at once with one key are one message: one is new, nine are its replay', async () => {
  const { post, count } = await newRoom();
  const { presence_id } = (await post('/presences', {})).body;
  for (const speaker of [{ presence_id }, { session_key: 'new' }]) {
    const before = await count('room_messages');
    const send = { body: 'once', idempotency_key: 'k', ...speaker };
    const answers = await Promise.all(Array.from({ length: 10 }, () => post('/messages', send)));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(9).fill(200), 201]);
    for (const { status, body } of answers) expect(body.deduplicated).toBe(status === 200);
    expect(new Set(answers.map(({ body }) => body.message_id)).size).toBe(1);
    expect(new Set(answers.map(({ body }) => body.cursor)).size).toBe(1);
    expect(await count('room_messages')).toBe(before + 1);
  }
});

test('a replay gives the first message, whatever it says now, and asks no recipient again', async () => {
  const { post, expire, count } = await newRoom();
  const ada = (await post('/presences', { requested_name: 'Ada' })).body;
  const send = { body: 'first', to: ['Ada'], idempotency_key: 'k', session_key: 's' };
  const first = (await post('/messages', send)).body;
  await expire(ada.presence_id);
  const replay = await post('/messages', { ...send, body: 'second' });
  expect(replay).toMatchObject({
    status: 200,
    body: { message_id: first.message_id, body_snippet: 'first', recipients: first.recipients, deduplicated: true },
  });
  // The same key of another speaker is another message.
  expect((await post('/messages', { body: 'x', idempotency_key: 'k', session_key: 'other' })).status).toBe(201);
  expect(await count('room_messages')).toBe(2);
});

test('the header key replays the first answer as it was', async () => {
  const { post, count, wallet } = await newRoom();
  const headers = { 'idempotency-key': 'send-1' };
  const first = await post('/messages', { body: 'x' }, wallet, { headers });
  const again = await post('/messages', { body: 'x' }, wallet, { headers });
  expect([again.status, again.body]).toEqual([201, first.body]);
  expect(await count('room_messages')).toBe(1);
});

test('a snippet is 280 characters, and says when the body goes on', async () => {
  const { post, get } = await newRoom();
  for (const [body, snippet, truncated] of [
    ['x'.repeat(280), 'x'.repeat(280), false],
    ['x'.repeat(281), 'x'.repeat(280), true],
    ['🦊'.repeat(280), '🦊'.repeat(280), false],
    [`x${'🦊'.repeat(300)}`, `x${'🦊'.repeat(279)}`, true],
  ] as const) {
    const sent = (await post('/messages', { body })).body;
    expect([sent.body_snippet, sent.body_truncated]).toEqual([snippet, truncated]);
    const { deduplicated, sender_presence, live_presences, next_actions, ...message } = sent;
    expect((await get(`/messages/${sent.message_id}`)).body).toStrictEqual({ ...message, body });
    expect((await get('/messages')).body.messages.at(-1)).toStrictEqual(message);
  }
});

test('a message is found in its own room alone', async () => {
  const { post, get, wallet, orgId } = await newRoom();
  const { message_id } = (await post('/messages', { body: 'x' })).body;
  const other = await service.call(wallet, 'GET', `/orgs/v1/${orgId}/rooms/other/messages/${message_id}`);
  expectRefusal(other, 'RESOURCE_NOT_FOUND', { message_id });
  expectRefusal(await get('/messages/msg_nobody'), 'RESOURCE_NOT_FOUND', { message_id: 'msg_nobody' });
  expectRefusal(await get('/messages/a%00'), 'VALIDATION_FAILED', { field: 'message_id' });
});

test('sending over GraphQL is the same as sending over REST', async () => {
  const { wallet, orgId, post, get } = await newRoom();
  await post('/presences', { requested_name: 'Ada' });
  const sent = await service.graphql(
    wallet,
    `mutation ($input: SendRoomMessageInput!) { sendRoomMessage(input: $input) {
      messageId cursor body sender threadId importance ackRequired createdAt recipients { edges { name kind ackRequired ackedAt node { name } } } } }`,
    {
      input: {
        org: orgId,
        room: 'standup',
        body: 'graph',
        to: ['Ada'],
        threadId: 't',
        importance: 'HIGH',
        ackRequired: true,
        sessionKey: 's',
        requestedName: 'Graph',
      },
    },
  );
  const message = sent.data.sendRoomMessage;
  const { body } = await get(`/messages/${message.messageId}`);
  expect(message).toEqual({
    messageId: body.message_id,
    cursor: body.cursor,
    body: body.body,
    sender: 'Graph',
    threadId: 't',
    importance: 'HIGH',
    ackRequired: true,
    createdAt: body.created_at,
    recipients: { edges: [{ name: 'Ada', kind: 'TO', ackRequired: true, ackedAt: null, node: { name: 'Ada' } }] },
  });
});
