import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { keepLeaseMode } from '../../resolvers/orgs/shared/lease-mode.ts';
import type { App } from '../../server/app.ts';
import { jobContext } from '../../server/workers.ts';
import { documentedCalls } from '../helpers/documented.ts';
import { startService } from '../helpers/service.ts';

const service = await startService({ env: { SVC_LEASES: 'on' }, nodes: 1 });
afterAll(() => service.stop());
const call = documentedCalls(service);
const { admin } = service.actors;
const { sql } = service.control;
const { port } = new URL(service.url);

/** Stops the gateway and starts it in the same place, as an operator would who changes the setting. */
let running: App = service.app;
async function restart(leases: 'on' | 'off') {
  await running.stop();
  running = await service.startNode({ SVC_LEASES: leases, PORT: port });
}

const leaseOf = async (orgId: string) =>
  (
    await sql<{ perpetual: boolean; state: string }>(
      'select lease_perpetual as perpetual, lifecycle_state as state from orgs where id = $1',
      [orgId],
    )
  )[0];
const pinsOf = (orgId: string) =>
  sql<{ pinned: boolean; by: string }>(
    `select details->'lease_perpetual' as pinned, actor->'authority'->>'reason_code' as by
     from audit_events where org_id = $1 and action = 'org.lease_perpetual_set' order by seq`,
    [orgId],
  );
const release = (orgId: string) =>
  call(admin, 'POST', `/orgs/v1/admin/${orgId}/lease-perpetual`, { body: { lease_perpetual: false } });
const inState = (orgId: string, state: string) =>
  sql(`update orgs set lifecycle_state = $2, lease_expires_at = now() - interval '60 days' where id = $1`, [
    orgId,
    state,
  ]);
const pinned = { perpetual: true, state: 'active' };
const byStart = { pinned: true, by: 'leases_off' };

test('turning leases off pins every organization once, and the platform admin has the last word', async () => {
  const frozen = await service.owner();
  const purged = await service.owner();
  const running = await service.owner();
  expect(await leaseOf(running.orgId)).toEqual({ perpetual: false, state: 'active' });
  await inState(frozen.orgId, 'frozen');
  await inState(purged.orgId, 'purged');

  await restart('off');
  expect(await leaseOf(frozen.orgId)).toEqual(pinned);
  expect(await leaseOf(running.orgId)).toEqual(pinned);
  // Nothing brings its projects back.
  expect(await leaseOf(purged.orgId)).toEqual({ perpetual: false, state: 'purged' });
  expect(await pinsOf(frozen.orgId)).toEqual([byStart]);
  expect(await pinsOf(purged.orgId)).toEqual([]);
  const made = await service.owner();
  expect(await leaseOf(made.orgId)).toEqual(pinned);

  expect((await release(running.orgId)).status).toBe(200);
  await restart('off');
  expect(await leaseOf(running.orgId)).toEqual({ perpetual: false, state: 'active' });
  expect(await pinsOf(running.orgId)).toEqual([byStart, { pinned: false, by: 'platform_admin' }]);
  expect(await pinsOf(frozen.orgId)).toEqual([byStart]);
});

test('turning leases on leaves pinned organizations alone, and turning them off again pins the rest', async () => {
  const old = await service.owner();
  await restart('on');
  expect(await leaseOf(old.orgId)).toEqual(pinned);
  const sold = await service.owner();
  expect(await leaseOf(sold.orgId)).toEqual({ perpetual: false, state: 'active' });
  await restart('off');
  expect(await leaseOf(sold.orgId)).toEqual(pinned);
  expect(await pinsOf(sold.orgId)).toEqual([byStart]);
  expect(await pinsOf(old.orgId)).toEqual([]);
});

test('a lease that was given away while leases were off is not refunded once they are on', async () => {
  const { wallet, orgId } = await service.owner();
  expect((await call(wallet, 'POST', '/tiers/v1/hobby', { body: { org_id: orgId } })).status).toBe(200);
  await restart('on');
  await release(orgId);
  await call(admin, 'POST', `/orgs/v1/admin/${orgId}/credits`, { body: { amount_usd_micros: 20_000_000 } });
  const raised = await call(wallet, 'POST', '/tiers/v1/team', { body: { org_id: orgId } });
  expect(raised.body).toMatchObject({ action: 'upgrade', allowance_remaining_usd_micros: 0 });
});

test('an organization that is made while several nodes turn leases off is pinned in any case', async () => {
  await restart('on');
  const ids = Array.from({ length: 1_100 }, () => randomUUID());
  await sql(
    `insert into orgs (id, tier, lease_perpetual, lease_started_at, lease_expires_at)
     select id, 'prototype', false, now(), now() + interval '1 day' from unnest($1::uuid[]) id`,
    [ids],
  );
  const [before] = await sql<{ seq: string }>('select max(seq) as seq from audit_events');
  const node = () => {
    const { services } = running;
    const settings = { ...services.settings, leases: false };
    return keepLeaseMode(jobContext({ ...services, settings }, new AbortController().signal));
  };
  const [made, ...pinnedBy] = await Promise.all([
    Promise.all(Array.from({ length: 20 }, () => service.owner())),
    node(),
    node(),
    node(),
  ]);
  const orgIds = [...ids, ...made.map(({ orgId }) => orgId)];
  expect(await sql('select id from orgs where id = any($1) and not lease_perpetual', [orgIds])).toEqual([]);
  const [rows] = await sql<{ pins: number; orgs: number }>(
    `select count(*)::int as pins, count(distinct org_id)::int as orgs from audit_events
     where seq > $1 and action = 'org.lease_perpetual_set'`,
    [before!.seq],
  );
  expect(rows).toEqual({ pins: pinnedBy.reduce((sum, one) => sum + one, 0), orgs: rows!.pins });
  expect(rows!.pins).toBeGreaterThanOrEqual(ids.length);
});

test.each([
  ['that was killed midway', `update platform_facts set value = '"pinning"' where key = 'leases'`],
  ['of a version that knew no such setting', `delete from platform_facts where key = 'leases'`],
])('a start after one %s pins what has a lease', async (_what, before) => {
  await restart('on');
  const { orgId } = await service.owner();
  await sql(before);
  await restart('off');
  expect(await leaseOf(orgId)).toEqual(pinned);
  expect(await pinsOf(orgId)).toEqual([byStart]);
});
