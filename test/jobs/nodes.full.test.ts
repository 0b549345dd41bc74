import { afterAll, expect, test } from 'vitest';
import { startService } from '../helpers/service.ts';
import { becomes, projectWith } from './stage.ts';

const service = await startService({ nodes: 2, env: { SVC_JOBS_PER_PROJECT: '100' } });
afterAll(() => service.stop());

test('two nodes do every job once, and no project waits for another one', async () => {
  const [large, small] = [await projectWith(service), await projectWith(service)];
  const ids = [];
  for (let number = 0; number < 60; number++)
    ids.push(await large.begin('sleep', { seconds: 0 }, { max_cost_usd_micros: 100 }));
  const other = await small.begin('echo', {});
  await becomes(small, other, 'completed');
  for (const id of ids) await becomes(large, id, 'completed');
  const rows = await service.control.sql<{ attempt: number; cost: string }>(
    'select attempt, cost_usd_micros as cost from managed_jobs where project_id = $1',
    [large.projectId],
  );
  expect(rows.map(({ attempt }) => attempt)).toEqual(ids.map(() => 1));
  const cost = rows.reduce((sum, row) => sum + Number(row.cost), 0);
  expect(await large.balance()).toEqual({ available: 5_000_000 - cost, held: 0 });
});

test('a job that is cancelled at one node is stopped at the other one', async () => {
  const owned = await projectWith(service);
  for (const _each of [1, 2]) {
    const id = await owned.begin('sleep', { seconds: 600 });
    await becomes(owned, id, 'running');
    await owned.call('DELETE', `/jobs/v1/runs/${id}`);
  }
  // Their turns are free again when both nodes know.
  const after = [await owned.begin('sleep', { seconds: 0 }), await owned.begin('sleep', { seconds: 0 })];
  for (const id of after) await becomes(owned, id, 'completed');
});

test('a node that stops gives its job to another one, and the attempt does not count', async () => {
  const owned = await projectWith(service);
  // As many as two nodes do of one project: the next one is the third node's.
  const filling = [];
  for (const _each of [1, 2, 3, 4]) filling.push(await owned.begin('sleep', { seconds: 600 }));
  for (const id of filling) await becomes(owned, id, 'running');
  const third = await service.startNode();
  const id = await owned.begin('sleep', { seconds: 5 });
  await becomes(owned, id, 'running');
  await third.stop();
  await becomes(owned, id, 'queued');
  await service.startNode();
  const job = await becomes(owned, id, 'completed');
  expect(job.metadata).toMatchObject({ attempt_count: 1, interrupt_count: 1 });
});
