import { afterAll, expect, test } from 'vitest';
import { deploying, refOf } from '../deploys/deploying.ts';
import { startService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

const service = await startService({ nodes: 2 });
afterAll(() => service.stop());

const source = `export default async (request) => {
  const { attempt, run_id } = await request.json();
  console.log(run_id + ' ' + attempt.number);
  return new Response('');
};`;

/** Runs that are due at the same moment. */
const count = 1_000;

test(`two nodes with ${count} runs due at once lose none, and begin none twice; no project waits for another one`, async () => {
  const [large, small] = [await service.project(), await service.project()];
  for (const project of [large, small])
    await deploying(service, project.wallet, project).deploy(
      { functions: { replace: { worker: { source: refOf(source) } } } },
      [source],
    );
  const insert = (project: { readonly projectId: string }, runs: number) =>
    service.control.sql(
      `insert into function_runs (id, org_id, project_id, function, event_type, source, source_type, idempotency_key, intent,
         payload, max_attempts, min_delay_seconds, max_delay_seconds, status, run_at, due_at)
       select 'fnrun_' || id || n, org_id, id, 'worker', 'due', '{"type":"api"}', 'api', n::text, '', '{}', 5, 30, 21600,
         'queued', now(), now() from projects, generate_series(1, $2::int) as n where id = $1`,
      [project.projectId, runs],
    );
  await insert(large, count);
  // They come last, and have their turns nevertheless.
  await insert(small, 4);
  const left = async ({ projectId }: { readonly projectId: string }) => {
    const [row] = await service.control.sql<{ left: number }>(
      `select count(*)::int as left from function_runs where project_id = $1 and status <> 'succeeded'`,
      [projectId],
    );
    return row!.left;
  };
  await until(async () => expect(await left(small)).toBe(0));
  expect(await left(large)).toBeGreaterThan(0);
  for (let before = count; before > 0; before = await left(large)) {
    const now = before;
    await until(async () => expect(await left(large)).toBeLessThan(now));
  }
  for (const node of service.nodes) await node.services.functions.flush();
  const lines = await service.control.sql<{ message: string }>(
    'select message from function_logs where project_id = $1',
    [large.projectId],
  );
  expect(lines).toHaveLength(count);
  expect(new Set(lines.map(({ message }) => message)).size).toBe(count);
  expect(lines.every(({ message }) => message.endsWith(' 1'))).toBe(true);
});
