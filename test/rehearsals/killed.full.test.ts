import { afterAll, expect, test } from 'vitest';
import { startKillable } from '../deploys/killable.ts';
import { until } from '../helpers/until.ts';

const world = await startKillable();
afterAll(() => world.stop());
const { mine, projectId } = world;

/** Statements of the control database before whose commit is answered the gateway is killed. */
const moments = {
  'its branch is opened': /update "project_branches"\s+set [^;]*"status" = 'active'/,
  'the deploy of its branch began': /update "deploy_rehearsals"\s+set [^;]*"branch_operation_id" = /,
  'its report is written': /update "deploy_rehearsals"\s+set [^;]*"report" = /,
} as const;

let gateway = world.first;
let entry = 0;

test.each(Object.keys(moments) as (keyof typeof moments)[])('a node is killed when %s', async (moment) => {
  entry += 1;
  const before = await world.ledger();
  const plan = await mine.plan({ database: { migrations: [world.entry(entry)] } });
  const frozen = world.proxy.freezeCommit(moments[moment]);
  const asked = world.once('POST', `/apply/v1/plans/${plan.body.plan_id}/rehearse`, {}).catch(() => undefined);
  await frozen.answered;
  await world.kill(gateway);
  frozen.thaw();
  await asked;
  gateway = await world.start();
  for (const table of ['project_branches', 'deploy_rehearsals'])
    await world.sql(`update ${table} set due_at = now() where due_at is not null`);
  await world.hurry();
  const [{ id }] = (await world.sql<{ id: string }>('select id from deploy_rehearsals where plan_id = $1', [
    plan.body.plan_id,
  ])) as [{ id: string }];
  const report = await until(async () => {
    const { body } = await mine.read(`/apply/v1/operations/${id}`);
    expect(body.status).toBe('ready');
    return body.rehearsal_report;
  });
  expect(report).toMatchObject({
    status: 'passed',
    migrations: [{ id: `entry-${entry}`, status: 'passed' }],
    teardown: { action: 'deleted' },
  });
  // What is the project's was not touched, and the plan is good.
  expect(await world.ledger()).toEqual(before);
  expect((await mine.call('GET', `/projects/v1/${projectId}/branches`)).body.branches).toEqual([]);
  expect((await mine.commit(plan.body.plan_id)).status).toBe(200);
  expect(await mine.ended(plan.body.operation_id)).toMatchObject({ status: 'ready' });
  expect(await world.ledger()).toEqual([...before, entry]);
});
