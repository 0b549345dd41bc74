import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { startService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

const service = await startService();
afterAll(() => service.stop());

const ready = async () => (await service.call(service.actors.nobody, 'GET', '/readyz')).status;

test('a node that lost its place at the database is not ready until it has it back', async () => {
  expect(await ready()).toBe(200);
  // Waits in line for the place, so that it comes first when the node loses it.
  const usurper = new pg.Client({ connectionString: service.control.url });
  await usurper.connect();
  const waiting = usurper.query('select pg_advisory_lock(7306004)');
  await service.control.sql(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name = 'svc-gateway node'`,
  );
  await waiting;
  await until(async () => expect(await ready()).toBe(503));
  expect((await service.call(service.actors.nobody, 'GET', '/api/health')).status).toBe(200);
  expect(await service.call(service.actors.nobody, 'GET', '/health')).toMatchObject({
    status: 503,
    body: { status: 'unhealthy', checks: { database: 'ok', node: 'displaced' } },
  });
  await usurper.end();
  await until(async () => expect(await ready()).toBe(200));
});
