import { afterAll, afterEach, expect, test } from 'vitest';
import type { ErrorEnvelope } from '../../core/errors.ts';
import { templateName } from '../../db/project-template.ts';
import { persist, startFaultyWorld } from '../helpers/faulty-world.ts';
import { admin, type GatewayProcess, killGateways } from '../helpers/gateway-process.ts';
import { until } from '../helpers/until.ts';
import type { TestWallet } from '../helpers/wallet.ts';

const world = await startFaultyWorld();
afterAll(() => world.stop());
afterEach(() => killGateways());

interface Row {
  readonly id: string;
  readonly state: string;
  readonly deleted_at: Date | null;
  readonly database_name: string;
  readonly role_name: string;
}
const projectsOf = (orgId: string) =>
  world.sql<Row>('select id, state, deleted_at, database_name, role_name from projects where org_id = $1', [orgId]);
const stepOf = async (orgId: string) =>
  (
    await world.sql<{ state: string; attempts: number }>(
      'select state, attempts from step_operations where org_id = $1 order by created_at desc',
      [orgId],
    )
  )[0];

/** What of a project is on the server. */
async function onServer({ database_name, role_name }: Row) {
  const [found] = await world.sql<{ database: boolean; role: boolean; open: boolean }>(
    `select exists (select from pg_database where datname = $1 and datallowconn) as database,
       exists (select from pg_roles where rolname = $2 and rolcanlogin) as role,
       coalesce((select has_database_privilege('public', oid, 'connect') from pg_database where datname = $1), false) as open`,
    [database_name, role_name],
  );
  return found;
}

const create = (gateway: GatewayProcess, wallet: TestWallet, orgId: string, key?: string) =>
  gateway.call<Record<string, string>>(gateway.as(wallet), 'POST', '/projects/v1', {
    body: { org_id: orgId },
    headers: key === undefined ? {} : { 'idempotency-key': key },
  });

/** Jobs and leases wait for seconds; a test need not. */
const hurry = () => world.sql('update graphile_worker._private_jobs set run_at = now() where locked_at is null');

/** Each brings a creation to a point and keeps it there. @returns what lets go of whatever keeps it */
const points: Record<string, (orgId: string, begin: () => void) => Promise<() => Promise<unknown>>> = {
  'after it was begun, before the gateway knew': async (_orgId, begin) => {
    const commit = world.proxy.freezeCommit(/insert into "step_operations"/);
    begin();
    await commit.answered;
    return async () => undefined;
  },
  'before the login role was made': async (_orgId, begin) => {
    const release = await world.hold('lock table pg_authid in share mode');
    begin();
    await world.blocked(/create role/);
    return release;
  },
  'between the login role and the database': async (_orgId, begin) => {
    const release = await world.hold('lock table pg_database in share mode');
    begin();
    await world.blocked(/create database/);
    return release;
  },
  'after the database was made, before the project was ready': async (orgId, begin) => {
    const releaseDatabases = await world.hold('lock table pg_database in share mode');
    begin();
    await world.blocked(/create database/);
    const release = await world.hold('select 1 from projects where org_id = $1 for update', [orgId]);
    await releaseDatabases();
    await world.blocked(/update "projects"/);
    return release;
  },
  'after it was ready, before the gateway knew': async (_orgId, begin) => {
    const commit = world.proxy.freezeCommit(/update "projects" .* then 'ready'/);
    begin();
    await commit.answered;
    return async () => undefined;
  },
};

test.each(Object.keys(points))('a creation killed %s is finished after the restart, once', async (point) => {
  const gateway = await world.start();
  const { wallet, orgId } = await world.owner(gateway);
  let unanswered: Promise<unknown> | undefined;
  const release = await points[point]!(orgId, () => {
    unanswered = create(gateway, wallet, orgId, point).catch((error: unknown) => error);
  });
  await gateway.kill();
  expect(await unanswered).toBeInstanceOf(Error);
  await release();
  // Whatever is waited for after the restart, it is no lease.
  await world.sql(`update step_operations set lease_until = now() + interval '1 hour' where state = 'running'`);
  await world.sql(`update idempotency_keys set lease_until = now() + interval '1 hour' where outcome is null`);

  const next = await world.start();
  await until(async () => expect(await stepOf(orgId)).toMatchObject({ state: 'done' }));
  const [project, ...others] = await projectsOf(orgId);
  expect(others).toEqual([]);
  expect(project).toMatchObject({ state: 'ready', deleted_at: null });
  expect(await onServer(project!)).toEqual({ database: true, role: true, open: false });

  const replayed = await persist(() => create(next, wallet, orgId, point));
  expect([replayed.status, replayed.body.project_id]).toEqual([201, project!.id]);
  const keys = await next.call(next.as(wallet), 'GET', `/projects/v1/${project!.id}/keys`);
  expect(keys.body).toMatchObject({ anon_key: replayed.body.anon_key, service_key: replayed.body.service_key });
  expect((await create(next, wallet, orgId, point)).body).toEqual(replayed.body);
  expect(await projectsOf(orgId)).toHaveLength(1);
  expect(await world.sql('select 1 from audit_events where object_id = $1', [project!.id])).toHaveLength(1);
  expect(await next.stop()).toBe(0);
});

/** While the template is away no project database can be made. */
async function hideTemplate(): Promise<() => Promise<unknown>> {
  await world.sql(`alter database ${templateName} rename to hidden`);
  return () => world.sql(`alter database hidden rename to ${templateName}`);
}

test('a creation that keeps failing is undone, and takes nothing from the quota', async () => {
  const gateway = await world.start();
  const { wallet, orgId } = await world.owner(gateway);
  const limits = { projects: 1 };
  await gateway.call(admin, 'POST', `/orgs/v1/admin/${orgId}/limits`, { body: { limits } });
  const restore = await hideTemplate();
  const failed = await create(gateway, wallet, orgId);
  expect(failed).toMatchObject({ status: 500, body: { code: 'INTERNAL_ERROR', mutation_state: 'unknown' } });
  const [begun] = await projectsOf(orgId);
  expect(await onServer(begun!)).toMatchObject({ database: false, role: true });
  await until(async () => {
    await hurry();
    expect(await stepOf(orgId)).toMatchObject({ state: 'undone' });
  });
  await restore();

  const [project] = await projectsOf(orgId);
  expect(project).toMatchObject({ state: 'failed', deleted_at: expect.any(Date) });
  expect(await onServer(project!)).toEqual({ database: false, role: false, open: false });
  const list = await gateway.call<{ projects: unknown[] }>(gateway.as(wallet), 'GET', '/projects/v1');
  expect(list.body.projects).toEqual([]);
  expect((await create(gateway, wallet, orgId)).status).toBe(201);
  expect((await create(gateway, wallet, orgId)).body).toMatchObject({ code: 'QUOTA_EXCEEDED' });
});

test('a key whose creation keeps failing goes on with the same project, and after it was undone makes another', async () => {
  const gateway = await world.start();
  const { wallet, orgId } = await world.owner(gateway);
  const restore = await hideTemplate();
  for (let attempt = 1; attempt <= 5; attempt++) {
    expect((await create(gateway, wallet, orgId, 'stubborn')).status).toBe(500);
    expect(await stepOf(orgId)).toMatchObject({ state: 'running', attempts: attempt });
  }
  // It had its attempts: a caller does not get another, whatever the reason it failed for.
  await restore();
  const tired = await create(gateway, wallet, orgId, 'stubborn');
  expect(tired).toMatchObject({ status: 409, body: { code: 'IDEMPOTENCY_IN_PROGRESS' } });
  await until(async () => {
    await hurry();
    expect(await stepOf(orgId)).toMatchObject({ state: 'undone' });
  });
  const made = await create(gateway, wallet, orgId, 'stubborn');
  expect(made.status).toBe(201);
  const [undone, ready] = (await projectsOf(orgId)).sort((left) => (left.deleted_at === null ? 1 : -1));
  expect(undone).toMatchObject({ state: 'failed', deleted_at: expect.any(Date) });
  expect(ready).toMatchObject({ id: made.body.project_id, state: 'ready', deleted_at: null });
});

test('an attempt that outlives its own undoing leaves nothing behind', async () => {
  const gateway = await world.start();
  const { wallet, orgId } = await world.owner(gateway);
  const release = await world.hold('lock table pg_authid in share mode');
  const slow = create(gateway, wallet, orgId, 'slow') as unknown as Promise<{ status: number; body: ErrorEnvelope }>;
  await world.blocked(/create role/);
  // As if others had tried and failed since, and this one were long believed dead.
  await world.sql(
    `update step_operations set attempts = 5, lease_until = now() - interval '1 second' where org_id = $1`,
    [orgId],
  );
  await until(async () => {
    await hurry();
    expect(await stepOf(orgId)).toMatchObject({ attempts: 6 });
  });
  await release();
  expect(await slow).toMatchObject({
    status: 503,
    body: { code: 'UPSTREAM_UNAVAILABLE', retryable: true, safe_to_retry: true, mutation_state: 'rolled_back' },
  });
  await until(async () => expect(await stepOf(orgId)).toMatchObject({ state: 'undone' }));
  const [project] = await projectsOf(orgId);
  expect(project).toMatchObject({ state: 'failed' });
  expect(await onServer(project!)).toEqual({ database: false, role: false, open: false });
  expect(await persist(() => create(gateway, wallet, orgId, 'slow'))).toMatchObject({ status: 201 });
});

test('a creation that another attempt finished meanwhile answers as if it had been its own', async () => {
  const gateway = await world.start();
  const { wallet, orgId } = await world.owner(gateway);
  const release = await world.hold('lock table pg_authid in share mode');
  const slow = create(gateway, wallet, orgId);
  await world.blocked(/create role/);
  await world.sql(`update step_operations set lease_until = now() - interval '1 second' where org_id = $1`, [orgId]);
  await until(async () => {
    await hurry();
    expect(await stepOf(orgId)).toMatchObject({ attempts: 2 });
  });
  await release();
  expect((await slow).status).toBe(201);
  await until(async () => expect(await stepOf(orgId)).toMatchObject({ state: 'done' }));
  const [project, ...others] = await projectsOf(orgId);
  expect([project!.state, others]).toEqual(['ready', []]);
  expect(await onServer(project!)).toEqual({ database: true, role: true, open: false });
});

test('after all this there is a database and a role for each project that is ready, and no other', async () => {
  const databases = await world.sql<{ name: string }>(
    `select datname as name from pg_database where datname like 'p\\_%' order by 1`,
  );
  const roles = await world.sql<{ name: string }>(
    `select rolname as name from pg_roles where rolname like 'r\\_%' order by 1`,
  );
  const ready = await world.sql<{ database: string; role: string }>(
    `select database_name as database, role_name as role from projects where state = 'ready' order by 1`,
  );
  expect(databases.map(({ name }) => name)).toEqual(ready.map(({ database }) => database));
  expect(roles.map(({ name }) => name).sort()).toEqual(ready.map(({ role }) => role).sort());
  expect(await world.sql(`select 1 from projects where state = 'provisioning'`)).toEqual([]);
});
