import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buffersOf, genericPlanOf } from '../helpers/executed-plan.ts';
import { startService } from '../helpers/service.ts';
import { escalationsOf } from './own-org.ts';

const service = await startService({ jobs: false });
afterAll(() => service.stop());
const { list } = escalationsOf(service);
const { control } = service;
const { wallet, orgId, principalId } = await service.owner();

/** Closed ones, all newer than the few that are open; and as many of others. */
const closed = 20_000;
beforeAll(async () => {
  await control.sql(
    `insert into escalations (org_id, id, raised_by, severity, reason, details, status, level, waves, deadline_at,
       created_at, acknowledged_at, acknowledged_via, resolved_at)
     select $1, gen_random_uuid(), $2, 'normal', 'look', '{}', case when n > 3 then 'resolved' else 'open' end, 1, 1,
       now(), now() - interval '40 days' + n * interval '1 minute',
       case when n > 3 then now() end, case when n > 3 then 'authenticated' end, case when n > 3 then now() end
     from generate_series(1, $3::int + 3) n`,
    [orgId, principalId, closed],
  );
  await control.sql('analyze escalations');
});

const statementOf = async (search: string) => {
  const statements = await service.statements(() => list(wallet, orgId, search));
  return statements.find((text) => text.includes('from "escalations"'))!;
};

test('the few that are open are found without walking along those that are closed', async () => {
  const page = await list(wallet, orgId, '?status=open');
  expect(page.body.escalations).toHaveLength(3);
  const statement = await statementOf('?status=open');
  const buffers = await buffersOf(control, statement, [orgId, 'open', null, null, null, 51]);
  expect(buffers).toBeLessThan(20);
  const plan = await genericPlanOf(control, statement);
  expect(plan).toMatch(/Index Scan Backward using escalations_status_idx/);
  expect(plan).toMatch(/Index Cond: \(\(org_id = \$1\) AND \(status = \$2\)/);
  expect(plan).not.toMatch(/Sort|Seq Scan/);
});

test('a page from the middle of many costs what the first one does, with a status and without', async () => {
  for (const [search, status] of [
    ['?status=resolved', 'resolved'],
    ['', null],
  ] as const) {
    const statement = await statementOf(search);
    const from = (minutes: number) => new Date(Date.now() - 40 * 86_400_000 + minutes * 60_000).toISOString();
    const costs: number[] = [];
    for (const position of [
      [null, null],
      [from(closed / 2), randomUUID()],
    ]) {
      const values = [orgId, status, null, ...position, 51];
      costs.push(await buffersOf(control, statement, values));
    }
    for (const buffers of costs) expect(buffers).toBeLessThan(75);
  }
});
