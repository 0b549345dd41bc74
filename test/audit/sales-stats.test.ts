import { afterAll, expect, test } from 'vitest';
import { documentedCalls } from '../helpers/documented.ts';
import { startService } from '../helpers/service.ts';

// Sales of long ago, which statistics read once and know from then on.

const service = await startService({ nodes: 1 });
afterAll(() => service.stop());
const { nobody } = service.actors;
const call = documentedCalls(service);

/** As if sold and verified so long ago. */
const sellAgo = (age: string, name: string) =>
  service.control.sql(
    `with paid as (
      insert into chain_payments (network, tx_hash, named_as, log_key, purpose, asset, amount, decimals, payer, block,
        confirmations, paid_at, created_at)
      values ('base', $1, $1, 'x', 'licence', 'USDC', 1, 6, 'x', 1, 1, now(), now() - $2::interval))
    insert into orders (id, tier, domain, price_usd, payment_id, network, tx_hash, payer, created_at)
    values ('ord_' || $1, 'audit', 'a.audit-sites.net', 0.01, 'pay_' || $1, 'base', $1, 'x', now() - $2::interval)`,
    [name, age],
  );
const salesOf = async () => {
  const { orders } = (await call(nobody, 'GET', '/api/stats')).body;
  return [orders.total, orders.revenue_usd, orders.verified_transactions];
};

test('what was sold long ago is counted as well as what was sold just now, each once however often it is asked', async () => {
  await sellAgo('400 days', 'old');
  await sellAgo('61 minutes', 'settled');
  await sellAgo('1 minute', 'recent');
  for (let round = 0; round < 3; round += 1) {
    expect(await salesOf()).toEqual([3 + round, `0.0${3 + round}`, 3 + round]);
    await sellAgo('0 seconds', `new${round}`);
    await expect.poll(salesOf).toEqual([4 + round, `0.0${4 + round}`, 4 + round]);
  }
});
