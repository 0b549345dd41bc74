import { afterAll, expect, test } from 'vitest';
import type { Actor } from '../helpers/actors.ts';
import { documentedCalls, expectRefusal, moment } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';

// As a gateway is that nobody configured: leases are off.
const service = await sharedService();
afterAll(() => service.stop());
const call = documentedCalls(service);
const { nobody, admin } = service.actors;

const set = (actor: Actor, tier: string, orgId?: string) =>
  call(actor, 'POST', `/tiers/v1/${tier}`, { body: orgId === undefined ? {} : { org_id: orgId } });
const historyOf = async (orgId: string) =>
  (await call(admin, 'GET', `/orgs/v1/${orgId}/billing/history`)).body.entries as unknown[];
const endless = { lease: 'perpetual', lease_days: null, lease_expires_at: null, lease_perpetual: true, active: true };

test('the price list says in every row that nothing is asked for and nothing ends', async () => {
  const { body } = await call(nobody, 'GET', '/tiers/v1');
  for (const tier of Object.values<object>(body.tiers))
    expect(tier).toMatchObject({ price: '$0.00', lease: 'perpetual', lease_days: null });
  const { data } = await service.graphql(nobody, '{ tiers { edges { node { priceUsdMicros free leaseDays } } } }');
  expect(data.tiers.edges).toEqual(
    Array.from({ length: 3 }, () => ({ node: { priceUsdMicros: 0, free: true, leaseDays: null } })),
  );
  expect(JSON.stringify(body)).not.toMatch(/week|renew|expire/i);
});

test('a new organization never ends, wherever one looks', async () => {
  const { wallet, orgId, projectId, serviceKey } = await service.project();
  const status = (await call(wallet, 'GET', '/tiers/v1/status')).body;
  expect(status).toMatchObject({ ...endless, tier: 'prototype', organization_lifecycle_state: 'active' });
  expect(status.projects).toMatchObject([{ lease_perpetual: true, effective_status: 'active' }]);
  expect((await call(wallet, 'GET', `/orgs/v1/${orgId}`)).body.lease_expires_at).toBeNull();
  expect((await call(wallet, 'GET', `/orgs/v1/${orgId}/billing`)).body.lease_expires_at).toBeNull();
  const usage = await call(service.actors.bearer(serviceKey), 'GET', `/projects/v1/admin/${projectId}/usage`);
  expect(usage.body.lease_expires_at).toBeNull();
  const { data } = await service.graphql(
    wallet,
    `{ whoami { memberships { edges { node { organization { leaseExpiresAt leasePerpetual lifecycleState } } } } }
       tierStatus { offer { leaseDays priceUsdMicros } } }`,
  );
  expect(data).toEqual({
    whoami: {
      memberships: {
        edges: [{ node: { organization: { leaseExpiresAt: null, leasePerpetual: true, lifecycleState: 'ACTIVE' } } }],
      },
    },
    tierStatus: { offer: { leaseDays: null, priceUsdMicros: 0 } },
  });
});

test('a member from billing up chooses any tier, up and down, and no money moves', async () => {
  const { wallet, orgId } = await service.owner();
  await call(admin, 'POST', `/orgs/v1/admin/${orgId}/credits`, { body: { amount_usd_micros: 50_000_000 } });
  const steps = [
    ['team', 'upgrade', 'prototype'],
    ['hobby', 'downgrade', 'team'],
    ['prototype', 'downgrade', 'hobby'],
    ['hobby', 'upgrade', 'prototype'],
  ] as const;
  for (const [tier, action, previous_tier] of steps) {
    const answer = await set(wallet, tier, orgId);
    expect(answer.status).toBe(200);
    expect(answer.body).toStrictEqual({
      wallet: wallet.address,
      org_id: orgId,
      action,
      tier,
      previous_tier,
      lease_started_at: moment,
      lease_expires_at: null,
      allowance_remaining_usd_micros: 50_000_000,
    });
  }
  expect((await set(wallet, 'hobby', orgId)).body).toMatchObject({ status: 'already_active', lease: 'perpetual' });
  expect(await historyOf(orgId)).toHaveLength(1);
  expect((await call(wallet, 'GET', '/tiers/v1/status')).body).toMatchObject({ ...endless, tier: 'hobby' });
  const changes = await service.control.sql(
    `select details->>'action' as action from audit_events where org_id = $1 and action = 'tier.changed' order by seq`,
    [orgId],
  );
  expect(changes.map(({ action }) => action)).toEqual(steps.map(([, action]) => action));
});

test('a viewer and a stranger choose no tier', async () => {
  const { orgId } = await service.owner();
  const viewer = await service.actors.session();
  await service.actors.member(orgId, viewer.principalId, 'viewer');
  for (const actor of [viewer, service.actors.wallet()])
    expectRefusal(await set(actor, 'team', orgId), 'NOT_AUTHORIZED');
});

test('a wallet without an organization gets one on the tier that it names', async () => {
  const wallet = service.actors.wallet();
  const made = await set(wallet, 'team');
  expect(made).toMatchObject({ status: 201, body: { action: 'subscribe', tier: 'team', lease_expires_at: null } });
});

test('a caller without a credential is asked to sign in, and not to pay', async () => {
  expectRefusal(await set(nobody, 'hobby'), 'AUTH_REQUIRED');
});
