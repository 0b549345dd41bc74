import { afterAll, expect, test } from 'vitest';
import { feedCursor } from '../../kernel/feeds/feeds.ts';
import { roomFeed } from '../../resolvers/rooms/shared/room-feed.ts';
import { expectRefusal } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { roomsOf } from './room.ts';

const service = await sharedService();
afterAll(() => service.stop());
const newRoom = roomsOf(service);
type Room = Awaited<ReturnType<typeof newRoom>>;

const cursorAt = ({ orgId }: Room, position: bigint) =>
  feedCursor(service.app.services.keys, roomFeed(orgId, 'standup'), position);

async function say({ post }: Room, count: number): Promise<{ cursor: string; message_id: string }[]> {
  const sent = [];
  for (let n = 1; n <= count; n++) sent.push((await post('/messages', { body: `${n}`, session_key: 's' })).body);
  return sent;
}

const bodies = (page: { messages: { body_snippet: string }[] }) => page.messages.map((one) => one.body_snippet).join();

test('pages run oldest first and end where there is no more', async () => {
  const room = await newRoom();
  await say(room, 5);
  const first = (await room.get('/messages?limit=2')).body;
  expect([bodies(first), first.has_more]).toEqual(['1,2', true]);
  const second = (await room.get(`/messages?limit=2&cursor=${first.cursor}`)).body;
  expect([bodies(second), second.has_more]).toEqual(['3,4', true]);
  const third = (await room.get(`/messages?limit=2&cursor=${second.cursor}`)).body;
  expect([bodies(third), third.has_more]).toEqual(['5', false]);
  const end = (await room.get(`/messages?limit=2&cursor=${third.cursor}`)).body;
  expect(end).toStrictEqual({ messages: [], cursor: third.cursor, has_more: false });
});

test('writers that race leave neither gap nor repeat to a reader that follows them', async () => {
  const room = await newRoom();
  const seen: string[] = [];
  let cursor = '';
  const read = async () => {
    const page = (await room.get(`/messages?limit=200${cursor === '' ? '' : `&cursor=${cursor}`}`)).body;
    seen.push(...page.messages.map((one: { message_id: string }) => one.message_id));
    cursor = page.cursor;
  };
  const sent: string[] = [];
  let writing = true;
  const writers = Promise.all(
    Array.from({ length: 8 }, async (_, writer) => {
      for (let n = 0; n < 10; n++) {
        const { body } = await room.post('/messages', { body: 'x', session_key: `w${writer}` });
        sent.push(body.message_id);
      }
    }),
  ).finally(() => {
    writing = false;
  });
  while (writing) await read();
  await writers;
  await read();
  expect(seen).toHaveLength(80);
  expect(new Set(seen)).toEqual(new Set(sent));
});

test('the cursor of a message resumes right after it', async () => {
  const room = await newRoom();
  const sent = await say(room, 3);
  const page = (await room.get(`/messages?cursor=${sent[0]!.cursor}`)).body;
  expect([bodies(page), page.cursor]).toEqual(['2,3', sent[2]!.cursor]);
});

test.each<[string, (room: Room) => Promise<string> | string]>([
  ['garbage', () => 'garbage'],
  ['an empty text', () => ''],
  ['a text that cannot be stored', () => '%00'],
  ['a long text', () => 'mcr_'.padEnd(4_000, 'x')],
  [
    'a cursor with one letter changed',
    async (room) => (await say(room, 1))[0]!.cursor.replace(/.$/, (last) => (last === '-' ? '_' : '-')),
  ],
  ['a cursor of another room', async () => (await say(await newRoom(), 1))[0]!.cursor],
  ['a cursor of the future', (room) => cursorAt(room, 99n)],
  ['a cursor behind retention', (room) => cursorAt(room, 1n)],
])('%s starts over and says so', async (_case, make) => {
  const room = await newRoom();
  await say(room, 4);
  const cursor = await make(room);
  await service.control.sql(`update feed_heads set floor = 2 where org_id = $1`, [room.orgId]);
  await service.control.sql(`delete from room_messages where org_id = $1 and seq <= 2`, [room.orgId]);
  const page = (await room.get(`/messages?limit=2&cursor=${cursor}`)).body;
  expect([bodies(page), page.reset]).toEqual(['3,4', true]);
  expect(page.earliest_cursor).toBe(cursorAt(room, 2n));
  const again = (await room.get(`/messages?limit=2&cursor=${page.earliest_cursor}`)).body;
  expect([bodies(again), again.reset]).toEqual(['3,4', undefined]);
  const fresh = (await room.get('/messages?limit=2')).body;
  expect([bodies(fresh), fresh.reset]).toEqual(['3,4', undefined]);
});

test('an unusable cursor in an empty room starts over, too', async () => {
  const room = await newRoom();
  const page = (await room.get('/messages?cursor=garbage')).body;
  expect(page).toMatchObject({ messages: [], reset: true, has_more: false });
  expect(page.cursor).toBe(page.earliest_cursor);
  expect((await room.get(`/messages?cursor=${page.cursor}`)).body).not.toHaveProperty('reset');
});

test('fifty messages unless told, two hundred at most', async () => {
  const room = await newRoom();
  const { presence_id } = (await room.post('/presences', {})).body;
  await service.control.sql(
    `with head as (insert into feed_heads (org_id, kind, feed_id, position) values ($1, 'room', 'standup', 205))
     insert into room_messages (org_id, room_key, seq, id, sender_presence_id, sender_name, principal_id, body,
       importance, ack_required, recipients)
     select $1, 'standup', n, 'msg_' || n || $1, $2, 'x', 'x', n, 'normal', false, '[]' from generate_series(1, 205) n`,
    [room.orgId, presence_id],
  );
  const size = async (query: string) => (await room.get(`/messages${query}`)).body.messages.length;
  expect([await size(''), await size('?limit=1'), await size('?limit=200'), await size('?limit=1000')]).toEqual([
    50, 1, 200, 200,
  ]);
});

test.each<[string, string]>([
  ['limit=0', 'limit'],
  ['limit=-5', 'limit'],
  ['limit=abc', 'limit'],
  ['limit=2.5', 'limit'],
  ['wait=soon', 'wait'],
  ['cursor=a&cursor=b', 'cursor'],
  ['presence_id=a%00', 'presence_id'],
  ['session_key=', 'session_key'],
  ['order=sideways', 'order'],
])('%s is refused by name', async (query, field) => {
  const room = await newRoom();
  expectRefusal(await room.get(`/messages?${query}`), 'VALIDATION_FAILED', { field });
});

test('newest first reads back page by page to the oldest', async () => {
  const room = await newRoom();
  await say(room, 5);
  const first = (await room.get('/messages?order=desc&limit=2')).body;
  expect([bodies(first), first.has_more]).toEqual(['5,4', true]);
  const second = (await room.get(`/messages?order=desc&limit=2&before=${first.before_cursor}`)).body;
  expect(bodies(second)).toBe('3,2');
  const last = (await room.get(`/messages?order=desc&limit=2&before=${second.before_cursor}`)).body;
  expect([bodies(last), last.has_more]).toEqual(['1', false]);
  expect(last).not.toHaveProperty('before_cursor');
});

test('REST and GraphQL list the same messages under the same cursors', async () => {
  const room = await newRoom();
  await say(room, 3);
  const rest = (await room.get('/messages')).body.messages;
  const graph = await service.graphql(
    room.wallet,
    `query ($org: ID!) { roomMessages(org: $org, room: "standup") { edges { cursor node { messageId body } }
      pageInfo { hasNextPage endCursor } } }`,
    { org: room.orgId },
  );
  expect(graph.data.roomMessages).toEqual({
    edges: rest.map((one: Record<string, string>) => ({
      cursor: one.cursor,
      node: { messageId: one.message_id, body: one.body_snippet },
    })),
    pageInfo: { hasNextPage: false, endCursor: rest.at(-1).cursor },
  });
});

test('a page that is read backwards from nowhere begins at the newest, and tells where the earliest is', async () => {
  const room = await newRoom();
  const { post, get, orgId } = room;
  const cursors: string[] = [];
  for (let n = 0; n < 4; n++) cursors.push((await post('/messages', { body: `${n}`, session_key: 's' })).body.cursor);
  await service.control.sql(`delete from room_messages where org_id = $1 and seq <= 2`, [orgId]);
  await service.control.sql(`update feed_heads set floor = 2 where org_id = $1 and kind = 'room'`, [orgId]);
  const asc = (await get('/messages?cursor=garbage')).body;
  expect(asc).toMatchObject({ reset: true });
  for (const before of [
    'garbage',
    cursors[0]!,
    (await (await newRoom()).post('/messages', { body: 'x' })).body.cursor,
  ]) {
    const { body } = await get(`/messages?order=desc&limit=1&before=${before}`);
    expect([
      before,
      body.messages.map((m: { body_snippet: string }) => m.body_snippet),
      body.reset,
      body.earliest_cursor,
    ]).toEqual([before, ['3'], true, asc.earliest_cursor]);
  }
  expect((await get(`/messages?cursor=${asc.earliest_cursor}`)).body.messages).toHaveLength(2);
});
