import { afterAll, beforeAll, expect, test } from 'vitest';
import { deploying, refOf } from '../deploys/deploying.ts';
import { startService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

const service = await startService();
afterAll(() => service.stop());

// biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
type Any = any;

const source = `export default async () => new Response('');`;
let project: Awaited<ReturnType<typeof service.project>>;
let theirs: ReturnType<typeof deploying>;
let key: ReturnType<typeof service.actors.bearer>;
beforeAll(async () => {
  project = await service.project();
  theirs = deploying(service, project.wallet, project);
  key = service.actors.bearer(project.serviceKey);
  await service.control.sql(`update orgs set tier = 'team' where id = $1`, [project.orgId]);
});

const trigger = (id: string, cron: string, more: Any = {}) => ({
  id,
  type: 'schedule',
  cron,
  run: { event_type: `${id}.due`, payload: { of: id } },
  ...more,
});
const functionsOf = (more: Any) => ({ functions: { replace: { job: { source: refOf(source), ...more } } } });
const deploy = async (more: Any): Promise<Any> => {
  const done = await theirs.deploy(functionsOf(more), [source]);
  expect(done).toMatchObject({ status: 'ready' });
  return done;
};
const shown = async () =>
  (await service.call<Any>(key, 'GET', `/projects/v1/admin/${project.projectId}/functions`)).body.functions[0];
const runs = async () => (await service.call<Any>(key, 'GET', '/functions/v1/job/runs?limit=100')).body.runs as Any[];
/** The moment of a trigger is there, by the clock of the database. @returns it */
async function comesDue(id: string, ago = '1 second'): Promise<string> {
  const [row] = await service.control.sql<{ at: Date }>(
    `update function_schedules set next_at = date_trunc('milliseconds', now() - $3::interval)
     where project_id = $1 and trigger_id = $2 returning next_at as at`,
    [project.projectId, id, ago],
  );
  return row!.at.toISOString();
}
/** As several nodes look at the same minute. */
const look = () => service.control.sql(`select graphile_worker.add_job('fire-schedules') from generate_series(1, 4)`);

test('a trigger fires once at its moment, whoever looks, and tells what it is of', async () => {
  const { release_id } = await deploy({
    triggers: [trigger('nightly', '30 2 * * *', { timezone: 'Europe/Zurich' }), trigger('often', '*/5 * * * *')],
  });
  expect(await shown()).toMatchObject({
    schedule: null,
    schedule_meta: { run_count: 0, last_run_at: null, next_run_at: expect.stringMatching(/:00\.000Z$/) },
    schedules: [
      { trigger_id: 'nightly', cron: '30 2 * * *', timezone: 'Europe/Zurich' },
      { trigger_id: 'often', timezone: 'UTC' },
    ],
  });
  const at = await comesDue('nightly');
  await look();
  const [run] = await until(async () => {
    const found = await runs();
    expect(found).toMatchObject([{ status: 'succeeded' }]);
    return found;
  });
  expect(run).toMatchObject({
    event_type: 'nightly.due',
    source: { type: 'schedule', trigger_id: 'nightly', mode: 'scheduled', scheduled_at: at, release_id },
  });
  expect(await shown()).toMatchObject({ schedule_meta: { run_count: 1, last_status: 'succeeded' } });
  // The same moment again, as after a restore of the row: its key is taken.
  await service.control.sql(
    `update function_schedules set next_at = $2 where project_id = $1 and trigger_id = 'nightly'`,
    [project.projectId, at],
  );
  await look();
  await until(async () => expect((await shown()).schedules[0].next_run_at).not.toBe(at));
  expect(await runs()).toHaveLength(1);
});

test('a moment that was missed by more than five minutes is dropped', async () => {
  const before = (await runs()).length;
  const at = await comesDue('nightly', '2 hours');
  await look();
  await until(async () => expect((await shown()).schedules[0].next_run_at).not.toBe(at));
  expect(Date.parse((await shown()).schedules[0].next_run_at)).toBeGreaterThan(Date.now());
  expect(await runs()).toHaveLength(before);
});

test('a trigger is fired by hand, beside its schedule', async () => {
  const path = (id: string) => `/projects/v1/${project.projectId}/functions/job/triggers/${id}/run`;
  const { next_run_at: next } = (await shown()).schedules[0];
  const { status, body } = await service.call<Any>(key, 'POST', path('nightly'));
  expect(status).toBe(202);
  expect(body).toMatchObject({
    run: { source: { type: 'schedule', trigger_id: 'nightly', mode: 'manual' } },
    schedule_meta: { run_count: 2, next_run_at: next },
  });
  const absent = await service.call<Any>(key, 'POST', path('absent'));
  expect([absent.status, absent.body.code]).toEqual([404, 'FUNCTION_TRIGGER_NOT_FOUND']);
  const other = await service.project();
  expect((await service.call<Any>(service.actors.bearer(other.serviceKey), 'POST', path('nightly'))).status).toBe(403);
});

test('schedules change with a release, go with it, and come back with a promotion', async () => {
  const ids = async () => (await shown()).schedules.map((one: Any) => `${one.trigger_id} ${one.cron}`);
  const first = await deploy({ schedule: '0 4 * * *', triggers: [trigger('kept', '15 4 * * *')] });
  expect(await ids()).toEqual(['default 0 4 * * *', 'kept 15 4 * * *']);
  const at = (await shown()).schedules[1].next_run_at;
  await deploy({ schedule: null, triggers: [trigger('kept', '15 4 * * *'), trigger('new', '0 5 * * *')] });
  expect(await ids()).toEqual(['kept 15 4 * * *', 'new 0 5 * * *']);
  expect((await shown()).schedules[0].next_run_at).toBe(at);
  await deploy({ schedule: null, triggers: [] });
  expect(await shown()).toMatchObject({ schedules: [], schedule_meta: null });
  const { status } = await theirs.call('POST', `/apply/v1/releases/${first.release_id}/promote`, {
    project: project.projectId,
    allow_warning_codes: [],
  });
  expect(status).toBe(200);
  expect(await ids()).toEqual(['default 0 4 * * *', 'kept 15 4 * * *']);
});

test('what a tier does not allow is refused at the plan, over all projects of the organization', async () => {
  await service.control.sql(`update orgs set tier = 'prototype' where id = $1`, [project.orgId]);
  const { body } = await service.call<Any>(project.wallet, 'POST', '/projects/v1', { body: { org_id: project.orgId } });
  const beside = deploying(service, project.wallet, {
    projectId: body.project_id,
    anonKey: body.anon_key,
    serviceKey: body.service_key,
  });
  const code = async (more: Any) => (await beside.plan(functionsOf(more))).body.code;
  // The other project has two already.
  expect(await code({ schedule: '0 4 * * *' })).toBe('FUNCTION_SCHEDULE_LIMIT_EXCEEDED');
  expect(await code({ schedule: '*/10 * * * *' })).toBe('FUNCTION_SCHEDULE_INTERVAL_TOO_SHORT');
  expect(await code({ schedule: '61 * * * *' })).toBe('INVALID_SPEC');
  expect(await code({ triggers: [trigger('a', '0 4 * * *', { timezone: 'Mars/Olympus' })] })).toBe('INVALID_SPEC');
  await service.control.sql(`update orgs set tier = 'team' where id = $1`, [project.orgId]);
  expect(await code({ schedule: '0 4 * * *', triggers: [trigger('default', '0 5 * * *')] })).toBe('INVALID_SPEC');
});
