import { decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { documentedCalls, expectRefusal, moment } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { until } from '../helpers/until.ts';

const service = await sharedService();
afterAll(() => service.stop());
const call = documentedCalls(service);

const text = (pattern: RegExp) => expect.stringMatching(pattern);
const auditOf = (orgId: string) =>
  service.control.sql<{ action: string }>('select action from audit_events where org_id = $1 order by seq', [orgId]);

test('a project comes with everything a client stores of it', async () => {
  const { wallet, orgId, principalId } = await service.owner();
  const created = await call(wallet, 'POST', '/projects/v1', { body: { name: ' Shop ', org_id: orgId, tier: 'team' } });
  expect(created.status).toBe(201);
  const { body } = created;
  const site = new URL(body.endpoints.static_base_url);
  expect(body).toStrictEqual({
    project_id: text(/^prj_[a-z0-9]{26}$/),
    anon_key: text(/^ey[\w-]+\.[\w-]+\.[\w-]+$/),
    service_key: text(/^ey[\w-]+\.[\w-]+\.[\w-]+$/),
    schema_slot: text(/^p\d{4,}$/),
    org_id: orgId,
    // What was asked for is ignored: the tier is the organization's.
    tier: 'prototype',
    lease_expires_at: null,
    endpoints: {
      rest_url: `${service.url}/rest/v1`,
      static_base_url: text(/^http:\/\/p-[0-9a-f]{12}\.localhost:\d+$/),
    },
    active_release_id: null,
  });

  const { body: detail } = await call(wallet, 'GET', `/projects/v1/${body.project_id}`);
  expect(detail).toStrictEqual({
    id: body.project_id,
    project_id: body.project_id,
    name: 'Shop',
    tier: 'prototype',
    site_url: null,
    custom_domains: [],
    status: 'active',
    effective_status: 'active',
    organization_lifecycle_state: 'active',
    lease_perpetual: true,
    organization_id: orgId,
    org_id: orgId,
    created_by: principalId,
    created_at: moment,
    creator: {
      schema_version: 1,
      principal: {
        principal_id: principalId,
        principal_type: 'agent',
        display_name_at_capture: null,
        linked_identities_at_capture: [],
      },
      authenticator: { authenticator_id: expect.any(String), kind: 'wallet', public_subject: wallet.address },
      authority: {
        kind: 'organization_membership',
        organization_id: orgId,
        membership_id: expect.any(String),
        role: 'owner',
      },
      captured_at: moment,
    },
    pinned: false,
    deleted_at: null,
    archived_at: null,
    public_id: site.hostname.split('.')[0]!.slice(2),
    last_deploy: null,
    mailbox: [],
    usage: {
      api_calls: 0,
      storage_bytes: expect.any(Number),
      api_calls_limit: 500_000,
      storage_bytes_limit: 250 * 1024 * 1024,
    },
    repo_name: null,
    max_affected: null,
    secrets_rotation_advised: false,
  });
  expect(detail.usage.storage_bytes).toBeGreaterThan(0);
  const { usage, public_id, last_deploy, mailbox, repo_name, max_affected, secrets_rotation_advised, ...summary } =
    detail;
  expect((await call(wallet, 'GET', `/projects/v1?org_id=${orgId}`)).body).toStrictEqual({
    projects: [summary],
    has_more: false,
    next_cursor: null,
  });
  expect((await auditOf(orgId)).map(({ action }) => action)).toEqual(['org.created', 'project.created']);
});

test('the keys are tokens of exactly the documented claims, the same strings whenever they are asked for', async () => {
  const { wallet, projectId, anonKey, serviceKey } = await service.project();
  const { created_at } = (await call(wallet, 'GET', `/projects/v1/${projectId}`)).body;
  const secret = service.app.services.keys.key('project-keys');
  for (const [key, role] of [
    [anonKey, 'anon'],
    [serviceKey, 'service_role'],
  ] as const) {
    const iat = Math.floor(Date.parse(created_at) / 1000);
    expect(decodeJwt(key)).toStrictEqual({ iss: 'svc', project_id: projectId, role, iat });
    expect(decodeProtectedHeader(key)).toStrictEqual({ alg: 'HS256', typ: 'JWT' });
    await jwtVerify(key, secret, { algorithms: ['HS256'] });
  }
  const again = { project_id: projectId, anon_key: anonKey, service_key: serviceKey };
  expect((await call(wallet, 'GET', `/projects/v1/${projectId}/keys`)).body).toStrictEqual(again);
  const graph = 'query ($id: ID!) { project(id: $id) { keys { anonKey serviceKey } } }';
  expect(await service.graphql(wallet, graph, { id: projectId })).toEqual({
    data: { project: { keys: { anonKey, serviceKey } } },
  });
  const stored = await service.control.sql<{ row: string }>('select p::text as row from projects p where id = $1', [
    projectId,
  ]);
  expect(stored[0]!.row).not.toContain(anonKey.split('.')[2]);
  expect(stored[0]!.row).not.toContain(serviceKey.split('.')[2]);
});

test('a project has a database of its own, which its login role enters with a password stored nowhere', async () => {
  const { projectId } = await service.project();
  const [row] = await service.control.sql<{ database_name: string; role_name: string; row: string }>(
    'select database_name, role_name, p::text as row from projects p where id = $1',
    [projectId],
  );
  const password = service.app.services.projectDatabases.password({ roleName: row!.role_name });
  expect(row!.row).not.toContain(password);
  const url = new URL(service.control.serverUrl);
  url.username = row!.role_name;
  url.password = password;
  url.pathname = `/${row!.database_name}`;
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  const { rows } = await client.query('select current_database() as database, current_user as role');
  await client.end();
  expect(rows).toEqual([{ database: row!.database_name, role: row!.role_name }]);
});

test('reads of a project hold no secret', async () => {
  const { wallet, projectId, anonKey, serviceKey } = await service.project();
  const row = await service.control.sql<{ database_name: string; role_name: string }>(
    'select database_name, role_name from projects where id = $1',
    [projectId],
  );
  const secrets = [anonKey, serviceKey, row[0]!.database_name, row[0]!.role_name];
  for (const path of [`/projects/v1/${projectId}`, '/projects/v1']) {
    const { text: answer } = await call(wallet, 'GET', path);
    for (const secret of secrets) expect(answer).not.toContain(secret);
  }
});

test('a project without a name is given one', async () => {
  const { wallet, orgId, projectId } = await service.project();
  const { name } = (await call(wallet, 'GET', `/projects/v1/${projectId}`)).body;
  expect(name).toMatch(/^[a-z]+ [a-z]+$/);
  const graph = await service.graphql(
    wallet,
    'mutation ($input: CreateProjectInput!) { createProject(input: $input) { id name state status tier organization { id } } }',
    { input: { name: 'Named', org: `Organization_${orgId}` } },
  );
  expect(graph.errors).toBeUndefined();
  expect(graph.data.createProject).toEqual({
    id: text(/^Project_prj_/),
    name: 'Named',
    state: 'READY',
    status: 'ACTIVE',
    tier: 'PROTOTYPE',
    organization: { id: `Organization_${orgId}` },
  });
});

test('ten first projects that race share the one organization made for the wallet', async () => {
  const wallet = service.actors.wallet();
  const made = await Promise.all(Array.from({ length: 10 }, () => call(wallet, 'POST', '/projects/v1')));
  expect(made.map(({ status }) => status)).toEqual(Array(10).fill(201));
  expect(new Set(made.map(({ body }) => body.org_id)).size).toBe(1);
  expect(new Set(made.map(({ body }) => body.schema_slot)).size).toBe(10);
  const { orgs } = (await call(wallet, 'GET', '/orgs/v1')).body;
  expect(orgs).toEqual([{ org_id: made[0]!.body.org_id, display_name: null, role: 'owner', status: 'active' }]);
  const actions = (await auditOf(orgs[0].org_id)).map(({ action }) => action);
  expect(actions.filter((action) => action === 'org.created')).toHaveLength(1);
  expect(actions).toHaveLength(11);
});

test('whoever others make an owner of theirs keeps to its own organization when it names none', async () => {
  const [mallory, victim] = [service.actors.wallet(), service.actors.wallet()];
  const { org_id } = (await call(mallory, 'POST', '/orgs/v1')).body;
  const members = `/orgs/v1/${org_id}/members`;
  await call(mallory, 'POST', members, { body: { wallet: victim.address, role: 'owner' } });
  const made = await call(victim, 'POST', '/projects/v1');
  expect(made.status).toBe(201);
  expect(made.body.org_id).not.toBe(org_id);
  expect((await call(victim, 'GET', '/tiers/v1/status')).body.org_id).toBe(made.body.org_id);
  expectRefusal(await call(mallory, 'GET', `/projects/v1/${made.body.project_id}/keys`), 'NOT_AUTHORIZED');
  const graph = await service.graphql(
    victim,
    'mutation ($input: CreateProjectInput!) { createProject(input: $input) { organization { orgId } } }',
    { input: {} },
  );
  expect(graph.data.createProject).toEqual({ organization: { orgId: made.body.org_id } });
});

test('a wallet that was put out of its own organization goes on in the oldest other one that it made', async () => {
  const wallet = service.actors.wallet();
  const home = (await call(wallet, 'POST', '/projects/v1')).body.org_id;
  const [older, newer] = [await call(wallet, 'POST', '/orgs/v1'), await call(wallet, 'POST', '/orgs/v1')];
  expect((await call(wallet, 'POST', '/projects/v1')).body.org_id).toBe(home);
  const put = (status: string, org: string) =>
    service.control.sql('update memberships set status = $2 where org_id = $1', [org, status]);
  await put('revoked', home);
  expect((await call(wallet, 'POST', '/projects/v1')).body.org_id).toBe(older.body.org_id);
  await put('revoked', older.body.org_id);
  expect((await call(wallet, 'POST', '/projects/v1')).body.org_id).toBe(newer.body.org_id);
  await put('active', home);
  expect((await call(wallet, 'POST', '/projects/v1')).body.org_id).toBe(home);
});

test('a wallet that lost its role in its own organization is refused there, and gets no second one', async () => {
  const wallet = service.actors.wallet();
  const { org_id } = (await call(wallet, 'POST', '/projects/v1')).body;
  const setRole = (role: string, status: string) =>
    service.control.sql('update memberships set role = $2, status = $3 where org_id = $1', [org_id, role, status]);
  await setRole('viewer', 'active');
  expectRefusal(await call(wallet, 'POST', '/projects/v1'), 'NOT_AUTHORIZED', { reason: 'forbidden' });
  await setRole('owner', 'revoked');
  expectRefusal(await call(wallet, 'POST', '/projects/v1'), 'NOT_AUTHORIZED', { reason: 'member' });
  await setRole('developer', 'active');
  expect((await call(wallet, 'POST', '/projects/v1')).body.org_id).toBe(org_id);
});

test('callers who race cannot pass the organization’s number of projects', async () => {
  const { wallet, orgId } = await service.owner();
  const limits = { limits: { projects: 3 } };
  await call(service.actors.admin, 'POST', `/orgs/v1/admin/${orgId}/limits`, { body: limits });
  const body = { org_id: orgId };
  const answers = await Promise.all(Array.from({ length: 20 }, () => call(wallet, 'POST', '/projects/v1', { body })));
  const refused = answers.filter(({ status }) => status !== 201);
  expect(refused).toHaveLength(17);
  for (const answer of refused) {
    expectRefusal(answer, 'QUOTA_EXCEEDED', { scope: 'organization', metric: 'projects', limit: 3, used: 3 });
  }
  const rows = await service.control.sql('select state from projects where org_id = $1', [orgId]);
  expect(rows).toEqual(Array(3).fill({ state: 'ready' }));
  // A deleted project makes room.
  await service.control.sql('update projects set deleted_at = now() where org_id = $1', [orgId]);
  expect((await call(wallet, 'POST', '/projects/v1', { body })).status).toBe(201);
});

test('an organization that is frozen while a project waits its turn gets none', async () => {
  const { wallet, orgId } = await service.owner();
  const client = await service.app.services.db.pool.connect();
  try {
    await client.query('begin');
    await client.query(`update orgs set lifecycle_state = 'frozen' where id = $1`, [orgId]);
    const creating = call(wallet, 'POST', '/projects/v1', { body: { org_id: orgId } });
    await until(async () =>
      expect(
        await service.control.sql(
          `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
             and query like '%from "orgs"%for no key update%'`,
        ),
      ).toHaveLength(1),
    );
    await client.query('commit');
    expectRefusal(await creating, 'PROJECT_FROZEN');
    expect(await service.control.sql('select 1 from projects where org_id = $1', [orgId])).toEqual([]);
  } finally {
    client.release();
  }
});

test('a creation that is sent again with its key makes one project, and tells the keys again', async () => {
  const { wallet, orgId } = await service.owner();
  const headers = { 'idempotency-key': crypto.randomUUID() };
  const create = (name: string) => call(wallet, 'POST', '/projects/v1', { body: { org_id: orgId, name }, headers });
  const first = await create('Shop');
  expect(first.status).toBe(201);
  const again = await create('Shop');
  expect([again.status, again.body]).toEqual([201, first.body]);
  expectRefusal(await create('Other'), 'IDEMPOTENCY_KEY_REUSED');
  expect(await service.control.sql('select 1 from projects where org_id = $1', [orgId])).toHaveLength(1);
});

test.each([
  ['of 200 characters', 'x'.repeat(200)],
  ['of 200 characters of two units each', '🪁'.repeat(200)],
  ['with letters that look like others', 'Аррӏе'],
  ['in NFC', 'Caf\u00e9'],
])('a name %s is kept as it was written', async (_case, name) => {
  const { wallet, orgId } = await service.owner();
  const { body } = await call(wallet, 'POST', '/projects/v1', { body: { org_id: orgId, name } });
  expect((await call(wallet, 'GET', `/projects/v1/${body.project_id}`)).body.name).toBe(name);
});

test('who made a project, and by what right, is told as it was then', async () => {
  const home = service.actors.wallet();
  const { body: made } = await call(home, 'POST', '/projects/v1');
  const creatorOf = async (id: string) => (await call(service.actors.admin, 'GET', `/projects/v1/${id}`)).body.creator;
  const owner = { kind: 'organization_membership', organization_id: made.org_id, role: 'owner' };
  expect(await creatorOf(made.project_id)).toMatchObject({
    authenticator: { kind: 'wallet', public_subject: home.address },
    authority: owner,
  });
  const developer = await service.actors.session({ passkeyAgeSeconds: 1 });
  await service.actors.member(made.org_id, developer.principalId, 'developer');
  await service.control.sql(`update principals set display_name = 'Ada' where id = $1`, [developer.principalId]);
  const headers = { 'x-svc-write-auth': await service.actors.approval(developer, 'org.project.create', made.org_id) };
  const { body: second } = await call(developer, 'POST', '/projects/v1', { body: { org_id: made.org_id }, headers });
  await service.control.sql(`update principals set display_name = 'Grace' where id = $1`, [developer.principalId]);
  await service.actors.member(made.org_id, developer.principalId, 'developer', 'revoked');
  expect(await creatorOf(second.project_id)).toMatchObject({
    principal: { principal_id: developer.principalId, principal_type: 'human', display_name_at_capture: 'Ada' },
    authenticator: null,
    authority: { ...owner, role: 'developer' },
  });
  // A project from before this was kept has none.
  await service.control.sql('update projects set creator = null where id = $1', [second.project_id]);
  expect(await creatorOf(second.project_id)).toBeNull();
});

test('the number of projects is the one that holds when they are counted, also when it was just lowered', async () => {
  const { wallet, orgId } = await service.owner();
  const client = await service.app.services.db.pool.connect();
  try {
    await client.query('begin');
    await client.query(`update orgs set limit_overrides = '{"projects": 0}' where id = $1`, [orgId]);
    const creating = call(wallet, 'POST', '/projects/v1', { body: { org_id: orgId } });
    // It was admitted, and waits for the row that is being changed.
    await until(async () =>
      expect(
        await service.control.sql(
          `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
             and query like '%from "orgs"%for no key update%'`,
        ),
      ).toHaveLength(1),
    );
    await client.query('commit');
    expectRefusal(await creating, 'QUOTA_EXCEEDED', { metric: 'projects', limit: 0, used: 0 });
  } finally {
    client.release();
  }
});

test.each<[string, Record<string, unknown> | string, string]>([
  ['an empty name', { name: '' }, 'name'],
  ['a blank name', { name: '   ' }, 'name'],
  ['a name of 201 characters', { name: 'x'.repeat(201) }, 'name'],
  ['a control character in the name', { name: 'a\u0007b' }, 'name'],
  ['a character in the name that nobody sees', { name: 'a\u200bb' }, 'name'],
  ['a character in the name that turns it around', { name: 'a\u202eb' }, 'name'],
  ['201 characters of two units each', { name: '🪁'.repeat(201) }, 'name'],
  ['a NUL in the name', { name: 'a\0' }, 'name'],
  ['a lone surrogate in the name', '{"name":"\\udfff"}', 'name'],
  ['an organization that is no UUID', { org_id: 'mine' }, 'org_id'],
  ['a tier that is no text', { tier: 1 }, 'tier'],
])('%s is refused by name and nothing is made', async (_case, body, field) => {
  const wallet = service.actors.wallet();
  expectRefusal(await call(wallet, 'POST', '/projects/v1', { body }), 'VALIDATION_FAILED', { field });
  expect((await call(wallet, 'GET', '/orgs/v1')).body).toEqual({ orgs: [] });
});

test('roles below developer, strangers, delegates and keys create no project', async () => {
  const { wallet, orgId, projectId, serviceKey, anonKey } = await service.project();
  const body = { org_id: orgId };
  for (const role of ['viewer', 'billing'] as const) {
    const session = await service.actors.session();
    await service.actors.member(orgId, session.principalId, role);
    expectRefusal(await call(session, 'POST', '/projects/v1', { body }), 'NOT_AUTHORIZED', {
      action: 'project:create',
      required_role: 'developer',
      required_capability: null,
      reason: 'forbidden',
    });
  }
  const stranger = await call(service.actors.wallet(), 'POST', '/projects/v1', { body });
  expectRefusal(stranger, 'NOT_AUTHORIZED', { reason: 'member' });
  const delegate = await service.actors.delegate({ orgId, projectId, capabilities: ['project:write', 'deploy'] });
  expectRefusal(await call(delegate, 'POST', '/projects/v1', { body }), 'NOT_AUTHORIZED', { reason: 'forbidden' });
  expectRefusal(await call(service.actors.bearer(serviceKey), 'POST', '/projects/v1', { body }), 'FORBIDDEN');
  expectRefusal(await call(service.actors.apikey(anonKey), 'POST', '/projects/v1', { body }), 'AUTH_REQUIRED');
  expect((await call(wallet, 'GET', `/projects/v1?org_id=${orgId}`)).body.projects).toHaveLength(1);
});
