import { afterAll, expect, test } from 'vitest';
import { deploying, refOf } from '../deploys/deploying.ts';
import { startService } from '../helpers/service.ts';
import { type Any, becomes, projectWith } from './stage.ts';

const service = await startService();
afterAll(() => service.stop());

/** The operator's worker: it does as its input says. */
const worker = `export default async (request) => {
  const { input, job_id, project_id, attempt } = await request.json();
  console.log('working for ' + project_id);
  console.error('attempt ' + attempt);
  if (input.hang) await new Promise((resolve) => setTimeout(resolve, 60_000));
  if (input.fail) return new Response('cannot be rendered', { status: 422 });
  if (input.throw) throw new Error('broken');
  if (input.files) return Response.json({ artifacts: {
    'note.txt': { text: 'hello' }, 'pixel.bin': { content_type: 'image/x-pixel', base64: 'AAEC' } } });
  return Response.json({ job_id, doubled: input.number * 2 });
};`;

const operators = await service.project();
await deploying(service, operators.wallet, operators).deploy(
  { functions: { replace: { worker: { source: refOf(worker), config: { timeout_seconds: 1 } } } } },
  [worker],
);
const admin = (method: string, path: string, body?: object) =>
  service.call<Any>(service.actors.admin, method, `/jobs/v1/admin/types${path}`, body === undefined ? {} : { body });
const type = {
  job_type: 'double',
  description: 'Doubles a number.',
  project: operators.projectId,
  function: 'worker',
  per_job_usd_micros: 500,
  max_seconds: 5,
  memory_mb: 128,
  input_schema: { type: 'object', properties: { number: { type: 'integer', minimum: 1 } } },
};

const registered = await admin('POST', '', type);
const owned = await projectWith(service);

test('a function of the operator becomes a type that every project may submit', async () => {
  expect(registered.status, registered.text).toBe(201);
  expect(registered.body).toMatchObject({ job_type: 'double', kind: 'function', limits: { max_seconds: 5 } });
  expect((await admin('POST', '', type)).body.code).toBe('JOB_TYPE_EXISTS');
  expect((await admin('POST', '', { ...type, job_type: 'echo' })).body.code).toBe('JOB_TYPE_EXISTS');
  const bad = { ...type, job_type: 'bad', input_schema: { type: 'nothing' } };
  expect((await admin('POST', '', bad)).status).toBe(400);
  const shown = await service.call<Any>(service.actors.nobody, 'GET', '/jobs/v1/types');
  expect(shown.body.job_types.at(-1)).toMatchObject({ job_type: 'double', price: { per_job_usd_micros: 500 } });
  expect(shown.text).not.toContain(operators.projectId);
  const id = await owned.begin('double', { number: 21 });
  const job = await becomes(owned, id, 'completed');
  expect(job.metadata).toMatchObject({ cost_usd_micros: 500, billing_status: 'captured' });
  expect(JSON.parse((await owned.artifact(id, 'result.json')).text)).toEqual({ job_id: id, doubled: 42 });
  const { logs } = (await owned.call('GET', `/jobs/v1/runs/${id}/logs`)).body;
  expect(logs.map(({ stream, message }: Any) => [stream, message])).toEqual(
    expect.arrayContaining([
      ['stdout', `working for ${owned.projectId}`],
      ['stderr', 'attempt 1'],
    ]),
  );
});

test('each line that a function prints before it answers is in the log of its job', async () => {
  const ids = await Promise.all(Array.from({ length: 20 }, () => owned.begin('double', { number: 21 })));
  for (const id of ids) {
    await becomes(owned, id, 'completed');
    const { logs } = (await owned.call('GET', `/jobs/v1/runs/${id}/logs`)).body;
    expect(
      logs
        .filter(({ stream }: Any) => stream !== 'system')
        .map(({ stream }: Any) => stream)
        .sort(),
    ).toEqual(['stderr', 'stdout']);
  }
});

test('its input is checked by its schema, and files that it names are artifacts', async () => {
  const refused = await owned.submit('double', { number: 0 });
  expect([refused.status, refused.body.code]).toEqual([400, 'invalid_job_request']);
  const id = await owned.begin('double', { files: true });
  const { artifacts } = await becomes(owned, id, 'completed');
  expect(Object.keys(artifacts)).toEqual(['note.txt', 'pixel.bin']);
  expect(artifacts['pixel.bin']).toMatchObject({ content_type: 'image/x-pixel', size_bytes: 3 });
  expect((await owned.artifact(id, 'note.txt')).text).toBe('hello');
});

test.each([
  ['answers with a refusal', { fail: true }, { code: 'JOB_FUNCTION_FAILED', message: 'cannot be rendered' }],
  ['throws', { throw: true }, { code: 'FUNCTION_FAILED' }],
  ['takes longer than the type may', { hang: true }, { code: expect.stringMatching(/TIMED_OUT|TIMEOUT/) }],
])('a function that %s fails the job, which costs nothing but its seconds', async (_name, input, error) => {
  const before = await owned.balance();
  const id = await owned.begin('double', input);
  const job = await becomes(owned, id, 'failed');
  expect(job.error).toMatchObject(error);
  expect(job.metadata).toMatchObject({ cost_usd_micros: 0, billing_status: 'released' });
  expect(await owned.balance()).toEqual(before);
});

test('what a lost node leaves of a type that cannot be repeated fails, for nothing', async () => {
  const before = await owned.balance();
  const id = await owned.begin('double', { hang: true });
  await becomes(owned, id, 'running');
  await service.control.sql(`update managed_jobs set due_at = now(), lease = 'of a lost node' where id = $1`, [id]);
  const job = await becomes(owned, id, 'failed');
  expect(job.error.code).toBe('JOB_NODE_LOST');
  expect(await owned.balance()).toEqual(before);
});

test('a type that is removed is not offered any more', async () => {
  expect((await admin('DELETE', '/double')).status).toBe(200);
  expect((await admin('DELETE', '/double')).body.code).toBe('JOB_TYPE_NOT_FOUND');
  expect((await owned.submit('double', { number: 1 })).body.code).toBe('invalid_job_request');
  expect((await admin('GET', '')).body.job_types).toEqual([]);
});
