import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import type { ErrorEnvelope } from '../../core/errors.ts';
import { startService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

const service = await startService();
afterAll(() => service.stop());

const sessions = () =>
  service.control.sql<{ pid: number }>(
    `select pid from pg_stat_activity where datname = current_database() and application_name = 'svc-gateway' order by 1`,
  );

test('a statement that was given up is refused as one that may be repeated, and costs no connection', async () => {
  const { wallet, orgId } = await service.owner();
  const holder = new pg.Client({ connectionString: service.control.url });
  await holder.connect();
  await holder.query('begin');
  await holder.query('lock table room_messages in exclusive mode');
  const sent = service.call<ErrorEnvelope>(wallet, 'POST', `/orgs/v1/${orgId}/rooms/hall/messages`, {
    body: { body: 'hello' },
  });
  let before: { pid: number }[] = [];
  await until(async () => {
    before = await sessions();
    // As Postgres itself does when a statement takes longer than it may.
    const cancelled = await service.control.sql(
      `select pg_cancel_backend(pid) from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock' and application_name = 'svc-gateway'`,
    );
    expect(cancelled).toHaveLength(1);
  });
  const { status, body, headers } = await sent;
  await holder.end();
  expect([status, headers.get('retry-after')]).toEqual([503, '1']);
  expect(body).toMatchObject({
    code: 'UPSTREAM_UNAVAILABLE',
    message: 'The database took too long to answer.',
    retryable: true,
    safe_to_retry: true,
    mutation_state: 'none',
  });
  expect(await sessions()).toEqual(before);
});
