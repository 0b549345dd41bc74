import { randomBytes } from 'node:crypto';
import { getAddress } from 'viem';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { nobody } from '../helpers/actors.ts';
import { startCallGate } from '../helpers/call-gate.ts';
import { startChain } from '../helpers/chain.ts';
import { startFacilitator } from '../helpers/facilitator-process.ts';
import { startFaultyWorld } from '../helpers/faulty-world.ts';
import { type GatewayProcess, killGateways } from '../helpers/gateway-process.ts';
import { startSites } from '../helpers/site-server.ts';
import { challengeOf, paying, sign } from '../payments/shop.ts';

const payTo = getAddress(`0x${randomBytes(20).toString('hex')}`);
const baseUrl = 'http://gateway.example';
const chain = await startChain();
const facilitator = await startFacilitator(chain);
const node = await startCallGate(chain.rpcUrl);
const office = await startCallGate(facilitator.url);
/** A host for each sale; the answer of a page can be kept. */
let pages: { reached: () => void; open: Promise<void> } | undefined;
const hosts = Array.from({ length: 40 }, (_one, at) => `k${at}.audit-sites.net`);
const sites = await startSites(
  Object.fromEntries(
    hosts.map((host) => [
      host,
      async (request, response) => {
        if (request.url === '/' && pages !== undefined) {
          pages.reached();
          await pages.open;
        }
        response.writeHead(200, { 'content-type': 'text/html' }).end(`<title>${host}</title>`);
      },
    ]),
  ),
);
const world = await startFaultyWorld();
afterAll(async () => {
  await world.stop();
  await facilitator.kill();
  for (const one of [node, office, sites]) one.close();
  await chain.stop();
});

/** The gateway that took over in the test before, under the same settings: a start takes its time. */
let living: { readonly gateway: GatewayProcess; readonly settler: string } | undefined;
afterEach(async ({ task }) => {
  if (task.result?.state === 'pass') return;
  living = undefined;
  await killGateways();
});

async function gatewayOf(settler: keyof typeof settlers): Promise<GatewayProcess> {
  if (living?.settler === settler) return living.gateway;
  await living?.gateway.stop();
  const { env } = settlers[settler];
  const gateway = await world.start({ ...env, SETTLEMENT_ADDRESS: payTo, PUBLIC_BASE_URL: baseUrl }, sites.trial);
  living = { gateway, settler };
  return gateway;
}

function holdPage() {
  const reached = Promise.withResolvers<void>();
  const open = Promise.withResolvers<void>();
  pages = { reached: reached.resolve, open: open.promise };
  return {
    reached: reached.promise,
    release() {
      pages = undefined;
      open.resolve();
    },
  };
}

/** Keeps whatever writes to payments waiting; done by somebody who stands beside the gateway. */
const lockPayments = () => world.hold('lock table payments in exclusive mode');

/** What a point gives: whoever waits for it, and what lets go of whatever is kept there. */
interface Reached {
  readonly reached: Promise<unknown>;
  readonly release: () => unknown;
}

/** Steps of a sale that are the same whoever settles, in their order. */
const shared: Readonly<Record<string, () => Promise<Reached>>> = {
  'while it is claimed': async () => {
    const release = await lockPayments();
    return { reached: world.blocked(/insert into "payments"/), release };
  },
  'once it is claimed, before the gateway knows': async () => {
    const page = holdPage();
    return { reached: page.reached, release: page.release };
  },
  'after the work, before it is handed over': async () => {
    const page = holdPage();
    let unlock: (() => Promise<void>) | undefined;
    const reached = (async () => {
      await page.reached;
      unlock = await lockPayments();
      page.release();
      await world.blocked(/update "payments" set "state" = 'settling'/);
    })();
    return { reached, release: () => unlock!() };
  },
  'after the commit, before the gateway knows': async () => {
    const commit = world.proxy.freezeCommit(/update "payments" set "state" = 'settled'/);
    return { reached: commit.answered, release: commit.lose };
  },
};

const own: Readonly<Record<string, () => Promise<Reached>>> = {
  'while it is verified': async () => node.hold('"eth_call"', 'before'),
  'before it is sent': async () => node.hold('eth_sendRawTransaction', 'before'),
  'after it was sent, before the gateway knows': async () => node.hold('eth_sendRawTransaction', 'after'),
  'while its receipt is awaited': async () => node.hold('eth_getTransactionReceipt', 'after'),
  'after it was settled, while it is written down': async () => {
    const receipt = node.hold('eth_getTransactionReceipt', 'after');
    let unlock: (() => Promise<void>) | undefined;
    const reached = (async () => {
      await receipt.reached;
      unlock = await lockPayments();
      receipt.release();
      await world.blocked(/update "payments" set "state" = 'settled'/);
    })();
    return { reached, release: () => unlock!() };
  },
};

const remote: Readonly<Record<string, () => Promise<Reached>>> = {
  'while it is verified': async () => office.hold('/verify', 'after'),
  'before the facilitator is asked to settle': async () => office.hold('/settle', 'before'),
  'after the facilitator has settled, before the gateway knows': async () => office.hold('/settle', 'after'),
};

const settlers = {
  'the gateway itself': {
    env: { X402_SETTLER_KEY: chain.settlerKey, RPC_URL_BASE: node.url },
    points: { ...shared, ...own },
  },
  'a facilitator elsewhere': {
    env: { X402_FACILITATOR_URL: office.url, RPC_URL_BASE: node.url },
    points: { ...shared, ...remote },
  },
} as const;

const buyAt = (gateway: GatewayProcess, path: string, header?: string) =>
  gateway.call<Record<string, unknown>>(nobody, 'GET', path, header === undefined ? {} : { headers: paying(header) });

/** Longest a test may take, a start of the gateway and its end among it, in milliseconds. */
const startsMs = 180_000;

/** Received tokens beside orders, to the unit. */
async function countUp() {
  const [sold] = await world.sql<{ orders: number; revenue: string }>(
    `select count(*)::int as orders, coalesce(sum(amount), 0)::text as revenue from payments
     where state in ('settled', 'delivered')`,
  );
  return { orders: sold!.orders, revenue: BigInt(sold!.revenue), received: await chain.balanceOf(payTo) };
}

const names = Object.keys(settlers) as (keyof typeof settlers)[];
describe.each(names)('a payment that %s settles', (settler) => {
  const { points } = settlers[settler];
  test.each(Object.entries(points))(
    'is good for one audit when the gateway is killed %s',
    { timeout: startsMs },
    async (point, hold) => {
      const gateway = await gatewayOf(settler);
      const payer = await chain.payer();
      const path = `/api/x402-audit?url=${hosts.pop()}`;
      const header = await sign(payer, challengeOf(await buyAt(gateway, path)).accepts[0]);
      const before = await countUp();
      const kept = await hold();
      const unanswered = buyAt(gateway, path, header).catch((error: unknown) => error);
      await kept.reached;
      await gateway.kill();
      expect(await unanswered).toBeInstanceOf(Error);
      await kept.release();

      living = undefined;
      const next = await gatewayOf(settler);
      // What was sent is on its way still, and who presents a payment meanwhile is told so.
      await expect.poll(async () => (await buyAt(next, path, header)).status).toBe(200);
      await expect
        .poll(async () => (await world.sql('select 1 from payments where state = $1', ['delivered'])).length)
        .toBe(before.orders + 1);
      const again = await buyAt(next, path, header);
      expect([again.status, again.body.error]).toEqual([402, 'invalid_exact_evm_nonce_already_used']);
      expect(await chain.balanceOf(payer.address)).toBe(999_990_000n);
      const after = await countUp();
      expect(after).toEqual({
        orders: before.orders + 1,
        revenue: before.revenue + 10_000n,
        received: before.received + 10_000n,
      });
      process.stdout.write(
        `${settler}, killed ${point}: received ${after.received} units, ${after.orders} orders of ${after.revenue}\n`,
      );
    },
  );
});

test('an answer whose commit was not heard of is kept, and given for the same payment', {
  timeout: startsMs,
}, async () => {
  const gateway = await gatewayOf('the gateway itself');
  const payer = await chain.payer();
  const host = hosts.pop()!;
  const path = `/api/x402-audit?url=${host}`;
  const header = await sign(payer, challengeOf(await buyAt(gateway, path)).accepts[0]);
  const before = await countUp();
  const commit = world.proxy.freezeCommit(/update "payments" set "state" = 'settled'/);
  const unheard = buyAt(gateway, path, header);
  await commit.answered;
  commit.lose();
  expect(await unheard).toMatchObject({ status: 503, body: { code: 'payment_recovery_pending' } });
  const kept = 'select state, outcome from payments where payer = $1';
  expect(await world.sql(kept, [payer.address.toLowerCase()])).toEqual([
    { state: 'settled', outcome: expect.any(Buffer) },
  ]);
  await expect.poll(async () => (await buyAt(gateway, path, header)).status).toBe(200);
  // What is given is what was made then: the site was not read again.
  expect(sites.reached.filter((one) => one === `${host} /`)).toHaveLength(1);
  expect(await chain.balanceOf(payer.address)).toBe(999_990_000n);
  expect(await countUp()).toEqual({
    orders: before.orders + 1,
    revenue: before.revenue + 10_000n,
    received: before.received + 10_000n,
  });
});
