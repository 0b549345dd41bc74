import { afterAll, expect, test } from 'vitest';
import { refOf } from '../deploys/deploying.ts';
import { startService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import type { Any } from '../snapshots/stage.ts';
import { branching } from './stage.ts';

const service = await startService();
afterAll(() => service.stop());
const { control } = service;
const keepHouse = () => control.sql(`select graphile_worker.add_job('housekeeping')`);
const databasesOf = (id: string) =>
  control.sql<{ datname: string }>(
    `select datname from pg_database where datname like '%' || (select database_name from projects where id = $1)`,
    [id],
  );

const source = `export default async () => new Response('as built');`;

test('functions come along as they were built, and their schedules rest unless told otherwise', async () => {
  const one = await branching(service);
  await control.sql(`update orgs set tier = 'team' where id = (select org_id from projects where id = $1)`, [
    one.projectId,
  ]);
  const done = await one.mine.deploy(
    {
      functions: { replace: { job: { source: refOf(source), schedule: '* * * * *' } } },
      routes: { replace: [{ pattern: '/api', target: { type: 'function', name: 'job' } }] },
    },
    [source],
  );
  expect(done, JSON.stringify(done)).toMatchObject({ status: 'ready' });
  const resting = await one.branch();
  const running = await one.branch({ enable_cron: true });
  const nexts = await control.sql<{ project_id: string; rests: boolean }>(
    `select project_id, next_at is null as rests from function_schedules where project_id = any($1)`,
    [[resting.branch_project_id, running.branch_project_id]],
  );
  expect(new Map(nexts.map(({ project_id, rests }) => [project_id, rests]))).toEqual(
    new Map([
      [resting.branch_project_id, true],
      [running.branch_project_id, false],
    ]),
  );
  const called = await one.ask(resting, '/api');
  expect([called.status, called.text, called.headers['x-robots-tag']]).toEqual([200, 'as built', 'noindex']);
});

test('branches are deleted once their time is over, and with their project', async () => {
  const one = await branching(service);
  const [first, second] = [await one.branch(), await one.branch()];
  await control.sql(`update project_branches set expires_at = now() where id = $1`, [first.branch_project_id]);
  await keepHouse();
  await until(async () => expect(await databasesOf(first.branch_project_id)).toEqual([]));
  expect((await one.rowsOf(first, 'none')).status).toBe(401);
  expect((await one.branches('GET')).body.branches).toMatchObject([{ branch_project_id: second.branch_project_id }]);
  const events = await control.sql<{ payload: Any }>(
    `select payload from events where project_id = $1 and type = 'branch_deleted'`,
    [one.projectId],
  );
  expect(events).toMatchObject([{ payload: { branch_project_id: first.branch_project_id, reason: 'expired' } }]);
  const removed = await service.call<Any>(one.wallet, 'DELETE', `/projects/v1/${one.projectId}`);
  expect(removed.status, removed.text).toBe(200);
  await keepHouse();
  await until(async () => expect(await databasesOf(second.branch_project_id)).toEqual([]));
});

test('a branch of a database that cannot be filled says why, and leaves nothing', async () => {
  const one = await branching(service);
  const snapshot = await one.take();
  const [held] = await control.sql<{ sha256: string }>(`select sha256 from snapshot_objects where snapshot_id = $1`, [
    snapshot.snapshot_id,
  ]);
  expect(held).toBeDefined();
  await control.sql(`update project_snapshots set manifest_sha256 = $2 where id = $1`, [
    snapshot.snapshot_id,
    '0'.repeat(64),
  ]);
  const made = await one.branches('POST', '', { from_snapshot_id: snapshot.snapshot_id });
  expect(made.body).toMatchObject({ status: 'failed', error: { code: 'BRANCH_FAILED' }, branch_url: null });
  await until(async () => expect(await databasesOf(made.body.branch_project_id)).toEqual([]));
  expect(await one.branches('POST', `/${made.body.branch_project_id}/renew`)).toMatchObject({
    status: 409,
    body: { code: 'BRANCH_NOT_ACTIVE' },
  });
  expect((await one.branches('DELETE', `/${made.body.branch_project_id}`)).status).toBe(200);
  expect((await one.branches('GET')).body.branches).toEqual([]);
});

test('a branch that is made while sixteen write has what one moment had', async () => {
  const one = await branching(service);
  await control.sql(
    `update orgs set limit_overrides = '{"writesPerSecond": 1000000, "writesBurst": 1000000}'
     where id = (select org_id from projects where id = $1)`,
    [one.projectId],
  );
  await one.sql(`create table pairs (a int, b int)`);
  let writing = true;
  const writers = Array.from({ length: 16 }, async (_none, at) => {
    for (let n = 0; writing; n++)
      await one.sql(`insert into pairs values (${at}, ${n}); insert into pairs values (${at}, ${-n})`);
  });
  const made = await one.branch();
  writing = false;
  await Promise.all(writers);
  const { body } = await one.sqlOf(
    made,
    `select count(*)::int as halves from (
       select from pairs where b <> 0 group by a, abs(b) having count(*) <> 2) as half`,
  );
  expect(body.rows).toEqual([{ halves: 0 }]);
});
