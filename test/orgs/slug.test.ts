import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { slugFee } from '../../resolvers/orgs/shared/claim-slug.ts';
import type { Actor } from '../helpers/actors.ts';
import { documentedCalls, expectRefusal } from '../helpers/documented.ts';
import { startService } from '../helpers/service.ts';

const service = await startService({ jobs: false });
afterAll(() => service.stop());
const call = documentedCalls(service);
const { admin } = service.actors;

const fee = Number(slugFee);
const newSlug = () => `s-${randomUUID().slice(0, 18)}`;

const claim = (actor: Actor, orgId: string, slug: unknown, key: string | null = randomUUID()) =>
  call(actor, 'POST', `/orgs/v1/${orgId}/slug`, {
    body: { slug },
    headers: key === null ? {} : { 'idempotency-key': key },
  });

const credit = (orgId: string, amount: number) =>
  call(admin, 'POST', `/orgs/v1/admin/${orgId}/credits`, { body: { amount_usd_micros: amount } });

/** An owner whose organization can pay for its first slug. */
async function payer(amount = fee) {
  const owner = await service.owner();
  await credit(owner.orgId, amount);
  return owner;
}

const available = async (orgId: string) =>
  (await call(admin, 'GET', `/orgs/v1/${orgId}/billing`)).body.available_usd_micros;
const slugOf = async (actor: Actor, orgId: string) => (await call(actor, 'GET', `/orgs/v1/${orgId}`)).body.slug;
/** Every slug that the organization holds or held. */
const rowsOf = (orgId: string) =>
  service.control.sql<{ slug: string; current: boolean; days: number | null }>(
    `select slug, released_at is null as current,
       round(extract(epoch from rests_until - released_at) / 86400)::int as days
     from org_slugs where org_id = $1 order by claimed_at, slug`,
    [orgId],
  );

const claimField = `mutation ($input: ClaimOrganizationSlugInput!) {
  claimOrganizationSlug(input: $input) { id slug role billing { availableUsdMicros } } }`;
const bySlug = 'query ($slug: String!) { organizationBySlug(slug: $slug) { orgId slug role } }';

test('the first slug costs its fee, another one is free, and the same one again changes nothing', async () => {
  const { wallet, orgId } = await payer(fee + 5);
  const [first, second] = [newSlug(), newSlug()];
  const claimed = await claim(wallet, orgId, first);
  expect(claimed.status).toBe(201);
  const body = { org_id: orgId, slug: first, previous_slug: null, created: true, fee_usd_micros: fee };
  expect(claimed.body).toStrictEqual(body);
  const again = await claim(wallet, orgId, first);
  expect(again.status).toBe(200);
  expect(again.body).toStrictEqual({ ...body, previous_slug: first, created: false, fee_usd_micros: 0 });
  const renamed = await claim(wallet, orgId, second);
  expect(renamed.status).toBe(200);
  expect(renamed.body).toStrictEqual({
    org_id: orgId,
    slug: second,
    previous_slug: first,
    created: false,
    fee_usd_micros: 0,
  });
  expect(await slugOf(wallet, orgId)).toBe(second);
  expect(await available(orgId)).toBe(5);
  const { entries } = (await call(wallet, 'GET', `/orgs/v1/${orgId}/billing/history`)).body;
  expect(entries[0]).toMatchObject({
    direction: 'debit',
    kind: 'slug_claim',
    amount_usd_micros: fee,
    balance_after_available: 5,
    reference_type: 'organization',
    reference_id: orgId,
  });
  expect(await rowsOf(orgId)).toEqual([
    { slug: first, current: false, days: 90 },
    { slug: second, current: true, days: null },
  ]);
  const trail = await service.control.sql(
    `select action, details from audit_events where org_id = $1 and action like 'org.slug%' order by seq`,
    [orgId],
  );
  expect(trail).toEqual([
    { action: 'org.slug_claimed', details: { slug: first, previous_slug: null, fee_usd_micros: fee } },
    { action: 'org.slug_renamed', details: { slug: second, previous_slug: first, fee_usd_micros: 0 } },
  ]);
});

test('GraphQL claims the same slug, under the key of its input', async () => {
  const { wallet, orgId } = await payer();
  const slug = newSlug();
  const input = { org: orgId, slug };
  const keyless = await service.graphql(wallet, claimField, { input });
  expect(keyless.errors).toMatchObject([{ extensions: { code: 'IDEMPOTENCY_KEY_REQUIRED' } }]);
  const claimed = await service.graphql(wallet, claimField, { input: { ...input, idempotencyKey: randomUUID() } });
  expect(claimed).toEqual({
    data: {
      claimOrganizationSlug: { id: `Organization_${orgId}`, slug, role: 'OWNER', billing: { availableUsdMicros: 0 } },
    },
  });
  expect(await slugOf(wallet, orgId)).toBe(slug);
});

test.each<[string, unknown]>([
  ['nothing', ''],
  ['40 characters', 'a'.repeat(40)],
  ['upper case', 'Acme'],
  ['a hyphen in front', '-acme'],
  ['a hyphen at the end', 'acme-'],
  ['two hyphens together', 'ac--me'],
  ['a hyphen alone', '-'],
  ['an underscore', 'ac_me'],
  ['a dot', 'ac.me'],
  ['a slash', 'ac/me'],
  ['a blank', ' acme'],
  ['a line break at the end', 'acme\n'],
  ['a NUL', 'acme\0'],
  ['a Cyrillic look-alike', '\u0430cme'],
  ['full-width letters', '\uff41cme'],
  ['an accent', 'acm\u00e9'],
  ['a combining accent', 'acme\u0301'],
  ['a long s, which upper case folds', '\u017fvc'],
  ['a non-breaking hyphen', 'ac\u2011me'],
  ['Arabic digits', 'acme\u0661'],
  ['a zero-width character', 'ac\u200bme'],
  ['a lone surrogate', '\ud800'],
  ['a number', 7],
  ['a list', ['acme']],
  ['null', null],
])('a slug with %s is refused, and nothing is paid', async (_case, slug) => {
  const { wallet, orgId } = await payer();
  expectRefusal(await claim(wallet, orgId, slug), 'VALIDATION_FAILED', { field: 'slug' });
  expect([await slugOf(wallet, orgId), await available(orgId)]).toEqual([null, fee]);
});

test('a slug has one to 39 characters, digits alone among them', async () => {
  for (const slug of ['q', '7', 'x'.repeat(39), 'a-b-c-1']) {
    const { wallet, orgId } = await payer();
    expect((await claim(wallet, orgId, slug)).body.slug).toBe(slug);
  }
});

test('a reserved word and a protected mark are refused before anything is looked up', async () => {
  const { wallet, orgId } = await service.owner();
  expectRefusal(await claim(wallet, orgId, 'admin'), 'SLUG_RESERVED', { slug: 'admin' });
  expectRefusal(await claim(wallet, orgId, 'github'), 'SLUG_PROTECTED', { slug: 'github' });
});

test('a key is required, in its form', async () => {
  const { wallet, orgId } = await payer();
  const slug = newSlug();
  expectRefusal(await claim(wallet, orgId, slug, null), 'IDEMPOTENCY_KEY_REQUIRED');
  expectRefusal(await claim(wallet, orgId, slug, 'x'.repeat(257)), 'IDEMPOTENCY_KEY_INVALID');
  expectRefusal(await claim(wallet, orgId, slug, ''), 'IDEMPOTENCY_KEY_INVALID');
  expect((await claim(wallet, orgId, slug, 'x'.repeat(256))).status).toBe(201);
});

test('a key gives its first answer again, whatever the organization goes by now', async () => {
  const { wallet, orgId } = await payer();
  const [slug, key] = [newSlug(), randomUUID()];
  const first = await claim(wallet, orgId, slug, key);
  await claim(wallet, orgId, newSlug());
  const again = await claim(wallet, orgId, slug, key);
  expect([again.status, again.body]).toEqual([201, first.body]);
  expectRefusal(await claim(wallet, orgId, newSlug(), key), 'IDEMPOTENCY_KEY_REUSED');
  expect(await available(orgId)).toBe(0);
});

test('a claim that was refused for its balance goes through under its own key once there is one', async () => {
  const { wallet, orgId } = await payer(fee - 1);
  const [slug, key] = [newSlug(), randomUUID()];
  const details = { required_usd_micros: fee, available_usd_micros: fee - 1 };
  expectRefusal(await claim(wallet, orgId, slug, key), 'INSUFFICIENT_FUNDS', details);
  expect(await rowsOf(orgId)).toEqual([]);
  await credit(orgId, 1);
  expect((await claim(wallet, orgId, slug, key)).status).toBe(201);
  expect(await available(orgId)).toBe(0);
});

test('an organization none of whose payers has a wallet is told so, before its balance is looked at', async () => {
  const { orgId, principalId } = await service.owner();
  const owner = await service.actors.session({ passkeyAgeSeconds: 1 });
  await service.actors.member(orgId, owner.principalId, 'owner');
  await service.actors.member(orgId, principalId, 'viewer');
  const refused = await claim(owner, orgId, newSlug());
  expectRefusal(refused, 'ORG_HAS_NO_BILLING_WALLET', { required_usd_micros: fee });
  await service.actors.member(orgId, principalId, 'billing');
  expectRefusal(await claim(owner, orgId, newSlug()), 'INSUFFICIENT_FUNDS');
  await service.control.sql(`update authenticators set revoked_at = now() where principal_id = $1`, [principalId]);
  expectRefusal(await claim(owner, orgId, newSlug()), 'ORG_HAS_NO_BILLING_WALLET');
});

test('a person renames with a fresh passkey only, and nobody below an owner at all', async () => {
  const { orgId, principalId } = await payer();
  const stale = await service.actors.session({ principalId, passkeyAgeSeconds: 301 });
  expectRefusal(await claim(stale, orgId, newSlug()), 'STEP_UP_REQUIRED', { op_class: 'org.rename' });
  const fresh = await service.actors.session({ principalId, passkeyAgeSeconds: 1 });
  expect((await claim(fresh, orgId, newSlug())).status).toBe(201);
  const other = await service.actors.session({ passkeyAgeSeconds: 1 });
  await service.actors.member(orgId, other.principalId, 'admin');
  expectRefusal(await claim(other, orgId, newSlug()), 'NOT_AUTHORIZED', {
    reason: 'forbidden',
    required_role: 'owner',
  });
});

test('a slug that is in use is taken; one that was given up names its holder’s new one for ninety days', async () => {
  const holder = await payer();
  const other = await payer();
  const [first, second] = [newSlug(), newSlug()];
  await claim(holder.wallet, holder.orgId, first);
  expectRefusal(await claim(other.wallet, other.orgId, first), 'SLUG_TAKEN', { slug: first });
  await claim(holder.wallet, holder.orgId, second);
  const refused = await claim(other.wallet, other.orgId, first);
  expectRefusal(refused, 'SLUG_RELEASED', { slug: first, successor_slug: second });
  expect(await available(other.orgId)).toBe(fee);
  // The one that let it go may take it back.
  const back = await claim(holder.wallet, holder.orgId, first);
  expect([back.status, back.body]).toEqual([
    200,
    { org_id: holder.orgId, slug: first, previous_slug: second, created: false, fee_usd_micros: 0 },
  ]);
  await claim(holder.wallet, holder.orgId, second);
  await service.control.sql(`update org_slugs set rests_until = now() where slug = $1`, [first]);
  expect((await claim(other.wallet, other.orgId, first)).status).toBe(201);
  expectRefusal(await claim(holder.wallet, holder.orgId, first), 'SLUG_TAKEN');
});

test('three slugs rest for an organization at most; it can go back to one of them, and has more once one has rested', async () => {
  const { wallet, orgId } = await payer();
  const slugs = Array.from({ length: 4 }, newSlug);
  for (const slug of slugs) expect((await claim(wallet, orgId, slug)).status).toBeLessThan(300);
  const key = randomUUID();
  const another = newSlug();
  const details = { scope: 'organization', metric: 'slugs', limit: 3, used: 3 };
  expectRefusal(await claim(wallet, orgId, another, key), 'QUOTA_EXCEEDED', details);
  const graph = await service.graphql(wallet, claimField, {
    input: { org: orgId, slug: another, idempotencyKey: randomUUID() },
  });
  expect(graph.errors).toMatchObject([{ extensions: { code: 'QUOTA_EXCEEDED', details } }]);
  expect(await slugOf(wallet, orgId)).toBe(slugs[3]);
  // The refused word is free for everybody.
  const other = await payer();
  expect((await claim(other.wallet, other.orgId, another)).status).toBe(201);
  expect((await claim(wallet, orgId, slugs[0])).body).toMatchObject({ slug: slugs[0], previous_slug: slugs[3] });
  expectRefusal(await claim(wallet, orgId, newSlug()), 'QUOTA_EXCEEDED', details);
  await service.control.sql('update org_slugs set rests_until = now() where slug = $1', [slugs[1]]);
  expect((await claim(wallet, orgId, newSlug())).status).toBe(200);
});

test('members find their organization by its slug; to others one in use is like one that never was', async () => {
  const { wallet, orgId } = await payer();
  const [first, second] = [newSlug(), newSlug()];
  await claim(wallet, orgId, first);
  expect(await service.graphql(wallet, bySlug, { slug: first })).toEqual({
    data: { organizationBySlug: { orgId, slug: first, role: 'OWNER' } },
  });
  const stranger = (await service.owner()).wallet;
  const answers: unknown[] = [];
  for (const slug of [first, newSlug()]) {
    const statements = await service.statements(async () => {
      const { data, errors } = await service.graphql(stranger, bySlug, { slug });
      const { trace_id: _trace, ...extensions } = errors![0]!.extensions;
      answers.push({ data, message: errors![0]!.message, extensions });
    });
    answers.push(statements);
  }
  expect(answers.slice(2)).toEqual(answers.slice(0, 2));
  expect(answers[0]).toMatchObject({ data: { organizationBySlug: null }, extensions: { code: 'NOT_AUTHORIZED' } });

  await claim(wallet, orgId, second);
  for (const actor of [wallet, stranger]) {
    const { errors } = await service.graphql(actor, bySlug, { slug: first });
    expect(errors).toMatchObject([
      { extensions: { code: 'SLUG_RELEASED', details: { slug: first, successor_slug: second } } },
    ]);
  }
  await service.control.sql(`update org_slugs set rests_until = now() where slug = $1`, [first]);
  for (const actor of [wallet, stranger]) {
    const { errors } = await service.graphql(actor, bySlug, { slug: first });
    expect(errors?.[0]?.extensions.code).toBe('NOT_AUTHORIZED');
  }
  const nobody = await service.graphql(service.actors.nobody, bySlug, { slug: second });
  expect(nobody.errors?.[0]?.extensions.code).toBe('AUTH_REQUIRED');
});
