import { afterAll, expect, test } from 'vitest';
import { startService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import { startReceiver } from '../mailboxes/webhook-receiver.ts';
import { becomes, projectWith } from './stage.ts';

const receiver = await startReceiver();
const service = await startService({ env: { WEBHOOK_ORIGINS: receiver.url } });
afterAll(async () => {
  await service.stop();
  await receiver.stop();
});

const owned = await projectWith(service);
const told = (path: string, count = 1) =>
  until(async () => {
    const found = receiver.of(path);
    expect(found).toHaveLength(count);
    return found;
  });

test('whoever asked for it is told of the end of a job, and no answer shows whom', async () => {
  const { body } = await owned.submit('echo', { a: 1 }, { callback_url: `${receiver.url}/200/done` });
  expect(JSON.stringify(body)).not.toContain(receiver.url);
  const job = await becomes(owned, body.job_id, 'completed');
  expect(JSON.stringify(job)).not.toContain(receiver.url);
  const [call] = await told('/200/done');
  expect(call!.headers['svc-webhook-id']).toBe(`${body.job_id}:terminal`);
  expect(call!.body).toEqual({
    id: expect.any(String),
    type: 'job_completed',
    created_at: job.completed_at,
    schema_version: '1',
    idempotency_key: `${body.job_id}:terminal`,
    payload: { job_id: body.job_id, status: 'completed', artifacts: { 'echo.json': expect.any(Object) } },
  });
});

test('a failure and a cancellation are told as well, also when all jobs are purged', async () => {
  const given = { max_cost_usd_micros: 20, callback_url: `${receiver.url}/200/failed` };
  const failed = await owned.begin('sleep', { seconds: 600 }, given);
  await becomes(owned, failed, 'failed');
  expect((await told('/200/failed'))[0]!.body).toMatchObject({
    type: 'job_failed',
    payload: { job_id: failed, status: 'failed', error: { code: 'JOB_COST_CAP_REACHED' } },
  });
  const running = await owned.begin('sleep', { seconds: 600 }, { callback_url: `${receiver.url}/200/purged` });
  await owned.call('DELETE', '/jobs/v1/runs');
  expect((await told('/200/purged'))[0]!.body).toMatchObject({
    type: 'job_cancelled',
    payload: { job_id: running, status: 'cancelled' },
  });
});

test('a receiver that refuses is told again, under the same key', async () => {
  await owned.begin('echo', {}, { callback_url: `${receiver.url}/500/again` });
  await told('/500/again');
  await until(async () => {
    const [row] = await service.control.sql(
      `update job_callbacks set due_at = now() where url like '%/500/again' and lease is null and attempts = 1 returning id`,
    );
    expect(row).toBeDefined();
  });
  const [first, second] = await told('/500/again', 2);
  expect(second!.body).toEqual(first!.body);
});
