import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { documentedCalls, expectRefusal, moment } from '../helpers/documented.ts';
import { startService } from '../helpers/service.ts';

const service = await startService({ env: { SVC_LEASES: 'on' } });
afterAll(() => service.stop());
const call = documentedCalls(service);
const { admin } = service.actors;

const creditsOf = (orgId: string) => `/orgs/v1/admin/${orgId}/credits`;
const credit = (orgId: string, amount: number, more: object = {}, headers: Record<string, string> = {}) =>
  call(admin, 'POST', creditsOf(orgId), { body: { amount_usd_micros: amount, ...more }, headers });

const addCredit = `mutation ($input: AddOrganizationCreditInput!) { addOrganizationCredit(input: $input) {
  entryId direction kind amountUsdMicros availableAfterUsdMicros heldAfterUsdMicros referenceType referenceId createdAt
  organization { id billing { availableUsdMicros heldUsdMicros } } } }`;

test('a credit of the platform admin is in the balance, the history and the trail', async () => {
  const { wallet, orgId } = await service.owner();
  const made = await credit(orgId, 2_500_000, { reference: 'invoice-7', reason: 'Refund of März' });
  expect(made.status).toBe(201);
  const entry = {
    id: expect.stringMatching(/^led_/),
    direction: 'credit',
    kind: 'adjustment',
    amount_usd_micros: 2_500_000,
    balance_after_available: 2_500_000,
    balance_after_held: 0,
    reference_type: 'credit',
    reference_id: 'invoice-7',
    metadata: { reason: 'Refund of März' },
    request_id: expect.stringMatching(/^req_/),
    created_at: moment,
  };
  expect(made.body).toStrictEqual({ org_id: orgId, entry });
  const history = await call(wallet, 'GET', `/orgs/v1/${orgId}/billing/history`);
  expect(history.body).toStrictEqual({ org_id: orgId, entries: [made.body.entry], has_more: false, next_cursor: null });
  expect((await call(wallet, 'GET', `/orgs/v1/${orgId}/billing`)).body).toStrictEqual({
    org_id: orgId,
    available_usd_micros: 2_500_000,
    held_usd_micros: 0,
    owed_usd_micros: 0,
    email_credits_remaining: 0,
    tier: 'prototype',
    lease_expires_at: moment,
    auto_recharge_enabled: false,
    auto_recharge_threshold: null,
    auto_recharge_card: null,
    auto_recharge_stopped: null,
  });
  const trail = await service.control.sql(
    `select object_id, details, actor->'authority' as authority from audit_events where org_id = $1 and action = 'org.credited'`,
    [orgId],
  );
  expect(trail).toEqual([
    {
      object_id: made.body.entry.id,
      details: { amount_usd_micros: 2_500_000, reference: 'invoice-7', reason: 'Refund of März' },
      authority: { kind: 'system', reason_code: 'platform_admin' },
    },
  ]);
});

test('GraphQL credits and shows the same balance as REST', async () => {
  const { wallet, orgId } = await service.owner();
  const input = { org: orgId, amountUsdMicros: 1e12, reference: 'wire', reason: 'wire' };
  const { data } = await service.graphql(admin, addCredit, { input });
  expect(data.addOrganizationCredit).toEqual({
    entryId: expect.stringMatching(/^led_/),
    direction: 'CREDIT',
    kind: 'adjustment',
    amountUsdMicros: 1e12,
    availableAfterUsdMicros: 1e12,
    heldAfterUsdMicros: 0,
    referenceType: 'credit',
    referenceId: 'wire',
    createdAt: moment,
    organization: { id: `Organization_${orgId}`, billing: { availableUsdMicros: 1e12, heldUsdMicros: 0 } },
  });
  const seen = await service.graphql(
    wallet,
    `query ($id: ID!) { organization(id: $id) { billing { orgId availableUsdMicros heldUsdMicros
      history { edges { node { entryId amountUsdMicros } } } } } }`,
    { id: orgId },
  );
  expect(seen.data.organization.billing).toEqual({
    orgId,
    availableUsdMicros: 1e12,
    heldUsdMicros: 0,
    history: { edges: [{ node: { entryId: data.addOrganizationCredit.entryId, amountUsdMicros: 1e12 } }] },
  });
});

test('a reference is credited once, however often and by however many it is sent', async () => {
  const { orgId } = await service.owner();
  const answers = await Promise.all(Array.from({ length: 20 }, () => credit(orgId, 700, { reference: 'once' })));
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(19).fill(200), 201]);
  expect(new Set(answers.map(({ body }) => body.entry.id)).size).toBe(1);
  expect((await call(admin, 'GET', `/orgs/v1/${orgId}/billing`)).body.available_usd_micros).toBe(700);
  const other = await credit(orgId, 701, { reference: 'once' });
  expectRefusal(other, 'IDEMPOTENCY_KEY_REUSED', { reference: 'once', amount_usd_micros: 700 });
  const trail = await service.control.sql(`select 1 from audit_events where org_id = $1 and action = 'org.credited'`, [
    orgId,
  ]);
  expect(trail).toHaveLength(1);
  // The same reference of another organization is another one.
  const elsewhere = await service.owner();
  expect((await credit(elsewhere.orgId, 700, { reference: 'once' })).status).toBe(201);
});

test('an idempotency key credits once and gives the first answer again', async () => {
  const { orgId } = await service.owner();
  const headers = { 'idempotency-key': randomUUID() };
  const answers = await Promise.all(Array.from({ length: 20 }, () => credit(orgId, 9, {}, headers)));
  for (const { status, body } of answers) expect([status, body]).toEqual([201, answers[0]!.body]);
  expect((await call(admin, 'GET', `/orgs/v1/${orgId}/billing`)).body.available_usd_micros).toBe(9);
});

test('twenty credits at once leave an exact running balance and dense numbers', async () => {
  const { orgId } = await service.owner();
  const amounts = Array.from({ length: 20 }, (_one, at) => (at + 1) * 1_000_003);
  const answers = await Promise.all(amounts.map((amount) => credit(orgId, amount)));
  expect(answers.every(({ status }) => status === 201)).toBe(true);
  const { entries } = (await call(admin, 'GET', `/orgs/v1/${orgId}/billing/history?limit=200`)).body;
  let running = 0;
  for (const entry of entries.toReversed()) {
    running += entry.amount_usd_micros;
    expect(entry.balance_after_available).toBe(running);
  }
  expect(running).toBe(amounts.reduce((sum, amount) => sum + amount, 0));
  const numbers = await service.control.sql<{ seq: number }>(
    'select seq::int as seq from ledger_entries where org_id = $1 order by seq',
    [orgId],
  );
  expect(numbers.map(({ seq }) => seq)).toEqual(amounts.map((_one, at) => at + 1));
});

test('credits and debits at once leave each entry with the balance after it, and never one below zero', async () => {
  const { wallet, orgId } = await service.owner();
  const price = 5_000_000;
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_one, at) =>
      at % 2 === 0
        ? credit(orgId, 3_000_000)
        : call(wallet, 'POST', '/tiers/v1/hobby', { body: { org_id: orgId }, headers: {} }),
    ),
  );
  const paid = answers.filter(({ body }) => 'action' in body).length;
  const { entries } = (await call(admin, 'GET', `/orgs/v1/${orgId}/billing/history?limit=200`)).body;
  let running = 0;
  for (const { direction, amount_usd_micros: amount, balance_after_available: after } of entries.toReversed()) {
    running += direction === 'credit' ? amount : -amount;
    expect(after).toBe(running);
    expect(after).toBeGreaterThanOrEqual(0);
  }
  expect(entries).toHaveLength(10 + paid);
  expect(running).toBe(10 * 3_000_000 - paid * price);
  expect((await call(admin, 'GET', `/orgs/v1/${orgId}/billing`)).body.available_usd_micros).toBe(running);
});

test('an entry is never changed nor taken away, by whomever', async () => {
  const { orgId } = await service.owner();
  await credit(orgId, 5);
  for (const statement of [
    'update ledger_entries set amount_usd_micros = 1 where org_id = $1',
    'delete from ledger_entries where org_id = $1',
  ]) {
    await expect(service.control.sql(statement, [orgId])).rejects.toThrow(/only ever added/);
  }
  await expect(service.control.sql('truncate ledger_entries')).rejects.toThrow(/only ever added/);
  const { entries } = (await call(admin, 'GET', `/orgs/v1/${orgId}/billing/history`)).body;
  expect(entries).toMatchObject([{ amount_usd_micros: 5 }]);
});

test.each<[string, unknown, string]>([
  ['no amount', {}, 'amount_usd_micros'],
  ['nothing', { amount_usd_micros: 0 }, 'amount_usd_micros'],
  ['less than nothing', { amount_usd_micros: -1 }, 'amount_usd_micros'],
  ['a part of a micro-dollar', { amount_usd_micros: 0.5 }, 'amount_usd_micros'],
  ['one more than a million dollars', { amount_usd_micros: 1e12 + 1 }, 'amount_usd_micros'],
  ['more than a number holds', '{"amount_usd_micros": 1e400}', 'amount_usd_micros'],
  ['an amount as a text', { amount_usd_micros: '5' }, 'amount_usd_micros'],
  ['an empty reference', { amount_usd_micros: 5, reference: '' }, 'reference'],
  ['a reference of 201 characters', { amount_usd_micros: 5, reference: 'x'.repeat(201) }, 'reference'],
  ['a reference with a NUL', { amount_usd_micros: 5, reference: 'a\0' }, 'reference'],
  ['a reason of 501 characters', { amount_usd_micros: 5, reason: 'x'.repeat(501) }, 'reason'],
])('%s is refused and nothing moves', async (_case, body, field) => {
  const { orgId } = await service.owner();
  expectRefusal(await call(admin, 'POST', creditsOf(orgId), { body }), 'VALIDATION_FAILED', { field });
  expect((await call(admin, 'GET', `/orgs/v1/${orgId}/billing/history`)).body.entries).toEqual([]);
});

test('a balance never grows beyond what JSON can say exactly', async () => {
  const { orgId } = await service.owner();
  await credit(orgId, 1);
  await service.control.sql('update org_balances set available_usd_micros = $2 where org_id = $1', [
    orgId,
    Number.MAX_SAFE_INTEGER - 1,
  ]);
  expectRefusal(await credit(orgId, 2), 'VALIDATION_FAILED', { field: 'amount_usd_micros' });
  const last = await credit(orgId, 1);
  expect(last.body.entry.balance_after_available).toBe(Number.MAX_SAFE_INTEGER);
});

test('nobody but the platform admin credits, and an organization that is not there is 404 for the admin', async () => {
  const { wallet, orgId } = await service.owner();
  const body = { amount_usd_micros: 1 };
  expectRefusal(await call(wallet, 'POST', creditsOf(orgId), { body }), 'ADMIN_REQUIRED');
  expectRefusal(await call(admin, 'POST', creditsOf(randomUUID()), { body }), 'RESOURCE_NOT_FOUND');
  const graph = await service.graphql(wallet, addCredit, { input: { org: orgId, amountUsdMicros: 1 } });
  expect(graph.errors?.[0]?.extensions.code).toBe('ADMIN_REQUIRED');
  const wrong = await service.graphql(admin, addCredit, { input: { org: orgId, amountUsdMicros: 0.5 } });
  expect(wrong.errors?.[0]?.extensions).toMatchObject({
    code: 'VALIDATION_FAILED',
    details: { field: 'amountUsdMicros' },
  });
  expect((await call(admin, 'GET', `/orgs/v1/${orgId}/billing`)).body.available_usd_micros).toBe(0);
});
