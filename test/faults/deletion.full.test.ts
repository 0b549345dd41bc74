import { afterAll, afterEach, expect, test } from 'vitest';
import { persist, startFaultyWorld } from '../helpers/faulty-world.ts';
import { type GatewayProcess, killGateways } from '../helpers/gateway-process.ts';
import { startPgProxy } from '../helpers/pg-proxy.ts';
import { until } from '../helpers/until.ts';
import type { TestWallet } from '../helpers/wallet.ts';

const world = await startFaultyWorld();
/** A way of its own to the server of the project databases. */
const projectServer = await startPgProxy((await world.postgres.database()).url);
const env = { PROJECT_DATABASE_URLS: `main=${projectServer.url}` };
afterAll(async () => {
  await projectServer.close();
  await world.stop();
});
afterEach(async () => {
  projectServer.mend();
  await killGateways();
});

const remove = (gateway: GatewayProcess, wallet: TestWallet, projectId: string) =>
  gateway.call<Record<string, unknown>>(gateway.as(wallet), 'DELETE', `/projects/v1/${projectId}`, {
    headers: { 'idempotency-key': projectId },
  });

async function project(gateway: GatewayProcess) {
  const { wallet, orgId } = await world.owner(gateway);
  const { body } = await gateway.call<Record<string, string>>(gateway.as(wallet), 'POST', '/projects/v1', {
    body: { org_id: orgId },
  });
  return { wallet, orgId, projectId: body.project_id! };
}

const stateOf = async (projectId: string) =>
  (await world.sql<{ state: string }>('select state from projects where id = $1', [projectId]))[0]!.state;
const stepOf = async (projectId: string) =>
  (
    await world.sql<{ id: string; state: string; attempts: number; last_error: string | null }>(
      `select id, state, attempts, last_error from step_operations
       where operation = 'projects.delete' and ref ->> 'projectId' = $1`,
      [projectId],
    )
  )[0]!;

/** What is left of a project on its server. */
const leftOf = (projectId: string) =>
  world.sql(
    `select 1 from projects p join pg_database d on d.datname = p.database_name where p.id = $1
     union all select 1 from projects p join pg_roles r on r.rolname = p.role_name where p.id = $1`,
    [projectId],
  );

/** Jobs and leases wait for seconds; a test need not. */
const hurry = () => world.sql('update graphile_worker._private_jobs set run_at = now() where locked_at is null');

/** Each brings a deletion to a point and keeps it there. @returns what lets go of whatever keeps it */
const points: Record<string, (projectId: string, begin: () => void) => Promise<() => Promise<unknown>>> = {
  'after it was begun, before the gateway knew': async (_projectId, begin) => {
    const commit = world.proxy.freezeCommit(/set "state" = 'deleting'/);
    begin();
    await commit.answered;
    return async () => undefined;
  },
  'before the database was dropped': async (_projectId, begin) => {
    const release = await world.hold('lock table pg_database in share mode');
    begin();
    await world.blocked(/drop database/);
    return release;
  },
  'between the database and the login role': async (_projectId, begin) => {
    const release = await world.hold('lock table pg_authid in share mode');
    begin();
    await world.blocked(/drop role/);
    return release;
  },
  'after the database was dropped, before the project was marked so': async (projectId, begin) => {
    const releaseDatabases = await world.hold('lock table pg_database in share mode');
    begin();
    await world.blocked(/drop database/);
    const release = await world.hold('select 1 from projects where id = $1 for update', [projectId]);
    await releaseDatabases();
    await world.blocked(/update "projects"/);
    return release;
  },
  'after it was done, before the gateway knew': async (_projectId, begin) => {
    const commit = world.proxy.freezeCommit(/update "projects" set "state" = 'deleted'/);
    begin();
    await commit.answered;
    return async () => undefined;
  },
};

test.each(Object.keys(points))('a deletion killed %s is finished after the restart, once', async (point) => {
  const gateway = await world.start(env);
  const { wallet, projectId } = await project(gateway);
  let unanswered: Promise<unknown> | undefined;
  const release = await points[point]!(projectId, () => {
    unanswered = remove(gateway, wallet, projectId).catch((error: unknown) => error);
  });
  await gateway.kill();
  expect(await unanswered).toBeInstanceOf(Error);
  await release();
  // Whatever is waited for after the restart, it is no lease.
  await world.sql(`update step_operations set lease_until = now() + interval '1 hour' where state = 'running'`);
  await world.sql(`update idempotency_keys set lease_until = now() + interval '1 hour' where outcome is null`);

  const next = await world.start(env);
  await until(async () => expect(await stepOf(projectId)).toMatchObject({ state: 'done' }));
  expect(await stateOf(projectId)).toBe('deleted');
  expect(await leftOf(projectId)).toEqual([]);
  const replayed = await persist(() => remove(next, wallet, projectId));
  expect([replayed.status, replayed.body]).toEqual([200, { status: 'purged', project_id: projectId }]);
  expect(
    await world.sql(`select 1 from audit_events where object_id = $1 and action = 'project.deleted'`, [projectId]),
  ).toHaveLength(1);
  expect(await next.stop()).toBe(0);
});

test('while its server is away a project is gone already, and its database goes when the server is back', async () => {
  const gateway = await world.start(env);
  const { wallet, orgId, projectId } = await project(gateway);
  projectServer.cut();
  const answer = await remove(gateway, wallet, projectId);
  expect(answer).toMatchObject({
    status: 503,
    body: { code: 'UPSTREAM_UNAVAILABLE', retryable: true, safe_to_retry: true, mutation_state: 'partial' },
  });
  const list = await gateway.call(gateway.as(wallet), 'GET', `/projects/v1?org_id=${orgId}`);
  expect(list.body).toMatchObject({ projects: [] });
  expect(await stateOf(projectId)).toBe('deleting');
  expect(await leftOf(projectId)).toHaveLength(2);

  // Long after anything else would have been given up.
  const { id, state } = await stepOf(projectId);
  expect(state).toBe('running');
  await world.sql('update step_operations set attempts = 40 where id = $1', [id]);
  await until(async () => {
    await hurry();
    expect((await stepOf(projectId)).attempts).toBeGreaterThan(40);
  });
  // The pauses have grown, and the next attempt is waiting.
  await until(async () => {
    const waiting = `select 1 from graphile_worker._private_jobs
      where key = $1 and locked_at is null and run_at > now() + interval '5 minutes'`;
    expect(await world.sql(waiting, [id])).toHaveLength(1);
  });
  expect(await stepOf(projectId)).toMatchObject({ state: 'running', last_error: expect.any(String) });

  projectServer.mend();
  await until(async () => {
    await hurry();
    expect(await stepOf(projectId)).toMatchObject({ state: 'done', last_error: null });
  });
  expect(await stateOf(projectId)).toBe('deleted');
  expect(await leftOf(projectId)).toEqual([]);
  const replayed = await persist(() => remove(gateway, wallet, projectId));
  expect([replayed.status, replayed.body]).toEqual([200, { status: 'purged', project_id: projectId }]);
});

test('a deletion that was cut short goes on when it is sent again with its key', async () => {
  const gateway = await world.start(env);
  const { wallet, projectId } = await project(gateway);
  projectServer.cut();
  expect((await remove(gateway, wallet, projectId)).status).toBe(503);
  projectServer.mend();
  const again = await persist(() => remove(gateway, wallet, projectId));
  expect([again.status, again.body]).toEqual([200, { status: 'purged', project_id: projectId }]);
  expect(await leftOf(projectId)).toEqual([]);
});
