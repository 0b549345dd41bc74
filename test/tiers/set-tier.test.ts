import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import type { Actor } from '../helpers/actors.ts';
import { documentedCalls, expectRefusal, moment } from '../helpers/documented.ts';
import { startService } from '../helpers/service.ts';

const service = await startService({ env: { SVC_LEASES: 'on' } });
afterAll(() => service.stop());
const call = documentedCalls(service);
const { admin } = service.actors;

const dayMs = 86_400_000;
const hobbyPrice = 5_000_000;
const teamPrice = 20_000_000;

const set = (actor: Actor, tier: string, orgId?: string, key?: string) =>
  call(actor, 'POST', `/tiers/v1/${tier}`, {
    body: orgId === undefined ? {} : { org_id: orgId },
    headers: key === undefined ? {} : { 'idempotency-key': key },
  });
const credit = (orgId: string, amount: number) =>
  call(admin, 'POST', `/orgs/v1/admin/${orgId}/credits`, { body: { amount_usd_micros: amount } });
/** An owner whose organization has money. */
async function payer(amount: number) {
  const owner = await service.owner();
  await credit(owner.orgId, amount);
  return owner;
}
const available = async (orgId: string) =>
  (await call(admin, 'GET', `/orgs/v1/${orgId}/billing`)).body.available_usd_micros;
const kindsOf = async (orgId: string) =>
  (await call(admin, 'GET', `/orgs/v1/${orgId}/billing/history`)).body.entries.map(
    (entry: { kind: string; amount_usd_micros: number }) => [entry.kind, entry.amount_usd_micros],
  );
/** Moves the lease as if so many days had passed. */
const daysLater = (orgId: string, days: number) =>
  service.control.sql(
    `update orgs set lease_started_at = lease_started_at - make_interval(days => $2),
       lease_expires_at = lease_expires_at - make_interval(days => $2),
       usage_since = usage_since - make_interval(days => $2) where id = $1`,
    [orgId, days],
  );
const rowOf = async (orgId: string) =>
  (
    await service.control.sql<{ tier: string; state: string; since: Date; started: Date; expires: Date; now: Date }>(
      `select tier, lifecycle_state as state, usage_since as since, lease_started_at as started,
         lease_expires_at as expires, now() from orgs where id = $1`,
      [orgId],
    )
  )[0]!;
const lengthOf = (body: { lease_started_at: string; lease_expires_at: string }) =>
  (Date.parse(body.lease_expires_at) - Date.parse(body.lease_started_at)) / dayMs;

const setField = `mutation ($input: SetOrganizationTierInput!) { setOrganizationTier(input: $input) {
  orgId tier role lifecycleState leaseStartedAt leaseExpiresAt billing { availableUsdMicros } } }`;

test('a paid tier is taken from the balance, renewed from the end of its lease, and raised with a refund', async () => {
  const { wallet, orgId } = await payer(hobbyPrice * 2 + teamPrice);
  const upgraded = await set(wallet, 'hobby');
  expect(upgraded.status).toBe(200);
  expect(upgraded.body).toStrictEqual({
    wallet: wallet.address,
    org_id: orgId,
    action: 'upgrade',
    tier: 'hobby',
    previous_tier: 'prototype',
    lease_started_at: moment,
    lease_expires_at: moment,
    allowance_remaining_usd_micros: hobbyPrice + teamPrice,
  });
  expect(lengthOf(upgraded.body)).toBe(30);

  const renewed = await set(wallet, 'hobby');
  expect(renewed).toMatchObject({ status: 200, body: { action: 'renew', previous_tier: 'hobby' } });
  expect(renewed.body.lease_started_at).toBe(upgraded.body.lease_started_at);
  expect(lengthOf(renewed.body)).toBe(60);

  // Half of what was paid is left.
  await daysLater(orgId, 30);
  const raised = await set(wallet, 'team');
  expect(raised).toMatchObject({ status: 200, body: { action: 'upgrade', tier: 'team', previous_tier: 'hobby' } });
  expect(lengthOf(raised.body)).toBe(30);
  const refund = raised.body.allowance_remaining_usd_micros;
  // A moment has passed since it was paid, so it is a little less than half, and never more.
  expect(refund).toBeLessThanOrEqual(hobbyPrice);
  expect(refund).toBeGreaterThan(hobbyPrice * 0.99);
  expect(await kindsOf(orgId)).toEqual([
    ['tier_fee', teamPrice],
    ['tier_refund', refund],
    ['tier_fee', hobbyPrice],
    ['tier_fee', hobbyPrice],
    ['adjustment', hobbyPrice * 2 + teamPrice],
  ]);
  const trail = await service.control.sql(
    `select details->>'action' as action, details->>'tier' as tier from audit_events
     where org_id = $1 and action = 'tier.changed' order by seq`,
    [orgId],
  );
  expect(trail).toEqual([
    { action: 'upgrade', tier: 'hobby' },
    { action: 'renew', tier: 'hobby' },
    { action: 'upgrade', tier: 'team' },
  ]);
});

test('what is left of a lease pays for the higher tier that takes its place', async () => {
  const { wallet, orgId } = await payer(hobbyPrice + 16_000_000);
  await set(wallet, 'hobby');
  const raised = await set(wallet, 'team');
  expect([raised.status, raised.body.action]).toEqual([200, 'upgrade']);
  const left = raised.body.allowance_remaining_usd_micros;
  expect(left).toBeGreaterThanOrEqual(0);
  expect(left).toBeLessThanOrEqual(1_000_000);
  const { body } = await call(wallet, 'GET', `/orgs/v1/${orgId}/billing/history`);
  expect(body.entries.slice(0, 2)).toMatchObject([
    { kind: 'tier_fee', amount_usd_micros: teamPrice, balance_after_available: left },
    { kind: 'tier_refund', balance_after_available: left + teamPrice },
  ]);
});

test('what even the rest of the old lease does not make up for is 402, and nothing is refunded', async () => {
  const { wallet, orgId } = await payer(hobbyPrice + 14_000_000);
  await set(wallet, 'hobby');
  const before = await kindsOf(orgId);
  const refused = await set(wallet, 'team');
  expectRefusal(refused, 'PAYMENT_REQUIRED', { tier: 'team', required_usd_micros: teamPrice });
  // What the balance does not cover is paid on chain, or the balance is added to.
  expect(refused.body.next_actions).toMatchObject([{ type: 'submit_payment' }, { type: 'fund_wallet' }]);
  expect(await kindsOf(orgId)).toEqual(before);
  expect(await available(orgId)).toBe(14_000_000);
});

test('GraphQL sets the same tier, and shows what it has become', async () => {
  const { wallet, orgId } = await payer(hobbyPrice + 1);
  const { data, errors } = await service.graphql(wallet, setField, { input: { tier: 'HOBBY', org: orgId } });
  expect(errors).toBeUndefined();
  expect(data.setOrganizationTier).toEqual({
    orgId,
    tier: 'HOBBY',
    role: 'OWNER',
    lifecycleState: 'ACTIVE',
    leaseStartedAt: moment,
    leaseExpiresAt: moment,
    billing: { availableUsdMicros: 1 },
  });
  const rest = (await call(wallet, 'GET', `/orgs/v1/${orgId}`)).body;
  expect([rest.tier, rest.lease_expires_at]).toEqual(['hobby', data.setOrganizationTier.leaseExpiresAt]);
  const poor = await service.graphql(wallet, setField, { input: { tier: 'TEAM' } });
  expect(poor.errors).toMatchObject([
    {
      extensions: {
        code: 'PAYMENT_REQUIRED',
        details: { tier: 'team', required_usd_micros: teamPrice, available_usd_micros: expect.any(Number) },
      },
    },
  ]);
  // With what is left of the lease, which the new one would have taken the place of.
  const { available_usd_micros } = poor.errors![0]!.extensions.details as { available_usd_micros: number };
  expect(available_usd_micros).toBeGreaterThan(hobbyPrice * 0.99);
  expect(available_usd_micros).toBeLessThanOrEqual(hobbyPrice + 1);
});

test('what the balance does not cover is 402, changes nothing, and goes through under its key once it does', async () => {
  const { wallet, orgId } = await payer(hobbyPrice - 1);
  const before = await rowOf(orgId);
  const key = randomUUID();
  const details = { tier: 'hobby', required_usd_micros: hobbyPrice, available_usd_micros: hobbyPrice - 1 };
  expectRefusal(await set(wallet, 'hobby', orgId, key), 'PAYMENT_REQUIRED', details);
  expect({ ...(await rowOf(orgId)), now: null }).toEqual({ ...before, now: null });
  await credit(orgId, 1);
  const paid = await set(wallet, 'hobby', orgId, key);
  expect(paid.status).toBe(200);
  const again = await set(wallet, 'hobby', orgId, key);
  expect([again.status, again.body]).toEqual([200, paid.body]);
  expect(await available(orgId)).toBe(0);
});

test('the free tier is renewed without money from the end of its lease, a year ahead at most', async () => {
  const { wallet, orgId } = await service.owner();
  expect(lengthOf((await call(wallet, 'GET', `/orgs/v1/${orgId}`)).body)).toBe(7);
  const before = await rowOf(orgId);
  const renewed = await set(wallet, 'prototype');
  expect(renewed).toMatchObject({
    status: 200,
    body: { action: 'renew', tier: 'prototype', previous_tier: 'prototype', allowance_remaining_usd_micros: 0 },
  });
  expect(Date.parse(renewed.body.lease_expires_at) - before.expires.getTime()).toBe(7 * dayMs);
  // What it allows by number is not had anew by renewing early.
  expect((await rowOf(orgId)).since).toEqual(before.since);
  expect(await kindsOf(orgId)).toEqual([]);
  await service.control.sql(`update orgs set lease_expires_at = now() + interval '364 days' where id = $1`, [orgId]);
  await set(wallet, 'prototype');
  const { expires, now } = await rowOf(orgId);
  expect(Math.round((expires.getTime() - now.getTime()) / dayMs)).toBe(365);
  await daysLater(orgId, 7);
  await set(wallet, 'prototype');
  const after = await rowOf(orgId);
  expect(after.since.getTime()).toBeGreaterThan(before.since.getTime());
});

test('each paid lease brings its allowance of requests with it', async () => {
  const { wallet, orgId } = await payer(hobbyPrice * 2);
  const seen = [(await rowOf(orgId)).since.getTime()];
  for (let lease = 0; lease < 2; lease++) {
    await set(wallet, 'hobby');
    seen.push((await rowOf(orgId)).since.getTime());
  }
  expect(seen[1]).toBeGreaterThan(seen[0]!);
  expect(seen[2]).toBeGreaterThan(seen[1]!);
});

test('a lower tier waits for the end of the lease, and begins then', async () => {
  const { wallet, orgId } = await payer(teamPrice + hobbyPrice);
  await set(wallet, 'team');
  for (const tier of ['hobby', 'prototype']) {
    const refused = await set(wallet, tier);
    expectRefusal(refused, 'VALIDATION_FAILED', { field: 'tier' });
    expect(refused.body.message).toContain('wait for expiry');
  }
  await daysLater(orgId, 31);
  const lowered = await set(wallet, 'hobby');
  expect(lowered).toMatchObject({ status: 201, body: { action: 'subscribe', previous_tier: 'team' } });
  expect(await available(orgId)).toBe(0);
});

test.each(['past_due', 'frozen', 'dormant'])(
  'setting a tier makes an organization that is %s active at once',
  async (state) => {
    const { wallet, orgId } = await service.owner();
    await daysLater(orgId, 60);
    await service.control.sql(
      `update orgs set lifecycle_state = $2, lifecycle_entered_at = now() - interval '1 day' where id = $1`,
      [orgId, state],
    );
    const subscribed = await set(wallet, 'prototype', orgId);
    expect(subscribed).toMatchObject({ status: 201, body: { action: 'subscribe' } });
    expect(await rowOf(orgId)).toMatchObject({ state: 'active' });
    expect((await call(wallet, 'POST', '/projects/v1', { body: { org_id: orgId } })).status).toBe(201);
  },
);

test('a purged organization is not brought back; its wallet gets another of its own', async () => {
  const wallet = service.actors.wallet();
  const { org_id: orgId } = (await set(wallet, 'prototype')).body;
  await daysLater(orgId, 200);
  await service.control.sql(`update orgs set lifecycle_state = 'purged' where id = $1`, [orgId]);
  expectRefusal(await set(wallet, 'prototype', orgId), 'RESOURCE_NOT_FOUND');
  const fresh = await set(wallet, 'prototype');
  expect(fresh.status).toBe(201);
  expect(fresh.body.org_id).not.toBe(orgId);
  expect((await set(wallet, 'prototype')).body.org_id).toBe(fresh.body.org_id);
});

test('a wallet without an organization gets one on success, and none by a tier it cannot pay', async () => {
  const wallet = service.actors.wallet();
  expectRefusal(await set(wallet, 'team'), 'PAYMENT_REQUIRED', { available_usd_micros: 0 });
  expect((await call(wallet, 'GET', '/orgs/v1')).body.orgs).toEqual([]);
  const made = await set(wallet, 'prototype');
  expect(made.status).toBe(201);
  expect(made.body).toMatchObject({ action: 'subscribe', tier: 'prototype', previous_tier: null });
  expect(lengthOf(made.body)).toBe(7);
  const orgs = (await call(wallet, 'GET', '/orgs/v1')).body.orgs;
  expect(orgs).toMatchObject([{ org_id: made.body.org_id, role: 'owner' }]);
  // Projects go there, too.
  const project = await call(wallet, 'POST', '/projects/v1', { body: {} });
  expect(project.body.org_id).toBe(made.body.org_id);
});

test('ten first uses at once share one organization', async () => {
  const wallet = service.actors.wallet();
  const answers = await Promise.all([
    ...Array.from({ length: 5 }, () => set(wallet, 'prototype')),
    ...Array.from({ length: 5 }, () => call(wallet, 'POST', '/projects/v1', { body: {} })),
  ]);
  expect(new Set(answers.map(({ body }) => body.org_id)).size).toBe(1);
  expect((await call(wallet, 'GET', '/orgs/v1')).body.orgs).toHaveLength(1);
});

test('an organization that the wallet made itself is its own where it has no other', async () => {
  const { wallet, orgId } = await service.owner();
  const second = (await call(wallet, 'POST', '/orgs/v1', { body: {} })).body.org_id;
  expect(second).not.toBe(orgId);
  expect((await set(wallet, 'prototype')).body.org_id).toBe(orgId);
  expect((await call(wallet, 'POST', '/projects/v1', { body: {} })).body.org_id).toBe(orgId);
  expect((await call(wallet, 'GET', '/tiers/v1/status')).body.org_id).toBe(orgId);
  expect((await call(wallet, 'GET', `/orgs/v1/lookup?wallet=${wallet.address}`)).body.org_id).toBe(orgId);
});

test('twenty who set a paid tier at once each pay what they get, and never more than there is', async () => {
  const { wallet, orgId } = await payer(hobbyPrice * 3 + 7);
  const answers = await Promise.all(Array.from({ length: 20 }, () => set(wallet, 'hobby', orgId)));
  const paid = answers.filter(({ status }) => status === 200);
  expect(paid.map(({ body }) => body.action).sort()).toEqual(['renew', 'renew', 'upgrade']);
  for (const answer of answers.filter(({ status }) => status !== 200)) expectRefusal(answer, 'PAYMENT_REQUIRED');
  expect(await available(orgId)).toBe(7);
  const { started, expires } = await rowOf(orgId);
  expect((expires.getTime() - started.getTime()) / dayMs).toBe(90);
});

test('twenty with one key pay once', async () => {
  const { wallet, orgId } = await payer(hobbyPrice * 3);
  const key = randomUUID();
  const answers = await Promise.all(Array.from({ length: 20 }, () => set(wallet, 'hobby', orgId, key)));
  for (const { status, body } of answers) expect([status, body]).toEqual([200, answers[0]!.body]);
  expect(await available(orgId)).toBe(hobbyPrice * 2);
});

test('a perpetual lease is neither renewed nor paid again', async () => {
  const { wallet, orgId } = await payer(hobbyPrice);
  await call(admin, 'POST', `/orgs/v1/admin/${orgId}/lease-perpetual`, { body: { lease_perpetual: true } });
  const answer = await set(wallet, 'prototype');
  expect(answer).toMatchObject({
    status: 200,
    body: {
      status: 'already_active',
      deduplicated: true,
      tier: 'prototype',
      lease: 'perpetual',
      lease_days: null,
      lease_expires_at: null,
      active: true,
    },
  });
  expect(await available(orgId)).toBe(hobbyPrice);
});

test('a lapsed paid organization cannot turn free when one of its owners has as many as it may', async () => {
  const { wallet, orgId, principalId } = await service.owner();
  await service.control.sql(`update orgs set tier = 'hobby' where id = $1`, [orgId]);
  for (let made = 0; made < 3; made++) await call(wallet, 'POST', '/orgs/v1', { body: {} });
  await daysLater(orgId, 31);
  const limit = { limit: 3, owned: 3 };
  expectRefusal(await set(wallet, 'prototype', orgId), 'FREE_ORG_OWNER_LIMIT_EXCEEDED', limit);
  // Nor by the hand of somebody who only pays there.
  const clerk = await service.owner();
  await service.actors.member(orgId, clerk.principalId, 'billing');
  expectRefusal(await set(clerk.wallet, 'prototype', orgId), 'FREE_ORG_OWNER_LIMIT_EXCEEDED', limit);
  await service.control.sql(
    `update orgs set lifecycle_state = 'purged' where id = (select org_id from memberships
      where principal_id = $1 and org_id <> $2 limit 1)`,
    [principalId, orgId],
  );
  expect((await set(wallet, 'prototype', orgId)).status).toBe(201);
});

test('lapsed organizations that turn free at once, beside new ones, do not pass the cap', async () => {
  const { wallet, orgId } = await service.owner();
  const lapsed = [orgId];
  for (let made = 0; made < 2; made++) lapsed.push((await call(wallet, 'POST', '/orgs/v1', { body: {} })).body.org_id);
  for (const id of lapsed) await service.control.sql(`update orgs set tier = 'hobby' where id = $1`, [id]);
  for (const id of lapsed) await daysLater(id, 31);
  const answers = await Promise.all([
    ...lapsed.map((id) => set(wallet, 'prototype', id)),
    ...Array.from({ length: 17 }, () => call(wallet, 'POST', '/orgs/v1', { body: {} })),
  ]);
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
  for (const answer of answers.filter(({ status }) => status !== 201)) {
    expectRefusal(answer, 'FREE_ORG_OWNER_LIMIT_EXCEEDED', { limit: 3 });
  }
});

test('a billing member sets the tier of the organization it names, a viewer and a stranger do not', async () => {
  const { orgId } = await payer(hobbyPrice);
  const clerk = await service.actors.session();
  await service.actors.member(orgId, clerk.principalId, 'viewer');
  expectRefusal(await set(clerk, 'hobby', orgId), 'NOT_AUTHORIZED', { reason: 'forbidden', required_role: 'billing' });
  await service.actors.member(orgId, clerk.principalId, 'billing');
  const paid = await set(clerk, 'hobby', orgId);
  expect(paid).toMatchObject({ status: 200, body: { wallet: null, org_id: orgId, tier: 'hobby' } });
  const stranger = (await service.owner()).wallet;
  expectRefusal(await set(stranger, 'hobby', orgId), 'NOT_AUTHORIZED', { reason: 'member' });
  expectRefusal(await set(stranger, 'hobby', randomUUID()), 'NOT_AUTHORIZED', { reason: 'member' });
  expectRefusal(await set(clerk, 'hobby'), 'VALIDATION_FAILED', {
    field: 'org_id',
    reason: 'a session has to name it',
  });
});

test.each(['free', 'TEAM', 'status', 'prototype ', 'prot\u043etype', '__proto__', 'constructor', '0'])(
  'the tier %j is not known',
  async (tier) => {
    const refused = await set(service.actors.wallet(), encodeURIComponent(tier));
    expectRefusal(refused, 'VALIDATION_FAILED', {
      field: 'tier',
      reason: 'must be one of prototype, hobby, team',
    });
  },
);

test('an organization id that is none is refused by name', async () => {
  expectRefusal(await set(service.actors.wallet(), 'hobby', 'nope'), 'VALIDATION_FAILED', { field: 'org_id' });
  const graph = await service.graphql(service.actors.wallet(), setField, { input: { tier: 'HOBBY', org: 'nope' } });
  expect(graph.errors?.[0]?.extensions).toMatchObject({ code: 'VALIDATION_FAILED', details: { field: 'org' } });
});

test('what was paid with promotional credit comes back as promotional credit', async () => {
  const { wallet, orgId } = await payer(hobbyPrice + teamPrice);
  await service.control.sql('update org_balances set promotional_usd_micros = 1000000 where org_id = $1', [orgId]);
  await set(wallet, 'hobby');
  const promotional = async () =>
    (
      await service.control.sql('select promotional_usd_micros as value from org_balances where org_id = $1', [orgId])
    )[0];
  expect(await promotional()).toEqual({ value: '0' });
  // What is left of the hobby lease pays for a part of the next one, and what was promotional of it first.
  expect((await set(wallet, 'team')).status).toBe(200);
  const entries = await service.control.sql(
    `select kind, promotional_usd_micros as promotional from ledger_entries where org_id = $1 and seq > 1 order by seq`,
    [orgId],
  );
  expect(entries).toEqual([
    { kind: 'tier_fee', promotional: '1000000' },
    { kind: 'tier_refund', promotional: '1000000' },
    { kind: 'tier_fee', promotional: '1000000' },
  ]);
});
