import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { documentedCalls, expectRefusal, moment } from '../helpers/documented.ts';
import { startService } from '../helpers/service.ts';

const service = await startService({ env: { SVC_LEASES: 'on' }, jobs: false });
afterAll(() => service.stop());
const call = documentedCalls(service);
const { admin } = service.actors;

const path = '/tiers/v1/status';
const statusField = `query ($org: ID) { tierStatus(org: $org) {
  wallet active operatorReachable organization { orgId tier } offer { tier maxFunctionTimeoutSeconds }
  poolUsage { projects apiCalls storageBytes apiCallsLimit storageBytesLimit } } }`;

const advisory = {
  type: 'operator_unreachable',
  summary: expect.stringMatching(/mail address/),
  next_actions: [{ type: expect.any(String), method: 'POST', path: '/agent/v1/contact', why: expect.any(String) }],
};

const mailOf = (principalId: string, verified: boolean) =>
  service.control.sql(
    `insert into authenticators (id, principal_id, kind, public_subject, verified_at)
     values ($1, $2, 'email', $3, case when $4 then now() end)`,
    [randomUUID(), principalId, `${randomUUID()}@example.com`, verified],
  );

test('a wallet sees its tier, its lease and what its projects use together', async () => {
  const { wallet, orgId, projectId, principalId } = await service.project();
  const other = await call(wallet, 'POST', '/projects/v1', { body: { org_id: orgId, name: 'second' } });
  await service.control.sql(
    `insert into project_usage (org_id, project_id, since, api_calls)
     select id, unnest(array[$2, 'prj_gone']), usage_since, 40 from orgs where id = $1
     union all select id, $2, usage_since - interval '7 days', 1000 from orgs where id = $1`,
    [orgId, projectId],
  );
  const { status, body } = await call(wallet, 'GET', path);
  expect(status).toBe(200);
  const usage = await Promise.all(
    [projectId, other.body.project_id].map(async (id) => (await call(wallet, 'GET', `/projects/v1/${id}`)).body.usage),
  );
  const bytes = usage.reduce((sum, { storage_bytes }) => sum + storage_bytes, 0);
  const project = (id: string, name: unknown) => ({
    id,
    project_id: id,
    name,
    tier: 'prototype',
    status: 'active',
    pinned: false,
    created_at: moment,
    effective_status: 'active',
    organization_lifecycle_state: 'active',
    lease_perpetual: false,
    org_id: orgId,
    created_by: principalId,
  });
  expect(body).toStrictEqual({
    wallet: wallet.address,
    org_id: orgId,
    tier: 'prototype',
    lease: 'leased',
    lease_days: 7,
    lease_started_at: moment,
    lease_expires_at: moment,
    active: true,
    organization_lifecycle_state: 'active',
    lease_perpetual: false,
    pool_usage: {
      projects: 2,
      // Of this lease, a deleted project's calls among them.
      total_api_calls: 80,
      total_storage_bytes: expect.any(Number),
      api_calls_limit: 500_000,
      storage_bytes_limit: 250 * 1024 * 1024,
    },
    projects: [project(other.body.project_id, 'second'), project(projectId, expect.any(String))],
    incoming_transfers: [],
    function_limits: {
      max_function_timeout_seconds: 10,
      max_function_memory_mb: 128,
      max_scheduled_functions: 1,
      min_cron_interval_minutes: 15,
      current_scheduled_functions: 0,
    },
    advisories: [advisory],
  });
  // Nobody writes to either database, yet Postgres may tidy up in them between two looks.
  expect(body.pool_usage.total_storage_bytes / bytes).toBeCloseTo(1, 1);
  expect(bytes).toBeGreaterThan(0);

  const { data } = await service.graphql(wallet, statusField);
  expect(data.tierStatus).toEqual({
    wallet: wallet.address,
    active: true,
    operatorReachable: false,
    organization: { orgId, tier: 'PROTOTYPE' },
    offer: { tier: 'PROTOTYPE', maxFunctionTimeoutSeconds: 10 },
    poolUsage: {
      projects: 2,
      apiCalls: 80,
      storageBytes: expect.any(Number),
      apiCallsLimit: 500_000,
      storageBytesLimit: 250 * 1024 * 1024,
    },
  });
});

test('the storage of many projects is one statement for each server', async () => {
  const taken: number[] = [];
  const { wallet, orgId } = await service.project();
  for (let made = 0; made < 2; made++) {
    const statements = await service.statements(() => call(wallet, 'GET', path));
    expect(statements.filter((text) => text.includes('pg_database_size'))).toHaveLength(1);
    taken.push(statements.length);
    await call(wallet, 'POST', '/projects/v1', { body: { org_id: orgId } });
  }
  expect(taken[1]).toBe(taken[0]);
});

test('a wallet without an organization has nulls and an empty pool, and none is made for it', async () => {
  const wallet = service.actors.wallet();
  const { body } = await call(wallet, 'GET', path);
  expect(body).toStrictEqual({
    wallet: wallet.address,
    org_id: null,
    tier: null,
    lease: null,
    lease_days: null,
    lease_started_at: null,
    lease_expires_at: null,
    active: false,
    organization_lifecycle_state: null,
    lease_perpetual: null,
    pool_usage: {
      projects: 0,
      total_api_calls: 0,
      total_storage_bytes: 0,
      api_calls_limit: 0,
      storage_bytes_limit: 0,
    },
    projects: [],
    incoming_transfers: [],
  });
  const { data } = await service.graphql(wallet, statusField);
  expect(data.tierStatus).toMatchObject({ organization: null, offer: null, active: false, poolUsage: { projects: 0 } });
  expect((await call(wallet, 'GET', '/orgs/v1')).body.orgs).toEqual([]);
});

test('the advisory goes when somebody who runs the organization has a verified address, and only then', async () => {
  const { wallet, orgId, principalId } = await service.owner();
  const viewer = await service.actors.session();
  await service.actors.member(orgId, viewer.principalId, 'developer');
  await mailOf(viewer.principalId, true);
  await mailOf(principalId, false);
  expect((await call(wallet, 'GET', path)).body.advisories).toEqual([advisory]);
  const invited = await service.actors.session();
  await service.actors.member(orgId, invited.principalId, 'admin', 'invited');
  await mailOf(invited.principalId, true);
  expect((await call(wallet, 'GET', path)).body.advisories).toEqual([advisory]);
  await service.actors.member(orgId, invited.principalId, 'admin');
  expect((await call(wallet, 'GET', path)).body).not.toHaveProperty('advisories');
  expect((await service.graphql(wallet, statusField)).data.tierStatus.operatorReachable).toBe(true);
});

test('a lease that has ended is not active, and a perpetual one has no end', async () => {
  const { wallet, orgId } = await service.owner();
  await service.control.sql(`update orgs set lease_expires_at = now() where id = $1`, [orgId]);
  expect((await call(wallet, 'GET', path)).body).toMatchObject({ active: false, lease: 'leased' });
  await call(admin, 'POST', `/orgs/v1/admin/${orgId}/lease-perpetual`, { body: { lease_perpetual: true } });
  expect((await call(wallet, 'GET', path)).body).toMatchObject({
    active: true,
    lease: 'perpetual',
    lease_days: null,
    lease_expires_at: null,
    lease_perpetual: true,
  });
});

test('past its lease an organization is advised of it, with the day of the freeze and the way back', async () => {
  const { wallet, orgId, principalId } = await service.owner();
  await mailOf(principalId, true);
  const [row] = await service.control.sql<{ frozen: Date }>(
    `update orgs set lifecycle_state = 'past_due', lease_expires_at = now() - interval '1 day' where id = $1
     returning lease_expires_at + interval '336 hours' as frozen`,
    [orgId],
  );
  expect((await call(wallet, 'GET', path)).body.advisories).toEqual([
    {
      type: 'lease_past_due',
      summary: expect.stringContaining(row!.frozen.toISOString()),
      next_actions: [{ type: 'renew_tier', method: 'POST', path: '/tiers/v1/prototype', why: expect.any(String) }],
    },
  ]);
  expect((await call(wallet, 'POST', '/tiers/v1/prototype')).status).toBe(201);
  expect((await call(wallet, 'GET', path)).body).not.toHaveProperty('advisories');
});

test('a perpetual lease has no end, wherever it is told', async () => {
  const { wallet, orgId, projectId } = await service.project();
  const pinned = await call(admin, 'POST', `/orgs/v1/admin/${orgId}/lease-perpetual`, {
    body: { lease_perpetual: true },
  });
  const answers = [pinned, await call(wallet, 'POST', '/projects/v1', { body: { org_id: orgId } })];
  for (const where of [
    path,
    `/orgs/v1/${orgId}`,
    `/orgs/v1/${orgId}/billing`,
    `/projects/v1/admin/${projectId}/usage`,
  ]) {
    answers.push(await call(wallet, 'GET', where));
  }
  answers.push(await call(wallet, 'POST', '/tiers/v1/prototype'));
  for (const { body } of answers) expect(body).toMatchObject({ lease_expires_at: null });
  const { data } = await service.graphql(wallet, 'query ($id: ID!) { organization(id: $id) { leaseExpiresAt } }', {
    id: orgId,
  });
  expect(data).toEqual({ organization: { leaseExpiresAt: null } });
});

test('a member names the organization it asks about; a stranger learns nothing of it', async () => {
  const { orgId } = await service.owner();
  const viewer = await service.actors.session();
  await service.actors.member(orgId, viewer.principalId, 'viewer');
  expect((await call(viewer, 'GET', `${path}?org_id=${orgId}`)).body).toMatchObject({ wallet: null, org_id: orgId });
  expect((await call(viewer, 'GET', path)).body.org_id).toBeNull();
  expect((await call(admin, 'GET', `${path}?org_id=${orgId}`)).body.org_id).toBe(orgId);
  const stranger = (await service.owner()).wallet;
  for (const id of [orgId, randomUUID()]) {
    expectRefusal(await call(stranger, 'GET', `${path}?org_id=${id}`), 'NOT_AUTHORIZED', { reason: 'member' });
  }
  expectRefusal(await call(stranger, 'GET', `${path}?org_id=x`), 'VALIDATION_FAILED', { field: 'org_id' });
  expectRefusal(await call(admin, 'GET', path), 'AUTH_REQUIRED');
  expectRefusal(await call(service.actors.nobody, 'GET', path), 'AUTH_REQUIRED');
});

test('a wallet that was put out of its own organization sees nothing of it any more', async () => {
  const wallet = service.actors.wallet();
  const { org_id: orgId } = (await call(wallet, 'POST', '/tiers/v1/prototype')).body;
  await service.control.sql(`update memberships set status = 'revoked' where org_id = $1`, [orgId]);
  expectRefusal(await call(wallet, 'GET', path), 'NOT_AUTHORIZED', { reason: 'member' });
  expectRefusal(await call(wallet, 'POST', '/tiers/v1/prototype'), 'NOT_AUTHORIZED', { reason: 'member' });
  const lookup = await call(wallet, 'GET', `/orgs/v1/lookup?wallet=${wallet.address}`);
  expectRefusal(lookup, 'NOT_AUTHORIZED', { reason: 'member' });
  const graph = await service.graphql(wallet, statusField);
  expect(graph).toMatchObject({ data: { tierStatus: null }, errors: [{ extensions: { code: 'NOT_AUTHORIZED' } }] });
});
