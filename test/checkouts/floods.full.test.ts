import { afterAll, expect, test } from 'vitest';
import { startLndServer } from '../helpers/lnd-server.ts';
import { startCheckoutWorld } from './checkout-world.ts';

const lnd = await startLndServer();
const world = await startCheckoutWorld({ env: lnd.env, jobs: false, nodes: 2 });
afterAll(async () => {
  await world.stop();
  await lnd.close();
});
const { service, stripe, checkout, history, send, billing, read } = world;
const topup = { product: 'balance_topup', amount_usd_micros: 20_000_000 };

test('one event 64 times at once over two nodes credits once, and so do 64 different ones', async () => {
  const other = service.nodes[1]!;
  const { wallet, orgId } = await service.owner();
  const { body: made } = await checkout(wallet, orgId, topup);
  const paid = stripe.pay(made.topup_id);
  const same = stripe.event('checkout.session.completed', paid);
  const answers = await Promise.all(
    Array.from({ length: 128 }, (_one, at) => {
      const { body, signature } =
        at < 64 ? same : stripe.event('payment_intent.succeeded', stripe.things.get(String(paid.payment_intent))!);
      return send(body, signature, at % 2 === 0 ? service.url : other.url);
    }),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  // Two workers look at the one row as often as they are told to.
  await Promise.all(
    Array.from({ length: 32 }, (_one, at) => settleOn(at % 2 === 0 ? service.app : other, made.topup_id)),
  );
  await expect.poll(async () => (await read(wallet, orgId, made.topup_id)).status).toBe('paid');
  expect(await history(wallet, orgId)).toHaveLength(1);
});

test('what was paid while no node looked is credited by the next one that starts, once', async () => {
  const { wallet, orgId } = await service.owner();
  const { body: card } = await checkout(wallet, orgId, topup);
  const { body: invoice } = await checkout(
    wallet,
    orgId,
    { product: 'balance_topup', rail: 'lightning', amount_sats: 10_000 },
    { 'idempotency-key': 'once' },
  );
  const { body, signature } = stripe.event('checkout.session.completed', stripe.pay(card.topup_id));
  expect((await send(body, signature)).status).toBe(200);
  lnd.pay(invoice.payment_hash);
  for (const { topup_id } of [card, invoice]) {
    await settleOn(service.app, topup_id);
    await settleOn(service.app, topup_id);
  }
  expect((await billing(wallet, orgId)).available_usd_micros).toBe(20_000_000 + 6_500_050);
  expect(await history(wallet, orgId)).toHaveLength(2);
});

/** A node takes the row, as leased work does, and looks. */
async function settleOn({ services }: typeof service.app, topupId: string): Promise<void> {
  const { settleCheckout } = await import('../../resolvers/checkouts/settle/settle-checkout.ts');
  const { jobContext } = await import('../../server/workers.ts');
  const lease = crypto.randomUUID();
  const taken = await service.control.sql<{ lane: string }>(
    `update checkouts set lease = $2, due_at = now() + interval '1 minute' where id = $1 and lease is null returning lane`,
    [topupId, lease],
  );
  if (taken.length === 0) return;
  const item = { id: topupId, lane: taken[0]!.lane, lease };
  await settleCheckout(jobContext(services, new AbortController().signal), item);
}
