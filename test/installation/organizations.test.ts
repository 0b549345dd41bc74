import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { tierLimits } from '../../kernel/limits/limits.ts';
import { slugFee } from '../../resolvers/orgs/shared/claim-slug.ts';
import { documentedCalls, expectRefusal, moment } from '../helpers/documented.ts';
import { startService } from '../helpers/service.ts';

const service = await startService({ env: { SVC_LEASES: 'on' } });
afterAll(() => service.stop());
const call = documentedCalls(service);
const { admin } = service.actors;

const list = async (search = '') => (await call(admin, 'GET', `/admin/v1/orgs${search}`)).body;
const idsOf = async (search: string): Promise<string[]> =>
  (await list(search)).organizations.map(({ org_id }: { org_id: string }) => org_id);

const first = await service.owner('Ada’s Works 100%_done');
const second = await service.owner('Grace');
const third = await service.project();
// The first slug costs a fee.
await call(admin, 'POST', `/orgs/v1/admin/${first.orgId}/credits`, { body: { amount_usd_micros: Number(slugFee) } });
const claimed = await service.call(first.wallet, 'POST', `/orgs/v1/${first.orgId}/slug`, {
  body: { slug: 's-as-work-1' },
  headers: { 'idempotency-key': 'adas-works' },
});
expect(claimed.status).toBe(201);

test('every organization is listed, the newest first, with its limits and its use', async () => {
  const { organizations, has_more, next_cursor } = await list();
  expect(organizations.map(({ org_id }: { org_id: string }) => org_id)).toEqual([
    third.orgId,
    second.orgId,
    first.orgId,
  ]);
  expect([has_more, next_cursor]).toEqual([false, null]);
  expect(organizations[0]).toEqual({
    org_id: third.orgId,
    display_name: null,
    slug: null,
    tier: 'prototype',
    lifecycle_state: 'active',
    lease_perpetual: false,
    lease_expires_at: moment,
    created_at: moment,
    members: 1,
    projects: 1,
    api_calls: 0,
    balance_usd_micros: 0,
    limits: expect.objectContaining({ projects: tierLimits.prototype.projects }),
    overrides: {},
  });
});

test.each<[string, () => string, () => string[]]>([
  ['part of a name, in any case', () => 'ADA’s wor', () => [first.orgId]],
  ['signs that mean something in patterns', () => '100%_d', () => [first.orgId]],
  ['a sign that no name has', () => '%%', () => []],
  ['part of a slug', () => 'as-work', () => [first.orgId]],
  ['a whole id', () => second.orgId, () => [second.orgId]],
  ['the beginning of an id', () => second.orgId.slice(0, 13), () => [second.orgId]],
  ['the wallet of a member', () => first.wallet.checksumAddress, () => [first.orgId]],
  ['part of a wallet', () => first.wallet.address.slice(0, 20), () => []],
])('an organization is found by %s', async (_case, search, expected) => {
  expect(await idsOf(`?search=${encodeURIComponent(search())}`)).toEqual(expected());
});

test('lists are filtered by state, tier and limits of their own', async () => {
  await service.control.sql(`update orgs set tier = 'team' where id = $1`, [second.orgId]);
  await service.control.sql(`update orgs set lifecycle_state = 'frozen' where id = $1`, [first.orgId]);
  await call(admin, 'POST', `/orgs/v1/admin/${third.orgId}/limits`, { body: { limits: { projects: 3 } } });
  expect(await idsOf('?tier=team')).toEqual([second.orgId]);
  expect(await idsOf('?state=frozen')).toEqual([first.orgId]);
  expect(await idsOf('?tier=team&state=frozen')).toEqual([]);
  expect(await idsOf('?overridden=true')).toEqual([third.orgId]);
  expect(await idsOf('?overridden=false')).toEqual([second.orgId, first.orgId]);
});

test('pages follow each other without gap or repeat, over REST and back over GraphQL', async () => {
  const page = await list('?limit=2');
  expect(page.has_more).toBe(true);
  const rest = await list(`?limit=2&after=${page.next_cursor}`);
  const all = [...page.organizations, ...rest.organizations].map(({ org_id }: { org_id: string }) => org_id);
  expect(all).toEqual([third.orgId, second.orgId, first.orgId]);
  expect(rest.has_more).toBe(false);
  const { data } = await service.graphql(
    admin,
    '{ installation { organizations(last: 2) { edges { node { orgId } } pageInfo { hasPreviousPage } } } }',
  );
  expect(data.installation.organizations).toEqual({
    edges: [{ node: { orgId: second.orgId } }, { node: { orgId: first.orgId } }],
    pageInfo: { hasPreviousPage: true },
  });
  expectRefusal(await call(admin, 'GET', '/admin/v1/orgs?after=nonsense'), 'INVALID_CURSOR');
  expectRefusal(await call(admin, 'GET', '/admin/v1/orgs?state=gone'), 'VALIDATION_FAILED');
});

test('the limits of one organization are its tier’s and its own, beside what it uses', async () => {
  const path = `/orgs/v1/admin/${third.orgId}/limits`;
  await call(admin, 'POST', path, { body: { limits: { projects: 3, members: null } } });
  const { body } = await call(admin, 'GET', path);
  expect(body).toMatchObject({
    org_id: third.orgId,
    overrides: { projects: 3 },
    limits: { projects: 3, members: tierLimits.prototype.members },
    tier_limits: { projects: tierLimits.prototype.projects },
    projects: 1,
  });
  expect(body.storage_bytes).toBeGreaterThan(1_000_000);
  const { data } = await service.graphql(
    admin,
    'query ($org: ID!) { installation { organization(org: $org) { orgId overrides { name value } limits { projects } tierLimits { projects } } } }',
    { org: third.orgId },
  );
  expect(data.installation.organization).toEqual({
    orgId: third.orgId,
    overrides: [{ name: 'projects', value: 3 }],
    limits: { projects: 3 },
    tierLimits: { projects: tierLimits.prototype.projects },
  });
  expectRefusal(await call(admin, 'GET', `/orgs/v1/admin/${randomUUID()}/limits`), 'RESOURCE_NOT_FOUND');
});

const paths = [
  '/admin/v1/installation',
  '/admin/v1/orgs',
  '/admin/v1/nodes',
  '/admin/v1/backups',
  '/admin/v1/incidents',
  `/orgs/v1/admin/${third.orgId}/limits`,
];

test.each(paths)('%s answers nobody but the platform admin', async (path) => {
  const { actors } = service;
  const delegate = await actors.delegate({ orgId: third.orgId, projectId: third.projectId, capabilities: ['deploy'] });
  const wrong = { headers: async () => ({ 'x-admin-key': 'a-key-of-another-installation-0123456789' }) };
  expectRefusal(await call(actors.nobody, 'GET', path), 'AUTH_REQUIRED');
  expectRefusal(await call(wrong, 'GET', path), 'INVALID_AUTH');
  for (const actor of [third.wallet, delegate, actors.bearer(third.serviceKey)])
    expectRefusal(await call(actor, 'GET', path), 'ADMIN_REQUIRED');
});

test('the graph gives nobody but the platform admin a part of the installation', async () => {
  const { data, errors } = await service.graphql(third.wallet, '{ installation { version nodes { nodeId } } }');
  expect(data.installation).toBeNull();
  expect(errors![0]!.extensions.code).toBe('ADMIN_REQUIRED');
});

test('the installation tells its versions and its mode, and no secret', async () => {
  const { body, text } = await call(admin, 'GET', '/admin/v1/installation');
  const [row] = await service.control.sql<{ version: string; n: number }>(
    `select current_setting('server_version') as version, (select count(*)::int from drizzle.__drizzle_migrations) as n`,
  );
  expect(body).toMatchObject({
    version: '0.0.0-test',
    node_version: process.version,
    postgres_version: row!.version,
    migrations: row!.n,
    leases: true,
    mail: 'outbox',
    payments: 'unavailable',
    functions: expect.stringMatching(/^(isolated|unavailable)$/),
    database: 'external',
    production: false,
    started_at: moment,
    migrated_to: moment,
  });
  expect(body.database_bytes).toBeGreaterThan(1_000_000);
  const { nodes } = (await call(admin, 'GET', '/admin/v1/nodes')).body;
  expect(nodes.map(({ node_id }: { node_id: string }) => node_id)).toContain(body.node_id);
  const key = (await admin.headers('/'))['x-admin-key']!;
  for (const secret of [key, service.control.url]) expect(text).not.toContain(secret);
});
