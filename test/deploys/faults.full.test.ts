import { afterAll, expect, test } from 'vitest';
import { startService } from '../helpers/service.ts';
import { deploying, siteOf } from './deploying.ts';

const service = await startService();
afterAll(() => service.stop());
const { control } = service;

async function fresh() {
  const home = await service.project();
  return { ...home, mine: deploying(service, home.wallet, home) };
}

test('a release that cannot go live waits after its migrations, and goes live when it is resumed', async () => {
  const { mine, projectId } = await fresh();
  await control.sql(`create function refuse_flip() returns trigger language plpgsql as
    $$ begin if new.project_id = '${projectId}' and new.release_id is not null then raise exception 'not now'; end if; return new; end $$`);
  await control.sql(
    'create trigger refuse_flip before insert or update on live_releases for each row execute function refuse_flip()',
  );
  const slices = {
    database: { migrations: [{ id: 'm', sql: 'create table t (id int)' }] },
    ...siteOf({ 'index.html': 'x' }),
  };
  const waiting = await mine.deploy(slices, ['x']);
  expect(waiting).toMatchObject({
    status: 'activation_pending',
    release_id: null,
    error: { code: 'ACTIVATION_FAILED', retryable: true, safe_to_retry: true, phase: 'activate' },
  });
  expect(waiting.activate_attempts).toBeGreaterThanOrEqual(3);
  // Nothing of it is told to strangers, and the data is open again.
  expect(JSON.stringify(waiting.error)).not.toMatch(/refuse_flip|not now/);
  expect(await control.sql('select gated_by from live_releases where project_id = $1', [projectId])).toEqual([
    { gated_by: null },
  ]);
  const second = await mine.plan(siteOf({ 'index.html': 'x' }));
  expect((await mine.commit(second.body.plan_id)).body.code).toBe('BASE_RELEASE_CONFLICT');
  expect((await mine.call('POST', `/apply/v1/operations/${waiting.operation_id}/resume`, {})).status).toBe(200);
  await expect
    .poll(async () => (await mine.read(`/apply/v1/operations/${waiting.operation_id}`)).body.error)
    .toMatchObject({
      code: 'RESUME_FAILED',
      retryable: true,
      safe_to_retry: true,
      details: { phase: 'activate', code: 'ACTIVATION_FAILED' },
    });
  await control.sql('drop trigger refuse_flip on live_releases');
  const resumed = await mine.call('POST', `/apply/v1/operations/${waiting.operation_id}/resume`, {});
  expect(resumed.status).toBe(200);
  await expect
    .poll(async () => (await mine.read(`/apply/v1/operations/${waiting.operation_id}`)).body.status)
    .toBe('ready');
  const again = await mine.call('POST', `/apply/v1/operations/${waiting.operation_id}/resume`, {});
  expect(again).toMatchObject({ status: 409, body: { code: 'NOT_RESUMABLE', details: { status: 'ready' } } });
});

test('a release that cannot be prepared ends its deploy after some attempts, leaves nothing, and lets the next one in', async () => {
  const { mine, projectId } = await fresh();
  await control.sql(`create function refuse_parts() returns trigger language plpgsql as
    $$ begin if new.project_id = '${projectId}' then raise exception 'no room for parts'; end if; return new; end $$`);
  await control.sql(
    'create trigger refuse_parts before insert on release_parts for each row execute function refuse_parts()',
  );
  await mine.upload('x');
  const planned = await mine.plan(siteOf({ 'index.html': 'x' }));
  const { operation_id: id } = (await mine.commit(planned.body.plan_id)).body;
  const status = async () => (await mine.read(`/apply/v1/operations/${id}`)).body.status;
  // The queue pauses longer each time: the last attempts are brought forward.
  await expect.poll(status).toBe('staging');
  await expect
    .poll(async () => {
      await control.sql(`update deploy_operations set attempt = greatest(attempt, 7) where id = $1`, [id]);
      await control.sql(
        `select graphile_worker.add_job('deploys.apply', json_build_object('operation', $1::text), job_key => $1)`,
        [id],
      );
      return status();
    })
    .toBe('failed');
  const { body } = await mine.read(`/apply/v1/operations/${id}`);
  expect(body).toMatchObject({
    release_id: null,
    error: { code: 'SITE_STAGE_FAILED', phase: 'stage', retryable: true, safe_to_retry: true },
  });
  expect(JSON.stringify(body.error)).not.toContain('no room for parts');
  await control.sql('drop trigger refuse_parts on release_parts');
  expect(await mine.deploySite({ 'index.html': 'x' })).toMatchObject({ status: 'ready', release_generation: 1 });
});

test('a deploy that another process takes over in mid-migration is brought to its end once', async () => {
  const { mine, projectId, wallet } = await fresh();
  const sql = 'create table counted (n int); insert into counted values (1); select pg_sleep(2)';
  await mine.upload('x');
  const planned = await mine.plan({ database: { migrations: [{ id: 'm', sql }] }, ...siteOf({ 'index.html': 'x' }) });
  const { body } = await mine.commit(planned.body.plan_id);
  const id = body.operation_id;
  await expect.poll(async () => (await mine.read(`/apply/v1/operations/${id}`)).body.status).toBe('migrating');
  await control.sql(`update deploy_operations set lease_until = now() - interval '1 second' where id = $1`, [id]);
  await control.sql(`select graphile_worker.add_job('deploys.apply', json_build_object('operation', $1::text))`, [id]);
  expect(await mine.ended(id)).toMatchObject({ status: 'ready', release_generation: 1 });
  // biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
  const rows = await service.call<any>(wallet, 'POST', `/projects/v1/admin/${projectId}/sql`, {
    body: { sql: 'select n from counted' },
  });
  expect(rows.body.rows).toEqual([{ n: 1 }]);
  const { events } = (await mine.read(`/apply/v1/operations/${id}/events`)).body;
  expect(events.filter(({ type }: { type: string }) => type === 'ready')).toHaveLength(1);
  const [{ taken }] = (await control.sql('select attempt as taken from deploy_operations where id = $1', [id])) as [
    { taken: number },
  ];
  expect(taken).toBe(2);
});

test('a deploy of a deleted project leaves nothing behind', async () => {
  const { mine, projectId, wallet } = await fresh();
  await mine.deploySite({ 'index.html': 'x' });
  expect((await service.call(wallet, 'DELETE', `/projects/v1/${projectId}`)).status).toBe(200);
  for (const table of [
    'releases',
    'release_parts',
    'live_releases',
    'deploy_plans',
    'deploy_operations',
    'deploy_events',
  ])
    expect([table, await control.sql(`select 1 from ${table} where project_id = $1`, [projectId])]).toEqual([
      table,
      [],
    ]);
});
