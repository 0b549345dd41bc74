import { afterAll, expect, test } from 'vitest';
import { housekeepingTask } from '../../server/housekeeping.ts';
import { expectRefusal } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { until } from '../helpers/until.ts';
import { hidePresencesAtCommit } from '../rooms/hidden-presences.ts';
import { claimRoomsOf } from './claim-room.ts';

const service = await sharedService();
afterAll(() => service.stop());
const newRoom = claimRoomsOf(service);
const { sql } = service.control;

test('when what stands against a claim cannot be read, the refusal says that the claim was made; its key tells the rest', async () => {
  const { claim, post, claims } = await newRoom();
  await claim('deploy', { requested_name: 'Ada' });
  const bringBack = await hidePresencesAtCommit(service.control, 'room_claims');
  const headers = { 'idempotency-key': 'once' };
  const body = { resource: 'deploy', mode: 'shared', requested_name: 'Bob' };
  const refused = await post('/claims', body, undefined, { headers });
  await bringBack();

  const [made] = await claims();
  expectRefusal(refused, 'UPSTREAM_UNAVAILABLE', { dependency: 'database', claim_id: made!.claim_id });
  expect(refused.body).toMatchObject({ mutation_state: 'committed', safe_to_retry: true });
  const again = await post('/claims', body, undefined, { headers });
  expect(again.status).toBe(201);
  expect(again.body).toMatchObject({ claim_id: made!.claim_id, conflicts: [{ holder: 'Ada' }] });
  expect(await claims()).toHaveLength(2);
});

test('claims that have been over for ninety days are forgotten, and no others', async () => {
  const { claim, claims, orgId } = await newRoom();
  const overFor = async (resource: string, interval: string) => {
    const { claim_id } = (await claim(resource, { session_key: 's' })).body;
    await sql(`update room_claims set expires_at = now() - $3::interval where org_id = $1 and id = $2`, [
      orgId,
      claim_id,
      interval,
    ]);
  };
  await overFor('old', '90 days 1 minute');
  await overFor('recent', '89 days');
  await claim('standing', { session_key: 's' });
  await sql(`select graphile_worker.add_job($1, job_key => $1)`, [housekeepingTask]);
  await until(async () => {
    const kept = (await claims('?include_inactive=true')).map(({ resource }) => resource);
    expect(kept).toEqual(['standing', 'recent']);
  });
});
