import { afterAll, expect, test } from 'vitest';
import type { TaskContext } from '../../kernel/run/task.ts';
import { keepHouse } from '../../server/housekeeping.ts';
import { jobContext } from '../../server/workers.ts';
import { startService } from '../helpers/service.ts';

const service = await startService({ jobs: false });
afterAll(() => service.stop());
const { sql } = service.control;

async function keep(signal = new AbortController().signal) {
  const { services } = service.app;
  const ctx = jobContext(services, signal);
  await keepHouse({ ctx, log: services.log, mailer: { configured: false } } as unknown as TaskContext, {});
}

const named = () => service.logged().filter((line) => JSON.stringify(line).includes('A step of housekeeping failed'));

test('a step that fails keeps no other from running, is told of by name, and fails the job', async () => {
  await keep();
  expect(named()).toEqual([]);
  // One of the first steps, and one in the middle.
  await sql('alter table wallet_nonces rename to wallet_nonces_away');
  await sql(
    `insert into daily_counts (org_id, resource, day, used) values (gen_random_uuid(), 'x', current_date - 30, 1)`,
  );
  await sql(`insert into feed_heads (org_id, kind, feed_id, position) values (gen_random_uuid(), 'claims', 'x', 1)`);
  await sql(`insert into feed_changes (org_id, kind, feed_id, position, object_id, change, created_at)
    select org_id, kind, feed_id, 1, 'clm_x', '{}', now() - interval '30 days' from feed_heads where feed_id = 'x'`);
  await expect(keep()).rejects.toThrow('wallet_nonces');
  expect(named()).toHaveLength(1);
  expect(JSON.stringify(named())).toContain('expire wallet_nonces');
  for (const table of ['daily_counts', 'feed_changes']) expect(await sql(`select 1 from ${table}`)).toEqual([]);
  await sql('alter table usage_flushes rename to usage_flushes_away');
  await expect(keep()).rejects.toThrow('2 steps of housekeeping failed');
  await sql('alter table wallet_nonces_away rename to wallet_nonces');
  await sql('alter table usage_flushes_away rename to usage_flushes');
  await keep();
});

test('one that is told to stop stops, and has not failed', async () => {
  const before = named().length;
  await expect(keep(AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped');
  expect(named()).toHaveLength(before);
});

test('old changes go in batches, each feed with its floor, and the young stay', async () => {
  await sql(`with org as (select gen_random_uuid() as id, n from generate_series(1, 3) n), heads as (
      insert into feed_heads (org_id, kind, feed_id, position) select id, 'claims', 'many', 1500 from org)
    insert into feed_changes (org_id, kind, feed_id, position, object_id, change, created_at)
    select id, 'claims', 'many', p, 'clm_x', '{}',
      now() - case when p <= 1490 and n < 3 then interval '8 days' + (1500 - p) * interval '1 second' else interval '1 day' end
    from org, generate_series(1, 1500) p`);
  await keep();
  const left = await sql(`select floor::int, count(*)::int, min(c.position)::int from feed_heads h
    join feed_changes c using (org_id, kind, feed_id) where feed_id = 'many' group by h.org_id, floor order by floor`);
  expect(left).toEqual([
    { floor: 0, count: 1500, min: 1 },
    { floor: 1490, count: 10, min: 1491 },
    { floor: 1490, count: 10, min: 1491 },
  ]);
});

test('payments that nothing was given for go once nobody can use them, and what was sold stays', async () => {
  const hour = 3_600_000;
  const ago = (hours: number) => new Date(Date.now() - hours * hour);
  const rows = [
    // Given back or refused: what is over for a day goes, and what never ends does after a month.
    ['over', 'released', 60, ago(25)],
    ['refused', 'failed', 60, ago(25)],
    ['just over', 'failed', 60, ago(23)],
    ['young', 'released', 20, ago(25)],
    ['endless', 'released', 24 * 29, new Date('9998-01-01')],
    ['endless and old', 'failed', 24 * 31, new Date('9998-01-01')],
    ['paid', 'settled', 24 * 400, ago(24 * 399)],
    ['handed over', 'settling', 24 * 400, ago(24 * 399)],
    ['delivered', 'delivered', 24 * 400, ago(24 * 399)],
  ] as const;
  for (const [id, state, hours, validBefore] of rows) {
    await sql(
      `insert into payments (id, state, sku, operation, request_digest, network, chain_id, asset, payer, pay_to, amount,
         version, nonce, valid_before, created_at, lease_until)
       values ($1, $2, 'audit', 'audits.buy', '', 'base', 8453, '0x', '0x', '0x', 1, 2, $1, $3, $4, $4)`,
      [id, state, validBefore, ago(hours)],
    );
  }
  await keep();
  const left = await sql<{ id: string }>('select id from payments order by id');
  expect(left.map(({ id }) => id)).toEqual(['delivered', 'endless', 'handed over', 'just over', 'paid', 'young']);
});

test('an answer that was paid for late can be had for a day, however old its payment', async () => {
  await sql(
    `insert into payments (id, state, sku, operation, request_digest, network, chain_id, asset, payer, pay_to, amount,
       version, nonce, outcome, created_at, settled_at)
     select 'late ' || hours, 'settled', 'audit', 'audits.buy', '', 'base', 8453, '0x', '0x', '0x', 1, 2, 'late ' || hours,
       'answer', now() - interval '40 hours', now() - make_interval(hours => hours)
     from unnest(array[23, 25]) hours`,
  );
  await keep();
  expect(await sql(`select id from payments where outcome is not null`)).toEqual([{ id: 'late 23' }]);
});
