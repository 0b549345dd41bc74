import { afterAll, expect, test } from 'vitest';
import { chargeRent } from '../../resolvers/signers/metering/charge-rent.ts';
import { jobContext } from '../../server/workers.ts';
import { startService } from '../helpers/service.ts';

const service = await startService({ nodes: 2, jobs: false });
afterAll(() => service.stop());
const { sql } = service.control;

/** Has a node take the rent of the day. */
const charge = (node: (typeof service.nodes)[number]) =>
  chargeRent({ ctx: jobContext(node.services, new AbortController().signal) } as never, {});

/** An organization with money, and signers that have paid for yesterday. */
async function orgWith(signers: number, money: number): Promise<string> {
  const { orgId, projectId } = await service.project();
  await service.call(service.actors.admin, 'POST', `/orgs/v1/admin/${orgId}/credits`, {
    body: { amount_usd_micros: money },
  });
  await sql(
    `insert into signers (id, org_id, project_id, chain, address, last_rent_debited_on, created_at)
     select 'cwlt_' || $2 || lpad(n::text, 6, '0'), $1, $2, 'base-mainnet', '0x', (now() at time zone 'UTC')::date - 1,
       now() - interval '1 day' + n * interval '1 millisecond' from generate_series(1, $3::int) n`,
    [orgId, projectId, signers],
  );
  return orgId;
}

test('two nodes take a day of ten thousand signers once, by one statement, to the last micro-dollar', async () => {
  const rich = await orgWith(9_000, 1_000_000_000);
  const poor = await orgWith(1_000, 400 * 40_000 + 39_999);
  const sent = await service.statements(() => Promise.all(service.nodes.map(charge)));
  expect(sent.filter((text) => text.includes('ledger_entries'))).toHaveLength(2);
  expect(sent.length).toBeLessThan(16);
  const balance = async (orgId: string) =>
    (
      await sql<{ left: number; entries: number; debits: number; last: number; dense: boolean }>(
        `select available_usd_micros::int as left, entries::int,
           (select count(*)::int from ledger_entries e where e.org_id = b.org_id and kind = 'signer_rental') as debits,
           (select balance_after_available::int from ledger_entries e where e.org_id = b.org_id order by seq desc limit 1) as last,
           (select max(seq) = count(*) from ledger_entries e where e.org_id = b.org_id) as dense
         from org_balances b where org_id = $1`,
        [orgId],
      )
    )[0];
  expect(await balance(rich)).toEqual({
    left: 640_000_000,
    entries: 9_001,
    debits: 9_000,
    last: 640_000_000,
    dense: true,
  });
  expect(await balance(poor)).toEqual({ left: 39_999, entries: 401, debits: 400, last: 39_999, dense: true });
  const suspended = await sql(
    `select org_id, count(*)::int as count from signers where status = 'suspended' group by 1`,
  );
  expect(suspended).toEqual([{ org_id: poor, count: 600 }]);
  // The oldest are kept.
  const [kept] = await sql(
    `select max(created_at) < (select min(created_at) from signers where status = 'suspended')  as oldest
    from signers where status = 'active' and org_id = $1`,
    [poor],
  );
  expect(kept).toEqual({ oldest: true });
  await Promise.all(service.nodes.map(charge));
  expect((await balance(rich))!.debits).toBe(9_000);
  await service.call(service.actors.admin, 'POST', `/orgs/v1/admin/${poor}/credits`, {
    body: { amount_usd_micros: 1 },
  });
  await charge(service.app);
  expect(await balance(poor)).toMatchObject({ left: 0, debits: 401 });
});
