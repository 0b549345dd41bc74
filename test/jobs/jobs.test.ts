import { afterAll, expect, test } from 'vitest';
import { openSocket } from '../helpers/graphql-ws-client.ts';
import { startService } from '../helpers/service.ts';
import { runJob } from '../signers/stage.ts';
import { type Any, becomes, projectWith } from './stage.ts';

const service = await startService();
afterAll(() => service.stop());

const { sql } = service.control;

test('a job is done: its cap is held, its price captured, its log and its artifact are there', async () => {
  const owned = await projectWith(service);
  const { status, body } = await owned.submit('sleep', { seconds: 0.01 });
  expect(status).toBe(202);
  expect(body).toMatchObject({
    job_id: expect.stringMatching(/^job_/),
    job_type: 'sleep',
    status: 'queued',
    metadata: { billing_status: 'held', attempt_count: 0 },
  });
  expect(body.artifacts).toBeUndefined();
  const done = await becomes(owned, body.job_id, 'completed');
  const { cost_usd_micros: cost, ...metadata } = done.metadata;
  // Ten for the job, and ten for each second.
  expect(cost).toBeGreaterThan(10);
  expect(metadata).toEqual({
    wall_seconds: expect.any(Number),
    raw_cost_usd_micros: cost,
    absorbed_overage_usd_micros: 0,
    attempt_count: 1,
    interrupt_count: 0,
    billing_status: 'captured',
  });
  expect(await owned.balance()).toEqual({ available: 5_000_000 - cost, held: 0 });
  const file = done.artifacts['sleep.json'];
  expect(file).toMatchObject({
    url: `${service.url}/jobs/v1/runs/${body.job_id}/artifacts/sleep.json`,
    content_type: 'application/json',
  });
  const bytes = await owned.artifact(body.job_id, 'sleep.json');
  expect([bytes.status, bytes.headers.get('cache-control'), bytes.headers.get('content-type')]).toEqual([
    200,
    'private, no-store',
    'application/json',
  ]);
  expect(JSON.parse(bytes.text)).toEqual({ seconds: 0.01 });
  const { logs } = (await owned.call('GET', `/jobs/v1/runs/${body.job_id}/logs`)).body;
  expect(logs.map(({ stream }: Any) => stream)).toEqual(['system', 'system', 'stdout', 'system']);
  expect(logs[2]).toMatchObject({ message: '1 second to go', log_stream_name: '1/stdout' });
  const tail = await owned.call('GET', `/jobs/v1/runs/${body.job_id}/logs?tail=1`);
  expect(tail.body.logs).toEqual([logs[3]]);
  const since = await owned.call('GET', `/jobs/v1/runs/${body.job_id}/logs?since=${Date.now() + 60_000}`);
  expect(since.body.logs).toEqual([]);
  const entries = await sql('select kind, amount_usd_micros from ledger_entries where org_id = $1 order by seq', [
    owned.orgId,
  ]);
  expect(entries.slice(1)).toEqual([
    { kind: 'hold', amount_usd_micros: '100000' },
    { kind: 'job', amount_usd_micros: String(cost) },
    { kind: 'release', amount_usd_micros: String(100_000 - cost) },
  ]);
});

test('a job that is cancelled costs what it has used, and never more than its cap', async () => {
  const owned = await projectWith(service);
  const id = await owned.begin('sleep', { seconds: 600 });
  await becomes(owned, id, 'running');
  const answer = await owned.call('DELETE', `/jobs/v1/runs/${id}`);
  expect([answer.status, answer.body.status]).toEqual([200, 'cancelled']);
  const { cost_usd_micros: cost, raw_cost_usd_micros: raw, billing_status } = answer.body.metadata;
  expect([billing_status, raw]).toEqual(['captured', cost]);
  expect(await owned.balance()).toEqual({ available: 5_000_000 - cost, held: 0 });
  const again = await owned.call('DELETE', `/jobs/v1/runs/${id}`);
  expect([again.status, again.body]).toEqual([200, answer.body]);
  expect(await owned.balance()).toEqual({ available: 5_000_000 - cost, held: 0 });
});

/** A project that has as many jobs under way as a node does of one at a time: what comes then waits. */
async function busy() {
  const owned = await projectWith(service);
  const running = [await owned.begin('sleep', { seconds: 600 }), await owned.begin('sleep', { seconds: 600 })];
  for (const id of running) await becomes(owned, id, 'running');
  const waiting = await owned.begin('echo', {});
  return { owned, waiting };
}

test('a job that waits is cancelled for nothing', async () => {
  const { owned, waiting } = await busy();
  expect(await owned.balance()).toEqual({ available: 4_700_000, held: 300_000 });
  const { body } = await owned.call('DELETE', `/jobs/v1/runs/${waiting}`);
  expect(body).toMatchObject({ status: 'cancelled', metadata: { cost_usd_micros: 0, billing_status: 'released' } });
  expect(await owned.balance()).toEqual({ available: 4_800_000, held: 200_000 });
});

test('a job ends when its cap is used up: the cap is charged, and the platform bears the rest', async () => {
  const owned = await projectWith(service);
  const id = await owned.begin('sleep', { seconds: 600 }, { max_cost_usd_micros: 20 });
  const job = await becomes(owned, id, 'failed');
  expect(job.error.code).toBe('JOB_COST_CAP_REACHED');
  const { cost_usd_micros, raw_cost_usd_micros, absorbed_overage_usd_micros } = job.metadata;
  expect(cost_usd_micros).toBeLessThanOrEqual(20);
  expect(raw_cost_usd_micros - cost_usd_micros).toBe(absorbed_overage_usd_micros);
  expect(await owned.balance()).toEqual({ available: 5_000_000 - cost_usd_micros, held: 0 });
  expect((await owned.artifact(id, 'sleep.json')).status).toBe(404);
});

test('a purge cancels what has not ended, and leaves nothing of any job but its money', async () => {
  const { owned } = await busy();
  const { status, body } = await owned.call('DELETE', '/jobs/v1/runs');
  expect([status, body]).toEqual([200, { deleted_jobs: 3, cancelled_active_jobs: 3, terminated_instances: 2 }]);
  const done = await owned.begin('echo', { kept: 'no' });
  await becomes(owned, done, 'completed');
  const again = await owned.call('DELETE', '/jobs/v1/runs');
  expect(again.body).toEqual({ deleted_jobs: 1, cancelled_active_jobs: 0, terminated_instances: 0 });
  expect((await owned.call('GET', `/jobs/v1/runs/${done}`)).status).toBe(404);
  expect((await owned.call('GET', '/jobs/v1/runs')).body.jobs).toEqual([]);
  expect((await owned.balance()).held).toBe(0);
  expect(await sql('select from job_artifacts where project_id = $1', [owned.projectId])).toEqual([]);
  expect(await sql('select from content_objects where project_id = $1 and named', [owned.projectId])).toEqual([]);
  expect((await owned.call('DELETE', '/jobs/v1/runs')).body).toEqual({
    deleted_jobs: 0,
    cancelled_active_jobs: 0,
    terminated_instances: 0,
  });
});

test('a project that is deleted gives back what was held for its jobs', async () => {
  const { owned, waiting } = await busy();
  const gone = await service.call<Any>(owned.wallet, 'DELETE', `/projects/v1/${owned.projectId}`);
  expect(gone.status, gone.text).toBeLessThan(300);
  const after = await owned.balance();
  expect(after.held).toBe(0);
  expect(after.available).toBeGreaterThan(4_999_000);
  expect(await sql('select from managed_jobs where id = $1', [waiting])).toEqual([]);
});

test('jobs are listed, newest first, page by page', async () => {
  const owned = await projectWith(service);
  const ids = [];
  for (const number of [1, 2, 3]) ids.unshift(await owned.begin('echo', { number }));
  for (const id of ids) await becomes(owned, id, 'completed');
  const page = (await owned.call('GET', '/jobs/v1/runs?limit=2&status=completed')).body;
  expect([page.jobs.map(({ job_id }: Any) => job_id), page.has_more]).toEqual([ids.slice(0, 2), true]);
  const rest = (await owned.call('GET', `/jobs/v1/runs?limit=2&after=${page.next_cursor}`)).body;
  expect([rest.jobs.map(({ job_id }: Any) => job_id), rest.has_more]).toEqual([ids.slice(2), false]);
  expect((await owned.call('GET', '/jobs/v1/runs?job_type=sleep')).body.jobs).toEqual([]);
});

test('the graph submits, reads, cancels and follows jobs', async () => {
  const owned = await projectWith(service);
  const submitted = await service.graphql(
    owned.wallet,
    `mutation ($project: ID) { submitJob(input: { project: $project, idempotencyKey: "graph", request: { jobType: "echo",
       input: { inputJson: { a: 1 } }, maxCostUsdMicros: 1000 } }) { id jobId status } }`,
    { project: owned.projectId },
  );
  expect(submitted.errors).toBeUndefined();
  const { id, jobId } = submitted.data.submitJob;
  await becomes(owned, jobId, 'completed');
  const read = await service.graphql(
    owned.wallet,
    `query ($id: ID!, $project: ID!) {
       node(id: $id) { ... on Job { jobId isOver costUsdMicros artifacts { filename url } logs(tail: 2) { message stream } } }
       project(id: $project) { jobs(first: 5) { edges { node { jobId } } } }
       jobTypes { name } }`,
    { id, project: owned.projectId },
  );
  expect(read.errors).toBeUndefined();
  expect(read.data.node).toMatchObject({
    jobId,
    isOver: true,
    artifacts: [{ filename: 'echo.json' }],
    logs: [{ message: '{"a":1}', stream: 'STDOUT' }, { stream: 'SYSTEM' }],
  });
  expect(read.data.project.jobs.edges).toEqual([{ node: { jobId } }]);
  const stranger = await projectWith(service);
  const hidden = await service.graphql(stranger.wallet, 'query ($id: ID!) { node(id: $id) { id } }', { id });
  expect(hidden.data.node).toBeNull();
  const { client } = openSocket(service.url, owned.wallet);
  const followed = client.iterate<Any, unknown>({
    query: `subscription { jobLogs(project: "${owned.projectId}", job: "${jobId}", first: 4) { cursor line { message stream } } }`,
  });
  const lines: Any[] = [];
  for await (const { data, errors } of followed) {
    expect(errors).toBeUndefined();
    lines.push(data.jobLogs.line);
  }
  expect(lines.map(({ stream }) => stream)).toEqual(['SYSTEM', 'SYSTEM', 'STDOUT', 'SYSTEM']);
});

test('a job that ended 30 days ago is forgotten, and what it made with it', async () => {
  const owned = await projectWith(service);
  const [old, young] = [await owned.begin('echo', { old: 1 }), await owned.begin('echo', { young: 1 })];
  for (const id of [old, young]) await becomes(owned, id, 'completed');
  await sql(`update managed_jobs set completed_at = now() - interval '31 days' where id = $1`, [old]);
  await runJob(service, 'housekeeping');
  expect((await owned.call('GET', '/jobs/v1/runs')).body.jobs.map(({ job_id }: Any) => job_id)).toEqual([young]);
  expect(await sql('select filename from job_artifacts where project_id = $1', [owned.projectId])).toHaveLength(1);
  expect(await sql('select from content_objects where project_id = $1 and named', [owned.projectId])).toHaveLength(1);
});
