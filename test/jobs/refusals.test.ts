import { afterAll, expect, test } from 'vitest';
import { startService } from '../helpers/service.ts';
import { becomes, projectWith } from './stage.ts';

const service = await startService({ env: { SVC_JOBS_PER_PROJECT: '3', SVC_JOBS_QUEUED: '5' } });
afterAll(() => service.stop());

const { sql } = service.control;
const owned = await projectWith(service);

const good = { job_type: 'echo', input: { input_json: {} }, max_cost_usd_micros: 0 };
let keys = 0;
const post = (body: object, key = `refused-${++keys}`) =>
  owned.call('POST', '/jobs/v1/runs', body, { 'idempotency-key': key });

test.each([
  ['an unknown member', { ...good, priority: 1 }],
  ['an unknown member of the input', { ...good, input: { input_json: {}, more: 1 } }],
  ['no input', { job_type: 'echo', max_cost_usd_micros: 0 }],
  ['an input that is no object', { ...good, input: { input_json: [] } }],
  ['a cap below nothing', { ...good, max_cost_usd_micros: -1 }],
  ['a cap that is no whole number', { ...good, max_cost_usd_micros: 0.5 }],
  ['a cap that does not pay for a second', { ...good, job_type: 'sleep', input: { input_json: { seconds: 1 } } }],
  ['a type that nobody registered', { ...good, job_type: 'mine_gold' }],
  ['an input that its type does not take', { ...good, job_type: 'sleep', max_cost_usd_micros: 100 }],
])('%s is refused as invalid_job_request', async (_name, body) => {
  const { status, body: refused } = await post(body);
  expect([status, refused.code]).toEqual([400, 'invalid_job_request']);
});

test('a type that nobody registered is refused with those that there are', async () => {
  const { body } = await post({ ...good, job_type: 'mine_gold' });
  expect(body.details).toMatchObject({ job_types: ['echo', 'sleep', 'table_import', 'site_audit_bulk'] });
  const types = await service.call<{ job_types: { job_type: string }[] }>(
    service.actors.nobody,
    'GET',
    '/jobs/v1/types',
  );
  expect(types.body.job_types.map(({ job_type }) => job_type)).toEqual(body.details.job_types);
});

test.each([
  'http://example.com/done',
  'ftp://example.com',
  'https://user:secret@example.com/',
  'nothing',
  `https://example.com/${'x'.repeat(2048)}`,
])('the callback %s is refused', async (callback_url) => {
  const { status, body } = await post({ ...good, callback_url });
  expect([status, body.code]).toEqual([400, 'INVALID_CALLBACK_URL']);
});

test('a key is needed, of at most 256 characters', async () => {
  const none = await owned.call('POST', '/jobs/v1/runs', good);
  expect([none.status, none.body.code]).toEqual([400, 'IDEMPOTENCY_KEY_REQUIRED']);
  const long = await post(good, 'k'.repeat(257));
  expect([long.status, long.body.code]).toEqual([400, 'IDEMPOTENCY_KEY_INVALID']);
  expect((await post(good, 'k'.repeat(256))).status).toBe(202);
});

test('a key names one job: again it is answered, and for something else refused', async () => {
  const first = await post(good, 'one');
  const again = await post(good, 'one');
  expect([first.status, again.status]).toEqual([202, 200]);
  expect(again.body.job_id).toBe(first.body.job_id);
  const other = await post({ ...good, input: { input_json: { other: 1 } } }, 'one');
  expect([other.status, other.body.code]).toEqual([409, 'IDEMPOTENCY_KEY_REUSED']);
  expect(other.body.details).toEqual({ job_id: first.body.job_id });
  const both = await Promise.all(Array.from({ length: 6 }, () => post(good, 'at once')));
  expect(new Set(both.map(({ body }) => body.job_id)).size).toBe(1);
  expect(both.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 202]);
  await becomes(owned, first.body.job_id, 'completed');
});

test('a cap that the balance does not cover cannot be held', async () => {
  const poor = await projectWith(service, 0);
  const { status, body } = await poor.submit('echo', {}, { max_cost_usd_micros: 1 });
  expect([status, body.code]).toEqual([403, 'INSUFFICIENT_BALANCE']);
  expect(body.details).toEqual({ required_usd_micros: 1, available_usd_micros: 0 });
  expect((await poor.submit('echo', {}, { max_cost_usd_micros: 0 })).status).toBe(202);
});

test('a job of another project is not there, like one that never was', async () => {
  const stranger = await projectWith(service);
  const { body: job } = await post(good);
  const paths = [`/jobs/v1/runs/${job.job_id}`, '/jobs/v1/runs/job_nobodys'];
  for (const path of paths) {
    for (const [method, more] of [
      ['GET', ''],
      ['DELETE', ''],
      ['GET', '/logs'],
      ['GET', '/artifacts/echo.json'],
    ] as const) {
      const { status, body } = await stranger.call(method, path + more);
      expect([status, body.code]).toEqual([404, 'JOB_NOT_FOUND']);
    }
  }
  await becomes(owned, job.job_id, 'completed');
});

test('a project has so many jobs that wait and run, and the platform as well', async () => {
  const waiting = async (project: string, count: number) => {
    await sql(
      `insert into managed_jobs (id, org_id, project_id, type, input, idempotency_key, intent, cap_usd_micros,
         per_job_usd_micros, per_second_usd_micros, due_at)
       select 'job_' || id || n, org_id, id, 'echo', '{}', 'wait' || n, 'x', 0, 0, 0, now() + interval '1 day'
       from projects, generate_series(1, $2::int) n where id = $1`,
      [project, count],
    );
  };
  await sql('delete from managed_jobs');
  await waiting(owned.projectId, 3);
  const many = await post(good);
  expect([many.status, many.body.code, many.headers.get('retry-after')]).toEqual([429, 'JOB_QUOTA_EXCEEDED', '5']);
  const other = await projectWith(service);
  expect((await other.submit('echo', {}, { max_cost_usd_micros: 0 })).status).toBe(202);
  await waiting(other.projectId, 2);
  const third = await projectWith(service);
  const full = await third.submit('echo', {}, { max_cost_usd_micros: 0 });
  expect([full.status, full.body.code, full.headers.get('retry-after')]).toEqual([503, 'JOB_QUEUE_FULL', '30']);
  await sql('delete from managed_jobs');
});

test('artifacts are not there before the job has completed, nor under another name', async () => {
  const id = await owned.begin('sleep', { seconds: 600 }, { max_cost_usd_micros: 10_000 });
  await becomes(owned, id, 'running');
  const early = await owned.artifact(id, 'sleep.json');
  expect([early.status, early.body.code]).toEqual([404, 'JOB_ARTIFACT_NOT_FOUND']);
  await owned.call('DELETE', `/jobs/v1/runs/${id}`);
});
