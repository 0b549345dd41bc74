import { afterAll, expect, test, vi } from 'vitest';
import { startService } from '../helpers/service.ts';
import { roomsOf } from './room.ts';

const service = await startService();
afterAll(() => service.stop());
const newRoom = roomsOf(service);

/** Resolves once so many held reads sleep, as the metrics tell. */
const sleeping = (count: number) =>
  vi.waitFor(async () => {
    const { text } = await service.call(service.actors.nobody, 'GET', '/metrics');
    expect(text).toMatch(new RegExp(`^feed_followers ${count}$`, 'm'));
  }, 10_000);

test('a held read answers at once when there are messages, and says that it was held', async () => {
  const { post, get } = await newRoom();
  await post('/messages', { body: 'already here', requested_name: 'Ada' });
  const { body } = await get('/messages?wait=25');
  expect(body).toMatchObject({ messages: [{ body_snippet: 'already here' }], waited_ms: expect.any(Number) });
  expect(body.live_presences).toMatchObject([{ name: 'Ada' }]);
});

test('a read that was not asked to wait says nothing of waiting', async () => {
  const { get } = await newRoom();
  const { body } = await get('/messages');
  for (const held of ['waited_ms', 'live_presences']) expect(body).not.toHaveProperty(held);
});

test('a held read wakes for the first message, also in a room that nobody has used', async () => {
  const { post, get } = await newRoom();
  const held = get('/messages?wait=25');
  await sleeping(1);
  const sent = (await post('/messages', { body: 'wake up' })).body;
  const { body } = await held;
  expect(body).toMatchObject({ messages: [{ message_id: sent.message_id }], cursor: sent.cursor, has_more: false });
  const next = get(`/messages?wait=25&cursor=${body.cursor}`);
  await sleeping(1);
  const second = (await post('/messages', { body: 'again' })).body;
  expect((await next).body.messages).toMatchObject([{ message_id: second.message_id }]);
  await sleeping(0);
});

test('a message in another room wakes nobody here', async () => {
  const quiet = await newRoom();
  const loud = await newRoom();
  const held = quiet.get('/messages?wait=2');
  await sleeping(1);
  await loud.post('/messages', { body: 'not for you' });
  expect((await held).body.messages).toEqual([]);
});

test('a hold in which nothing comes ends empty with the cursor it began with', async () => {
  const { post, get } = await newRoom();
  const me = (await post('/presences', { requested_name: 'Me' })).body;
  const { cursor } = (await post('/messages', { body: 'x', requested_name: 'Other' })).body;
  const { status, body } = await get(`/messages?wait=1&cursor=${cursor}&presence_id=${me.presence_id}`);
  expect([status, body.messages, body.cursor, body.has_more]).toEqual([200, [], cursor, false]);
  expect(body.waited_ms).toBeGreaterThanOrEqual(1_000);
  // The reader itself is left out.
  expect(body.live_presences).toMatchObject([{ name: 'Other' }]);
});

test.each(['0', '-3', '0.2', ''])('a wait of "%s" seconds is a wait of one', async (seconds) => {
  const { get } = await newRoom();
  expect((await get(`/messages?wait=${seconds}`)).body.waited_ms).toBeGreaterThanOrEqual(1_000);
});

test('a wait beyond 25 seconds is taken for 25', async () => {
  const { get, post } = await newRoom();
  const held = get('/messages?wait=86400');
  await sleeping(1);
  await post('/messages', { body: 'x' });
  expect((await held).body.messages).toHaveLength(1);
});

test('a reader that goes away is waited for no longer', async () => {
  const { wallet, path } = await newRoom();
  const gone = new AbortController();
  const headers = await wallet.headers(`${path}/messages`);
  const held = fetch(`${service.url}${path}/messages?wait=25`, { headers, signal: gone.signal });
  await sleeping(1);
  gone.abort();
  await expect(held).rejects.toThrow();
  await sleeping(0);
});
