import { afterAll, expect, test } from 'vitest';
import { startService } from '../helpers/service.ts';
import { type Any, becomes, projectWith } from './stage.ts';

const service = await startService();
afterAll(() => service.stop());

const { sql } = service.control;

test('a job is done: its cap is held, its price captured, its log and its artifact are there', async () => {
  const owned = await projectWith(service);
  const { status, body } = await owned.submit('echo', { greeting: 'hello' });
  expect(status).toBe(202);
  expect(body).toMatchObject({
    job_id: expect.stringMatching(/^job_/),
    job_type: 'echo',
    status: 'queued',
    metadata: { billing_status: 'held', attempt_count: 0 },
  });
  expect(body.artifacts).toBeUndefined();
  const done = await becomes(owned, body.job_id, 'completed');
  expect(done.metadata).toMatchObject({
    cost_usd_micros: 10,
    raw_cost_usd_micros: 10,
    absorbed_overage_usd_micros: 0,
    attempt_count: 1,
    billing_status: 'captured',
  });
  expect(await owned.balance()).toEqual({ available: 4_999_990, held: 0 });
  const file = done.artifacts['echo.json'];
  expect(file).toMatchObject({
    url: `${service.url}/jobs/v1/runs/${body.job_id}/artifacts/echo.json`,
    content_type: 'application/json',
  });
  const bytes = await owned.artifact(body.job_id, 'echo.json');
  expect([bytes.status, bytes.headers.get('cache-control'), bytes.headers.get('content-type')]).toEqual([
    200,
    'private, no-store',
    'application/json',
  ]);
  expect(JSON.parse(bytes.text)).toEqual({ greeting: 'hello' });
  const { logs } = (await owned.call('GET', `/jobs/v1/runs/${body.job_id}/logs`)).body;
  expect(logs.map(({ stream }: Any) => stream)).toEqual(['system', 'system', 'stdout', 'system']);
  expect(logs[2]).toMatchObject({ message: '{"greeting":"hello"}', log_stream_name: '1/stdout' });
  const tail = await owned.call('GET', `/jobs/v1/runs/${body.job_id}/logs?tail=1`);
  expect(tail.body.logs).toEqual([logs[3]]);
  const since = await owned.call('GET', `/jobs/v1/runs/${body.job_id}/logs?since=${Date.now() + 60_000}`);
  expect(since.body.logs).toEqual([]);
  const entries = await sql('select kind, amount_usd_micros from ledger_entries where org_id = $1 order by seq', [
    owned.orgId,
  ]);
  expect(entries.slice(1)).toEqual([
    { kind: 'hold', amount_usd_micros: '100000' },
    { kind: 'job', amount_usd_micros: '10' },
    { kind: 'release', amount_usd_micros: '99990' },
  ]);
});
