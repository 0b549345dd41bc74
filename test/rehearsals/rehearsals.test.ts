import { afterAll, expect, test } from 'vitest';
import { refOf } from '../deploys/deploying.ts';
import { sharedService } from '../helpers/shared-service.ts';
import type { Any } from '../snapshots/stage.ts';
import { functionsOf, greeting, newPage, rehearsing } from './stage.ts';

const service = await sharedService();
afterAll(() => service.stop());

const addNote = { id: '003', sql: 'alter table orders add column note text' };
const needCustomer = { id: '004', sql: 'alter table orders alter column customer set not null' };
const check = (name: string, path: string, status: number | number[]) => ({ name, http: { path, expect: { status } } });

test('a plan that goes well passes on a branch with the rows of the project, which stays as it is, and is committed then', async () => {
  const one = await rehearsing(service);
  const before = await one.live();
  const plan = await one.planned(
    {
      database: { migrations: [addNote] },
      site: { replace: { 'index.html': refOf(newPage) } },
      ...functionsOf({ hello: greeting }),
      checks: [check('home', '/', 200), check('nothing there', '/none.txt', [404, 410])],
    },
    [newPage, greeting],
  );
  expect(plan.rehearsal).toEqual({ available: true, rehearse_url: `/apply/v1/plans/${plan.plan_id}/rehearse` });
  const report = await one.rehearse(plan.plan_id);
  expect(report).toMatchObject({
    kind: 'rehearsal_report',
    status: 'passed',
    operation_id: expect.stringMatching(/^op_/),
    source_project_id: one.projectId,
    plan_id: plan.plan_id,
    branch_project_id: expect.stringMatching(/^prj_/),
    branch_plan_id: expect.stringMatching(/^plan_/),
    branch_operation_id: expect.stringMatching(/^op_/),
    migrations: [{ id: '003', status: 'passed' }],
    teardown: { policy: 'on_pass', action: 'deleted' },
    next_actions: [{ type: 'commit_plan', url: `/apply/v1/plans/${plan.plan_id}/commit` }],
  });
  expect(report.error).toBeUndefined();
  expect(report.checks).toMatchObject([
    { name: '003', type: 'migration', status: 'passed' },
    { name: '/', type: 'static', status: 'passed', target: '/', method: 'GET', actual_status: 200 },
    { name: '/index.html', type: 'static', status: 'passed', actual_status: 200 },
    { name: 'hello', type: 'function', status: 'passed', target: 'hello', actual_status: 200 },
    { name: 'home', type: 'declared', status: 'passed', expected_status: [200], actual_status: 200 },
    { name: 'nothing there', type: 'declared', status: 'passed', expected_status: [404, 410], actual_status: 404 },
  ]);
  expect(await one.live()).toEqual(before);
  expect(await one.branches()).toEqual([]);
  const { body: operation } = await one.mine.read(`/apply/v1/operations/${report.operation_id}`);
  expect(operation).toMatchObject({ kind: 'rehearsal', status: 'ready', plan_id: plan.plan_id, error: null });
  expect(operation.release_id).toBeNull();
  const committed = await one.mine.commit(plan.plan_id);
  expect(committed.body).toMatchObject({ operation_id: plan.operation_id });
  expect(await one.mine.ended(plan.operation_id)).toMatchObject({ status: 'ready' });
  expect((await one.live()).columns).toContainEqual({ column_name: 'note' });
  expect(await one.ask(plan.plan_id)).toMatchObject({ status: 409, body: { code: 'INVALID_STATE' } });
});

test('a migration that fails on the rows that are there is found, and the branch is left to look at', async () => {
  const one = await rehearsing(service);
  const before = await one.live();
  const last = { id: '005', sql: 'create table later (id int)' };
  const plan = await one.planned({
    database: { migrations: [addNote, needCustomer, last] },
    checks: [check('home', '/', 200)],
  });
  const report = await one.rehearse(plan.plan_id);
  expect(report).toMatchObject({
    status: 'failed',
    migrations: [
      { id: '003', status: 'passed' },
      { id: '004', status: 'failed', error: { code: 'MIGRATION_FAILED', details: { migration_id: '004' } } },
      { id: '005', status: 'skipped' },
    ],
    error: { code: 'MIGRATION_FAILED' },
    teardown: { policy: 'on_pass', action: 'kept' },
    next_actions: [
      { type: 'discard_branch', method: 'DELETE' },
      { type: 'keep_branch', method: 'POST' },
    ],
  });
  expect(report.migrations[1].error.message).toContain('contains null values');
  expect(report.checks.at(-1)).toMatchObject({ name: 'home', status: 'skipped' });
  expect(await one.live()).toEqual(before);
  expect(await one.branches()).toMatchObject([{ branch_project_id: report.branch_project_id, status: 'active' }]);
  // It has told of the plan, so that it is no failure of its own.
  expect((await one.mine.read(`/apply/v1/operations/${report.operation_id}`)).body).toMatchObject({
    status: 'ready',
    error: null,
    rehearsal_report: report,
  });
  const [discard] = report.next_actions;
  expect((await service.call<Any>(one.wallet, discard.method, discard.url)).status).toBe(200);
  // With the row mended, the same plan passes.
  await one.sql(`update orders set customer = 'grace' where customer is null`);
  expect(await one.rehearse(plan.plan_id, { teardown: 'always' })).toMatchObject({
    status: 'passed',
    teardown: { policy: 'always', action: 'deleted' },
  });
});

test('what cannot be rehearsed is refused with its code', async () => {
  const one = await rehearsing(service);
  const plan = await one.planned({ database: { migrations: [addNote] } });
  const stranger = (await service.project()).wallet;
  const foreign = await one.ask(plan.plan_id, {}, stranger);
  expect(foreign).toMatchObject({ status: 404, body: { code: 'PLAN_NOT_FOUND' } });
  const absent = await one.ask('plan_none', {}, stranger);
  expect({ ...foreign.body, details: null, trace_id: null }).toEqual({ ...absent.body, details: null, trace_id: null });
  expect(await one.ask('null')).toMatchObject({ status: 400, body: { code: 'DRY_RUN_PLAN_NOT_COMMITTABLE' } });
  expect(await one.ask(plan.plan_id, { teardown: 'never' })).toMatchObject({
    status: 400,
    body: { code: 'INVALID_REHEARSAL_OPTIONS' },
  });
  const unsent = await one.planned({ site: { replace: { 'index.html': refOf('never uploaded') } } });
  expect(await one.ask(unsent.plan_id)).toMatchObject({ status: 409, body: { code: 'REHEARSAL_CONTENT_MISSING' } });
  await service.control.sql(`update deploy_plans set expires_at = now() - interval '1 second' where id = $1`, [
    unsent.plan_id,
  ]);
  expect(await one.ask(unsent.plan_id)).toMatchObject({ status: 410, body: { code: 'PLAN_EXPIRED' } });
  expect(await one.branches()).toEqual([]);
  for (const checks of [
    [check('one', '/', 200), check('one', '/a', 200)],
    [check('one', '//elsewhere.example', 200)],
    [check('one', '/\\elsewhere.example', 200)],
    [check('one', 'about', 200)],
    Array.from({ length: 101 }, (_, at) => check(`c${at}`, '/', 200)),
  ])
    expect(await one.mine.plan({ checks })).toMatchObject({ status: 400, body: { code: 'INVALID_SPEC' } });
});
