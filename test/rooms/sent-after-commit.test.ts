import { afterAll, expect, test } from 'vitest';
import { expectRefusal } from '../helpers/documented.ts';
import { startService } from '../helpers/service.ts';
import { hidePresencesAtCommit } from './hidden-presences.ts';
import { roomsOf } from './room.ts';

const service = await startService({ jobs: false });
afterAll(() => service.stop());
const newRoom = roomsOf(service);

test('when who is live cannot be read, the refusal says that the message was sent; its key tells the rest', async () => {
  const { post, get, count } = await newRoom();
  await post('/presences', { requested_name: 'Ada' });
  const bringBack = await hidePresencesAtCommit(service.control, 'room_messages');
  const headers = { 'idempotency-key': 'once' };
  const body = { body: 'hello', requested_name: 'Bob' };
  const refused = await post('/messages', body, undefined, { headers });
  await bringBack();

  const [sent] = (await get('/messages')).body.messages;
  expectRefusal(refused, 'UPSTREAM_UNAVAILABLE', { dependency: 'database', message_id: sent.message_id });
  expect(refused.body).toMatchObject({ mutation_state: 'committed', safe_to_retry: true });
  const again = await post('/messages', body, undefined, { headers });
  expect(again).toMatchObject({
    status: 201,
    body: { message_id: sent.message_id, deduplicated: false, live_presences: [{ name: 'Ada' }] },
  });
  expect([await count('room_messages'), await count('room_presences')]).toEqual([1, 2]);
});
