import { afterAll, expect, test } from 'vitest';
import { expectRefusal } from '../helpers/documented.ts';
import { startService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import { roomsOf } from './room.ts';

const service = await startService();
afterAll(() => service.stop());
const newRoom = roomsOf(service);

interface Page {
  readonly messages: { readonly body_snippet: string }[];
}
const bodies = (page: Page) => page.messages.map((one) => one.body_snippet).join();

/** Ada, who reads, and a room in which six things were said: to her, to Bob, in threads and outside. */
async function talk() {
  const room = await newRoom();
  const ada = (await room.post('/presences', { requested_name: 'Ada', session_key: 'ada' })).body.presence_id as string;
  await room.post('/presences', { requested_name: 'Bob', session_key: 'bob' });
  const said: { cursor: string; message_id: string }[] = [];
  for (const more of [
    { body: '1' },
    { body: '2', to: ['Ada'], thread_id: 't' },
    { body: '3', to: ['Bob'], thread_id: 't' },
    { body: '4', cc: ['Ada'] },
    { body: '5', thread_id: 'T' },
    { body: '6', to: ['Bob'], cc: ['Ada'], thread_id: 't' },
  ]) {
    said.push((await room.post('/messages', { ...more, session_key: 'bob' })).body);
  }
  const list = async (query: string) => (await room.get(`/messages?${query}`)).body;
  return { ...room, ada, said, list };
}

test.each<[filter: string, ascending: string]>([
  ['thread_id=t', '2,3,6'],
  ['thread_id=T', '5'],
  ['thread_id=absent', ''],
  ['addressed_to=me&session_key=ada', '2,4,6'],
  ['addressed_to=me&session_key=bob', '3,6'],
  ['addressed_to=me&thread_id=t&session_key=ada', '2,6'],
  ['unread=true&thread_id=t&session_key=ada', '2,3,6'],
  ['unread=false', '1,2,3,4,5,6'],
])('%s shows exactly those messages, in both orders and in pages', async (filter, shown) => {
  const { list } = await talk();
  const newestFirst = shown.split(',').reverse().join();
  // Looking back leaves no trace, so it goes first.
  const back = await list(`${filter}&order=desc`);
  expect(bodies(back)).toBe(newestFirst);
  const pages: string[] = [];
  let before: string | undefined;
  do {
    const page = await list(`${filter}&order=desc&limit=1${before === undefined ? '' : `&before=${before}`}`);
    pages.push(bodies(page));
    before = page.before_cursor;
  } while (before !== undefined);
  expect(pages.join()).toBe(newestFirst);
  const first = await list(`${filter}&limit=1`);
  expect([bodies(first), first.has_more]).toEqual([shown.slice(0, 1), shown.length > 1]);
  const rest = await list(`${filter}&cursor=${first.cursor}`);
  expect([bodies(rest), rest.has_more]).toEqual([shown.slice(2), false]);
});

test('a cursor is the room’s: it serves every filter, and never passes a message that would match', async () => {
  const { said, list } = await talk();
  const page = await list(`thread_id=t&limit=1&cursor=${said[0]!.cursor}`);
  expect([bodies(page), page.cursor]).toEqual(['2', said[1]!.cursor]);
  expect(bodies(await list(`cursor=${page.cursor}`))).toBe('3,4,5,6');
  expect(bodies(await list(`addressed_to=me&session_key=ada&cursor=${page.cursor}`))).toBe('4,6');
  // An empty page gives back the very cursor, though others were said since.
  const empty = await list(`thread_id=absent&cursor=${page.cursor}`);
  expect(empty).toStrictEqual({ messages: [], cursor: page.cursor, has_more: false });
});

test('a cursor that cannot be used starts a filtered reading over, and says so', async () => {
  const { list } = await talk();
  const other = await talk();
  for (const cursor of ['garbage', other.said[3]!.cursor]) {
    const page = await list(`thread_id=t&limit=2&cursor=${cursor}`);
    expect([bodies(page), page.reset, page.has_more]).toEqual(['2,3', true, true]);
    expect(bodies(await list(`thread_id=t&cursor=${page.earliest_cursor}`))).toBe('2,3,6');
  }
});

test('what a presence has read is unread no more, and no reading sets that back', async () => {
  const { said, list, ada } = await talk();
  const unread = () => list('unread=true&session_key=ada&order=desc');
  expect(bodies(await unread())).toBe('6,5,4,3,2,1');
  await list(`limit=3&presence_id=${ada}`);
  expect(bodies(await unread())).toBe('6,5,4');
  // From the beginning again, and backwards, and by others.
  await list(`limit=1&presence_id=${ada}`);
  await list(`order=desc&presence_id=${ada}`);
  await list('session_key=bob');
  await list('');
  expect(bodies(await unread())).toBe('6,5,4');
  // As far as it was shown, and no further.
  const page = await list('unread=true&addressed_to=me&limit=1&session_key=ada');
  expect([bodies(page), page.has_more]).toEqual(['4', true]);
  expect(bodies(await unread())).toBe('6,5');
  expect(bodies(await list(`unread=true&session_key=ada&cursor=${said[0]!.cursor}`))).toBe('5,6');
  expect(bodies(await unread())).toBe('');
});

test('of twenty readings at once the one that got furthest counts', async () => {
  const { list, ada } = await talk();
  const limits = Array.from({ length: 20 }, (_, n) => (n % 5) + 1);
  await Promise.all(limits.map((limit) => list(`limit=${limit}&presence_id=${ada}`)));
  expect(bodies(await list(`unread=true&order=desc&presence_id=${ada}`))).toBe('6');
});

test('what an operator session reads counts as read by nobody', async () => {
  const { list, ada, principalId, get } = await talk();
  const operator = await service.actors.session({ kind: 'operator', principalId });
  const named = await get(`/messages?addressed_to=me&unread=true&presence_id=${ada}`, operator);
  expect(bodies(named.body)).toBe('2,4,6');
  await get(`/messages?presence_id=${ada}`, operator);
  expect(bodies(await list(`unread=true&order=desc&presence_id=${ada}`))).toBe('6,5,4,3,2,1');
});

test.each(['addressed_to=me', 'unread=true', 'addressed_to=me&unread=true&order=desc', 'unread=true&wait=25'])(
  '%s needs a live presence of the caller’s own',
  async (filter) => {
    const { get, ada, member, expire } = await talk();
    for (const [named, field] of [
      ['', 'presence_id'],
      ['&session_key=unknown', 'session_key'],
    ]) {
      const { status, body } = await get(`/messages?${filter}${named}`);
      expect([status, body.code, body.details.field]).toEqual([422, 'VALIDATION_FAILED', field]);
    }
    expectRefusal(await get(`/messages?${filter}&presence_id=prs_nobody`), 'RESOURCE_NOT_FOUND');
    expectRefusal(await get(`/messages?${filter}&presence_id=${ada}`, await member()), 'FORBIDDEN');
    await expire(ada);
    for (const named of [`presence_id=${ada}`, 'session_key=ada']) {
      expectRefusal(await get(`/messages?${filter}&${named}`), 'PRESENCE_EXPIRED', { presence_id: ada });
    }
  },
);

test('a key, which has no presence, reads threads and is nobody’s "me"', async () => {
  const { wallet, orgId, projectId, serviceKey } = await service.project();
  const path = `/orgs/v1/${orgId}/rooms/${projectId}/messages`;
  await service.call(wallet, 'POST', path, { body: { body: 'x', thread_id: 't' } });
  const key = service.actors.bearer(serviceKey);
  const read = (query: string) => service.call<Page & { code: string }>(key, 'GET', `${path}?${query}`);
  expect(bodies((await read('thread_id=t')).body)).toBe('x');
  const { status, body } = await read('addressed_to=me');
  expect([status, body.code]).toEqual([422, 'VALIDATION_FAILED']);
});

test.each([
  ['addressed_to=you', 'addressed_to'],
  ['addressed_to=', 'addressed_to'],
  ['addressed_to=ME', 'addressed_to'],
  ['unread=1', 'unread'],
  ['unread=', 'unread'],
  ['unread=TRUE', 'unread'],
  ['thread_id=', 'thread_id'],
  [`thread_id=${'t'.repeat(129)}`, 'thread_id'],
  ['thread_id=a%00', 'thread_id'],
  [`session_key=${'k'.repeat(129)}`, 'session_key'],
  [`presence_id=${'p'.repeat(65)}`, 'presence_id'],
])('%s is refused by name', async (query, field) => {
  const { get } = await newRoom();
  expectRefusal(await get(`/messages?${query}`), 'VALIDATION_FAILED', { field });
});

const sleeping = (count: number) => until(async () => expect(await service.gauge('feed_followers')).toBe(count));

test.each([
  'thread_id=t',
  'addressed_to=me&session_key=ada',
  'addressed_to=me&unread=true&thread_id=t&session_key=ada',
])('a held reading of %s sleeps on while others talk, and wakes for what matches', async (filter) => {
  const { list, post, said } = await talk();
  await list('session_key=ada');
  const { cursor } = said[5]!;
  const held = list(`${filter}&wait=25&cursor=${cursor}`);
  await sleeping(1);
  for (const more of [{}, { thread_id: 'T' }, { to: ['Bob'] }]) await post('/messages', { body: 'no', ...more });
  await sleeping(1);
  await post('/messages', { body: 'yes', thread_id: 't', to: ['Ada'] });
  const page = await held;
  expect([bodies(page), page.has_more]).toEqual(['yes', false]);
  expect(page).toHaveProperty('waited_ms');
  await sleeping(0);
});

test('a held reading in which nothing matches ends with the cursor it began with', async () => {
  const { list, post, said } = await talk();
  const { cursor } = said[5]!;
  const held = list(`thread_id=absent&wait=1&cursor=${cursor}`);
  await sleeping(1);
  await post('/messages', { body: 'no' });
  const page = await held;
  expect([page.messages, page.cursor, page.has_more]).toEqual([[], cursor, false]);
  expect(page.waited_ms).toBeGreaterThanOrEqual(1_000);
});

test('the connection has the same filters as the list', async () => {
  const { wallet, orgId, ada } = await talk();
  const query = `query ($org: ID!, $thread: String, $to: MessageAddressee, $unread: Boolean, $me: String, $last: Int) {
    roomMessages(org: $org, room: "standup", threadId: $thread, addressedTo: $to, unread: $unread, presenceId: $me,
      last: $last) { edges { node { body } } }
  }`;
  const read = async (variables: object) => {
    const { data, errors } = await service.graphql(wallet, query, { org: orgId, ...variables });
    expect(errors).toBeUndefined();
    return data.roomMessages.edges.map(({ node }: { node: { body: string } }) => node.body).join();
  };
  expect(await read({ thread: 't' })).toBe('2,3,6');
  expect(await read({ thread: 't', last: 2 })).toBe('3,6');
  expect(await read({ to: 'ME', me: ada, last: 2 })).toBe('4,6');
  expect(await read({ unread: true, me: ada })).toBe('1,2,3,4,5,6');
  expect(await read({ unread: true, me: ada })).toBe('');
  const nobody = await service.graphql(wallet, query, { org: orgId, to: 'ME' });
  expect(nobody.errors?.[0]?.extensions.code).toBe('VALIDATION_FAILED');
});
