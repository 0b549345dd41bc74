import { afterAll, expect, test } from 'vitest';
import { pruneMessages } from '../../resolvers/rooms/prune-messages.ts';
import { jobContext } from '../../server/workers.ts';
import { startService } from '../helpers/service.ts';
import { roomsOf } from './room.ts';

const service = await startService({ jobs: false });
afterAll(() => service.stop());
const newRoom = roomsOf(service);

const prune = () => pruneMessages(jobContext(service.app.services, new AbortController().signal));

/** A room in which Ada was sent five messages, the first `old` of them so many days ago. */
async function aged(old: number, days: number) {
  const room = await newRoom();
  await room.post('/presences', { requested_name: 'Ada', session_key: 'ada' });
  const said: { cursor: string; message_id: string }[] = [];
  for (let n = 1; n <= 5; n++) {
    const body = { body: `${n}`, to: ['Ada'], thread_id: 't', session_key: 'bob', idempotency_key: `k${n}` };
    said.push((await room.post('/messages', body)).body);
  }
  const age = (upTo: number, by: number) =>
    service.control.sql(
      `update room_messages set created_at = now() - make_interval(days => $3) - interval '1 hour'
       where org_id = $1 and seq <= $2`,
      [room.orgId, upTo, by],
    );
  await age(old, days);
  const list = async (query = '') => (await room.get(`/messages?${query}`)).body;
  return { ...room, said, list, age };
}

const bodies = (page: { messages: { body_snippet: string }[] }) => page.messages.map((one) => one.body_snippet).join();

test('messages are kept for ninety days, and no longer', async () => {
  const kept = await aged(3, 89);
  const gone = await aged(3, 90);
  await prune();
  expect(bodies(await kept.list())).toBe('1,2,3,4,5');
  expect(bodies(await gone.list())).toBe('4,5');
  expect(bodies(await gone.list('order=desc'))).toBe('5,4');
  for (const filter of ['thread_id=t', 'addressed_to=me&session_key=ada', 'unread=true&session_key=ada']) {
    expect(bodies(await gone.list(`${filter}&order=desc`))).toBe('5,4');
  }
  expect((await gone.get(`/messages/${gone.said[0]!.message_id}`)).status).toBe(404);
});

test('a cursor from before starts over and says where; one that has missed nothing goes on', async () => {
  const { list, said } = await aged(3, 90);
  await prune();
  for (const cursor of [said[0]!.cursor, said[1]!.cursor]) {
    const page = await list(`cursor=${cursor}`);
    expect([bodies(page), page.reset]).toEqual(['4,5', true]);
    expect(bodies(await list(`cursor=${page.earliest_cursor}`))).toBe('4,5');
  }
  const missedNothing = await list(`cursor=${said[2]!.cursor}`);
  expect(bodies(missedNothing)).toBe('4,5');
  expect(missedNothing).not.toHaveProperty('reset');
});

test('a room that is emptied goes on where it was', async () => {
  const { list, said, post, get } = await aged(5, 100);
  await prune();
  expect((await list(`cursor=${said[0]!.cursor}`)).reset).toBe(true);
  expect(bodies(await list(`cursor=${said[4]!.cursor}`))).toBe('');
  // Its keys are forgotten with it.
  const sent = await post('/messages', { body: '6', session_key: 'bob', idempotency_key: 'k1' });
  expect(sent.status).toBe(201);
  expect(bodies(await list(`cursor=${said[4]!.cursor}`))).toBe('6');
  expect((await get('')).body.last_activity_at).not.toBeNull();
});

test('more than one batch goes at once, with whom the messages named', async () => {
  const { orgId, list, age } = await aged(0, 0);
  await service.control.sql(
    `insert into room_messages (org_id, room_key, seq, id, sender_presence_id, sender_name, principal_id, body,
       importance, ack_required, recipients)
     select org_id, room_key, seq + n * 5, id || '_' || n, sender_presence_id, sender_name, principal_id, body,
       importance, ack_required, recipients
     from room_messages, generate_series(1, 499) n where org_id = $1`,
    [orgId],
  );
  await service.control.sql(
    `insert into room_addressees (org_id, presence_id, seq)
     select org_id, presence_id, seq + n * 5 from room_addressees, generate_series(1, 499) n where org_id = $1`,
    [orgId],
  );
  await service.control.sql(`update feed_heads set position = 2500 where org_id = $1 and kind = 'room'`, [orgId]);
  await age(2_498, 91);
  await prune();
  const [left] = await service.control.sql(
    `select (select count(*)::int from room_messages where org_id = $1) as messages,
       (select count(*)::int from room_addressees where org_id = $1) as named,
       (select floor::int from feed_heads where org_id = $1 and kind = 'room') as floor`,
    [orgId],
  );
  expect(left).toEqual({ messages: 2, named: 2, floor: 2_498 });
  expect(bodies(await list())).toBe('4,5');
});

test('what seems old behind something newer stays until that is old too, so that nothing is missing in between', async () => {
  const { orgId, list } = await aged(5, 100);
  await service.control.sql('update room_messages set created_at = now() where org_id = $1 and seq = 3', [orgId]);
  await prune();
  expect(bodies(await list())).toBe('3,4,5');
});

test('two nodes that clean up at once, with senders beside them, lose nothing that is young', async () => {
  const { list, post } = await aged(4, 95);
  const sends = Array.from({ length: 10 }, (_, n) => post('/messages', { body: 'new', session_key: `s${n}` }));
  await Promise.all([prune(), prune(), prune(), ...sends]);
  expect(bodies(await list())).toBe(['5', ...Array(10).fill('new')].join());
});
