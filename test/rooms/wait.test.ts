import { afterAll, expect, test } from 'vitest';
import { expectRefusal } from '../helpers/documented.ts';
import { startService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import { roomsOf } from './room.ts';

const service = await startService();
afterAll(() => service.stop());
const newRoom = roomsOf(service);

/** Resolves once so many held reads sleep, as the metrics tell. */
const sleeping = (count: number) => until(async () => expect(await service.gauge('feed_followers')).toBe(count));

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

test.each(['0', '-3'])('a wait of "%s" seconds is a wait of one', async (seconds) => {
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

test.each(['membership', 'session', 'principal'] as const)(
  'a reader whose %s ends during a hold gets nothing of what is said afterwards',
  async (right) => {
    const { orgId, post, get, member } = await newRoom();
    const guest = await member();
    const held = get('/messages?wait=25', guest);
    await sleeping(1);
    const { principalId, sessionId } = guest;
    await {
      membership: () =>
        service.control.sql(`update memberships set status = 'revoked' where org_id = $1 and principal_id = $2`, [
          orgId,
          principalId,
        ]),
      session: () => service.control.sql('update sessions set revoked_at = now() where id = $1', [sessionId]),
      principal: () => service.control.sql('update principals set disabled_at = now() where id = $1', [principalId]),
    }[right]();
    await post('/messages', { body: 'not for those who left', requested_name: 'Ada' });
    const answer = await held;
    expectRefusal(answer, 'NOT_AUTHORIZED', { reason: 'member' });
    expect(answer.text).not.toContain('Ada');
  },
);

test('a delegate that is revoked during a hold is not told who is there when it ends', async () => {
  const { wallet, orgId, projectId } = await service.project();
  const delegate = await service.actors.delegate({ orgId, projectId, capabilities: ['read'] });
  const path = `/orgs/v1/${orgId}/rooms/${projectId}`;
  await service.call(wallet, 'POST', `${path}/presences`, { body: { requested_name: 'Ada' } });
  const held = service.call(delegate, 'GET', `${path}/messages?wait=1`);
  await sleeping(1);
  await service.control.sql('update delegates set revoked_at = now() where id = $1', [delegate.delegateId]);
  const { status, text } = await held;
  expect(status).toBe(403);
  expect(text).not.toContain('Ada');
});
