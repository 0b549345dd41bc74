import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { documentedCalls, expectRefusal } from '../helpers/documented.ts';
import { startService } from '../helpers/service.ts';

const service = await startService({ jobs: false });
afterAll(() => service.stop());
const call = documentedCalls(service);
const { admin } = service.actors;

const credit = (orgId: string, amount: number) =>
  call(admin, 'POST', `/orgs/v1/admin/${orgId}/credits`, { body: { amount_usd_micros: amount } });

const amountsOf = (entries: { amount_usd_micros: number }[]) =>
  entries.map(({ amount_usd_micros }) => amount_usd_micros);

test('the history is read newest first in pages that neither repeat nor leave out, twenty entries unless told', async () => {
  const { wallet, orgId } = await service.owner();
  for (let amount = 1; amount <= 23; amount++) await credit(orgId, amount);
  const path = `/orgs/v1/${orgId}/billing/history`;
  const first = (await call(wallet, 'GET', path)).body;
  expect([first.entries.length, first.has_more]).toEqual([20, true]);
  const seen: number[] = [];
  let after: string | null = '';
  while (after !== null) {
    const page: { entries: { amount_usd_micros: number }[]; next_cursor: string | null } = (
      await call(wallet, 'GET', `${path}?limit=5${after === '' ? '' : `&after=${after}`}`)
    ).body;
    seen.push(...amountsOf(page.entries));
    // What is written meanwhile is newer than the page.
    if (after === '') await credit(orgId, 24);
    after = page.next_cursor;
  }
  expect(seen).toEqual(Array.from({ length: 23 }, (_one, at) => 23 - at));
  expect((await call(wallet, 'GET', `${path}?limit=5000`)).body.entries).toHaveLength(24);
});

test('the connection of entries is read in both directions', async () => {
  const { wallet, orgId } = await service.owner();
  for (let amount = 1; amount <= 5; amount++) await credit(orgId, amount);
  const read = async (args: string) => {
    const query = `{ organization(id: "${orgId}") { billing { history(${args}) {
      edges { cursor node { amountUsdMicros } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } } }`;
    const { data, errors } = await service.graphql(wallet, query);
    expect(errors).toBeUndefined();
    const { edges, pageInfo } = data.organization.billing.history;
    return {
      amounts: edges.map((edge: { node: { amountUsdMicros: number } }) => edge.node.amountUsdMicros),
      pageInfo,
    };
  };
  const newest = await read('first: 2');
  expect(newest).toMatchObject({ amounts: [5, 4], pageInfo: { hasNextPage: true, hasPreviousPage: false } });
  const next = await read(`first: 2, after: "${newest.pageInfo.endCursor}"`);
  expect(next.amounts).toEqual([3, 2]);
  const oldest = await read('last: 2');
  expect(oldest).toMatchObject({ amounts: [2, 1], pageInfo: { hasNextPage: false, hasPreviousPage: true } });
  expect((await read(`last: 5, before: "${oldest.pageInfo.startCursor}"`)).amounts).toEqual([5, 4, 3]);
});

test('a cursor of another organization’s history is refused', async () => {
  const { wallet, orgId, principalId } = await service.owner();
  const other = await service.owner();
  await service.actors.member(other.orgId, principalId, 'billing');
  for (const amount of [1, 2]) {
    await credit(orgId, amount);
    await credit(other.orgId, amount);
  }
  const { next_cursor: cursor } = (await call(wallet, 'GET', `/orgs/v1/${orgId}/billing/history?limit=1`)).body;
  const history = `/orgs/v1/${other.orgId}/billing/history`;
  for (const after of [cursor, 'nonsense', '0']) {
    expectRefusal(await call(wallet, 'GET', `${history}?after=${after}`), 'INVALID_CURSOR', { field: 'after' });
  }
  for (const limit of ['0', '-1', 'x', '1.5']) {
    expectRefusal(await call(wallet, 'GET', `${history}?limit=${limit}`), 'VALIDATION_FAILED', { field: 'limit' });
  }
});

test('whoever may not see the money sees none of it, over both surfaces', async () => {
  const { orgId } = await service.owner();
  await credit(orgId, 77);
  const viewer = await service.actors.session();
  await service.actors.member(orgId, viewer.principalId, 'viewer');
  const stranger = (await service.owner()).wallet;
  for (const path of ['', '/history']) {
    const url = `/orgs/v1/${orgId}/billing${path}`;
    expectRefusal(await call(viewer, 'GET', url), 'NOT_AUTHORIZED', { reason: 'forbidden', required_role: 'billing' });
    const refused = await call(stranger, 'GET', url);
    expectRefusal(refused, 'NOT_AUTHORIZED', { reason: 'member' });
    expectRefusal(await call(stranger, 'GET', url.replace(orgId, randomUUID())), 'NOT_AUTHORIZED', {
      reason: 'member',
    });
    expectRefusal(await call(stranger, 'GET', url.replace(orgId, 'nope')), 'VALIDATION_FAILED', { field: 'org_id' });
  }
  const query = `{ organization(id: "${orgId}") { displayName billing { availableUsdMicros } } }`;
  const { data, errors } = await service.graphql(viewer, query);
  expect(data.organization).toEqual({ displayName: null, billing: null });
  expect(errors).toMatchObject([{ extensions: { code: 'NOT_AUTHORIZED', details: { reason: 'forbidden' } } }]);
});

test('balances of many organizations take the same statements as of one', async () => {
  const query = '{ organizations { edges { node { billing { availableUsdMicros } } } } }';
  const taken: number[] = [];
  for (const count of [1, 3]) {
    const wallet = service.actors.wallet();
    for (let made = 0; made < count; made++) await call(wallet, 'POST', '/orgs/v1', { body: {} });
    const statements = await service.statements(async () => {
      const { data } = await service.graphql(wallet, query);
      expect(data.organizations.edges).toHaveLength(count);
    });
    taken.push(statements.length);
  }
  expect(taken[1]).toBe(taken[0]);
});

test('a wallet looks up its own organization in any letter case, and the admin looks up any', async () => {
  const { wallet, orgId } = await service.owner();
  await credit(orgId, 31);
  const own = (await call(wallet, 'GET', `/orgs/v1/${orgId}/billing`)).body;
  for (const address of [wallet.address, wallet.checksumAddress, `0x${wallet.address.slice(2).toUpperCase()}`]) {
    expect((await call(wallet, 'GET', `/orgs/v1/lookup?wallet=${address}`)).body).toEqual(own);
    expect((await call(admin, 'GET', `/orgs/v1/lookup?wallet=${address}`)).body).toEqual(own);
  }
  const found = await service.graphql(
    wallet,
    `{ billingLookup(wallet: "${wallet.address}") { orgId availableUsdMicros } }`,
  );
  expect(found).toEqual({ data: { billingLookup: { orgId, availableUsdMicros: 31 } } });
});

test('a mail address is looked up by the admin alone, and counts once it is verified', async () => {
  const { wallet, orgId, principalId } = await service.owner();
  const email = `${principalId}@example.com`;
  await service.control.sql(
    `insert into authenticators (id, principal_id, kind, public_subject) values ($1, $2, 'email', $3)`,
    [randomUUID(), principalId, email],
  );
  const path = `/orgs/v1/lookup?email=${email.toUpperCase()}`;
  expectRefusal(await call(admin, 'GET', path), 'RESOURCE_NOT_FOUND');
  await service.control.sql('update authenticators set verified_at = now() where public_subject = $1', [email]);
  expect((await call(admin, 'GET', path)).body.org_id).toBe(orgId);
  expectRefusal(await call(wallet, 'GET', path), 'ADMIN_REQUIRED');
  expectRefusal(await call(service.actors.nobody, 'GET', path), 'AUTH_REQUIRED');
  const graph = await service.graphql(wallet, `{ billingLookup(email: "${email}") { orgId } }`);
  expect(graph.errors?.[0]?.extensions.code).toBe('ADMIN_REQUIRED');
});

test('another’s wallet is refused whether it is known or not, and a wallet without an organization is 404', async () => {
  const { wallet } = await service.owner();
  const other = await service.owner();
  for (const address of [other.wallet.address, service.actors.wallet().address]) {
    expectRefusal(await call(wallet, 'GET', `/orgs/v1/lookup?wallet=${address}`), 'FORBIDDEN');
  }
  const session = await service.actors.session({ principalId: other.principalId });
  expectRefusal(await call(session, 'GET', `/orgs/v1/lookup?wallet=${other.wallet.address}`), 'FORBIDDEN');
  const orphan = service.actors.wallet();
  expectRefusal(await call(orphan, 'GET', `/orgs/v1/lookup?wallet=${orphan.address}`), 'RESOURCE_NOT_FOUND');
  expectRefusal(await call(admin, 'GET', `/orgs/v1/lookup?wallet=${orphan.address}`), 'RESOURCE_NOT_FOUND');
});

test.each([
  ['neither', ''],
  ['both', '?wallet=0x0000000000000000000000000000000000000000&email=a@example.com'],
  ['a short wallet', '?wallet=0x00'],
  ['a wallet of other digits', `?wallet=0x${'g'.repeat(40)}`],
  ['full-width digits', `?wallet=0x${encodeURIComponent('０'.repeat(40))}`],
  ['an address that is none', '?email=nobody'],
])('a look-up with %s is refused', async (_case, search) => {
  const field = search.includes('email=nobody') ? 'email' : 'wallet';
  expectRefusal(await call(admin, 'GET', `/orgs/v1/lookup${search}`), 'VALIDATION_FAILED', { field });
});
