import { afterAll, expect, test } from 'vitest';
import { pruneChanges } from '../../kernel/feeds/changes.ts';
import { jobContext } from '../../server/workers.ts';
import { startService } from '../helpers/service.ts';
import { followsOf } from '../rooms/room-changes.ts';
import { claimRoomsOf } from './claim-room.ts';

const service = await startService();
afterAll(() => service.stop());
const newRoom = claimRoomsOf(service);
const follow = followsOf(service, 'roomClaims');

test('what is claimed, released and freed is told in order', async () => {
  const room = await newRoom();
  const ada = await room.join('Ada');
  const first = (await room.claim('deploy', { presence_id: ada })).body.claim_id;
  const { told, changes } = await follow(room);
  expect(await told(1)).toEqual(['deploy ACTIVE']);
  await room.claim('table:a', { presence_id: ada });
  await room.remove(`/claims/${first}`);
  await room.remove(`/claims/${first}`);
  await room.remove(`/presences/${ada}`);
  expect(await told(4)).toEqual(['deploy ACTIVE', 'table:a ACTIVE', 'deploy RELEASED', 'table:a RELEASED']);
  expect(changes().every(({ claim }) => claim!.holder === 'Ada')).toBe(true);
});

test('a claim that is refused, or sent again under its key, is not told of', async () => {
  const room = await newRoom();
  const headers = { 'idempotency-key': 'once' };
  const body = { resource: 'deploy', mode: 'shared', session_key: 's' };
  for (let n = 0; n < 3; n++) await room.post('/claims', body, undefined, { headers });
  await room.claim('table:a', { presence_id: 'prs_nobody' });
  await room.claim('table:b', { session_key: 's' });
  const { told } = await follow(room);
  expect(await told(2)).toEqual(['deploy ACTIVE', 'table:b ACTIVE']);
});

test('of a holder, only its claims are told of', async () => {
  const room = await newRoom();
  const { told } = await follow(room, { holder: 'Bob' });
  await room.claim('deploy', { requested_name: 'Ada' });
  await room.claim('table:a', { requested_name: 'Bob' });
  await room.claim('table:b', { requested_name: 'Bob' });
  expect(await told(1)).toEqual(['table:a ACTIVE']);
});

test('whoever resumes behind what is kept begins anew, and is told so', async () => {
  const room = await newRoom();
  for (let n = 0; n < 3; n++) await room.claim(`thing ${n}`, { session_key: 's' });
  const whole = await follow(room);
  await whole.told(3);
  const [first, second] = whole.changes();
  expect(first!.cursor).toMatch(/^ccr_/);
  await service.control.sql(
    `update feed_changes set created_at = now() - interval '7 days 1 minute'
     where org_id = $1 and kind = 'claims' and position <= 2`,
    [room.orgId],
  );
  await pruneChanges(jobContext(service.app.services, new AbortController().signal));
  const behind = await follow(room, { after: first!.cursor });
  expect(await behind.told(1)).toEqual(['thing 2 ACTIVE']);
  expect(behind.changes()[0]!.reset).toBe(true);
  // At the very end of what is gone nothing was missed.
  const at = await follow(room, { after: second!.cursor });
  expect(await at.told(1)).toEqual(['thing 2 ACTIVE']);
  expect(at.changes()[0]!.reset).toBe(false);
  // The claims themselves are all there.
  expect(await room.claims()).toHaveLength(3);
});

test('whoever loses the right to the room is cut off', async () => {
  const room = await newRoom();
  const member = await room.member();
  const follower = await follow(room, {}, member);
  await room.claim('deploy');
  await follower.told(1);
  const path = `/orgs/v1/${room.orgId}/members/${member.principalId}`;
  expect((await service.call(room.wallet, 'DELETE', path)).status).toBeLessThan(300);
  expect(await follower.refusal()).toBe('NOT_AUTHORIZED');
  await room.claim('table:a');
  expect(follower.changes()).toHaveLength(1);
});

test('those who follow alike cost one execution of each change', async () => {
  const room = await newRoom();
  const executed = () => service.gauge('subscription_events_executed_total');
  const all = [];
  for (let n = 0; n < 5; n++) all.push(await follow(room, {}, n % 2 === 0 ? room.wallet : await room.member()));
  // All have read what there is by the time that they get this.
  await room.claim('settled', { session_key: 's' });
  for (const { told } of all) await told(1);
  const before = await executed();
  for (let n = 0; n < 3; n++) await room.claim(`thing ${n}`, { session_key: 's' });
  for (const { told } of all) await told(4);
  expect((await executed()) - before).toBe(3);
});

test('what a change says of its claim is as it was then; what depends on others is as it is now', async () => {
  const room = await newRoom();
  await room.claim('deploy', { requested_name: 'Ada' });
  const { claim_id } = (await room.claim('deploy', { requested_name: 'Bob' })).body;
  await room.remove(`/claims/${claim_id}`);
  const events: unknown[] = [];
  const { socket, told } = await follow(room);
  await told(3);
  socket.subscribe(
    'more',
    `subscription ($org: ID!) { roomClaims(org: $org, room: "standup", first: 3) {
      claim { state holderPresence { name state } conflicts { edges { node { holder } } } }
    } }`,
    { variables: { org: room.orgId } },
  );
  await socket.next('complete', 'more');
  for (const { id, type, payload } of socket.seen)
    if (id === 'more' && type === 'next') events.push(payload.data.roomClaims.claim);
  const none = { edges: [] };
  expect(events).toEqual([
    { state: 'ACTIVE', holderPresence: { name: 'Ada', state: 'ACTIVE' }, conflicts: none },
    { state: 'ACTIVE', holderPresence: { name: 'Bob', state: 'ACTIVE' }, conflicts: none },
    { state: 'RELEASED', holderPresence: { name: 'Bob', state: 'ACTIVE' }, conflicts: none },
  ]);
});
