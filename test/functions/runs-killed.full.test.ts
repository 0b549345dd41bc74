import { afterAll, expect, test } from 'vitest';
import { refOf } from '../deploys/deploying.ts';
import { startKillable } from '../deploys/killable.ts';
import { until } from '../helpers/until.ts';

const world = await startKillable({ nodes: 'several' });
afterAll(() => world.stop());
const { mine } = world;

const source = `export default async (request) => {
  const { attempt } = await request.json();
  if (attempt.number === 1) await new Promise((resolve) => setTimeout(resolve, 60_000));
  return new Response('done');
};`;

test('a run whose node is killed in mid-attempt is taken up by another node once its lease is over', async () => {
  const deployed = await mine.deploy({ functions: { replace: { worker: { source: refOf(source) } } } }, [source]);
  expect(deployed).toMatchObject({ status: 'ready' });
  const made = await mine.call('POST', '/functions/v1/worker/runs', {
    project_id: deployed.project_id,
    event_type: 'killed',
    idempotency_key: 'killed',
  });
  const id = made.body.run_id;
  const look = async () => (await mine.call('GET', `/functions/v1/runs/${id}`)).body;
  await until(async () => expect(await look()).toMatchObject({ status: 'running' }));
  await world.start();
  await world.kill(world.first);
  expect(await look()).toMatchObject({ status: 'running', attempts: { current: 1 } });
  // The minute of its lease is over.
  await world.sql('update function_runs set due_at = now() where id = $1', [id]);
  await until(async () => expect(await look()).toMatchObject({ status: 'succeeded' }));
  expect(await look()).toMatchObject({
    attempts: { current: 2, total: 2 },
    last_error: { code: 'FUNCTION_RUN_LEASE_EXPIRED' },
  });
});
