import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, expect, test } from 'vitest';
import { terminal } from '../cli/command.ts';
import { startChain } from '../helpers/chain.ts';
import { documentedCalls, expectRefusal } from '../helpers/documented.ts';
import { freshAddress } from '../helpers/payments.ts';
import { startService } from '../helpers/service.ts';

const chain = await startChain({ chainId: 84532 });
const faucetKey = generatePrivateKey();
const treasury = privateKeyToAccount(faucetKey).address;
await chain.fund(treasury);
await chain.mint(treasury, 10_000_000n);
const service = await startService({
  env: { FAUCET_KEY: faucetKey, RPC_URL_BASE_SEPOLIA: chain.rpcUrl, TRUSTED_PROXIES: '127.0.0.1, ::1' },
});
afterAll(async () => {
  await service.stop();
  await chain.stop();
});
const call = documentedCalls(service);
const { admin, nobody } = service.actors;

let networks = 0;
const network = () => `203.0.113.${++networks}`;
const ask = (address: string, from = network(), more: Record<string, string> = {}) =>
  call(nobody, 'POST', '/faucet/v1', { body: { address }, headers: { 'x-forwarded-for': from, ...more } });

test('a wallet gets a quarter of a dollar of test money, once a day', async () => {
  const address = freshAddress();
  const given = await ask(address);
  expect([given.status, given.body]).toEqual([
    200,
    {
      transaction_hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      amount_usd_micros: 250_000,
      token: 'USDC',
      network: 'base-sepolia',
    },
  ]);
  expect(await chain.balanceOf(address)).toBe(250_000n);
  const trail = await service.control.sql(
    `select org_id, details from audit_events where action = 'faucet.sent' and details ->> 'address' = $1`,
    [address.toLowerCase()],
  );
  expect(trail).toEqual([{ org_id: null, details: { address: address.toLowerCase() } }]);
  const again = await ask(address.toLowerCase());
  expectRefusal(again, 'RATE_LIMITED');
  expect(Number(again.headers.get('retry-after'))).toBeGreaterThan(86_000);
  await service.control.sql(`update faucet_turns set taken_at = taken_at - interval '1 day'`);
  expect((await ask(address)).status).toBe(200);
  expect(await chain.balanceOf(address)).toBe(500_000n);
});

test('a network of clients gets one gift a day, for whatever wallet', async () => {
  const from = network();
  expect((await ask(freshAddress(), from)).status).toBe(200);
  const other = freshAddress();
  expectRefusal(await ask(other, from), 'RATE_LIMITED');
  // The wallet itself has had none.
  expect((await ask(other)).status).toBe(200);
});

test('twenty who ask for one wallet at once have it paid once', async () => {
  const address = freshAddress();
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask(address)));
  const hashes = new Set(answers.filter(({ status }) => status === 200).map(({ body }) => body.transaction_hash));
  expect(hashes.size).toBe(1);
  for (const answer of answers.filter(({ status }) => status !== 200)) expectRefusal(answer, 'RATE_LIMITED');
  expect(await chain.balanceOf(address)).toBe(250_000n);
});

test('the same key gives the same answer and no second gift', async () => {
  const address = freshAddress();
  const from = network();
  const key = { 'idempotency-key': 'gift-1' };
  const first = await ask(address, from, key);
  const second = await ask(address, from, key);
  expect([second.status, second.body]).toEqual([200, first.body]);
  expect(await chain.balanceOf(address)).toBe(250_000n);
});

test('the platform admin sends whatever amount, and nobody else does', async () => {
  const address = freshAddress();
  const send = (actor: typeof admin, amount: number) =>
    call(actor, 'POST', '/faucet/v1/admin', { body: { address, amount } });
  expect((await send(admin, 1_500_000)).body).toMatchObject({ amount_usd_micros: 1_500_000 });
  expect((await send(admin, 1)).status).toBe(200);
  expect(await chain.balanceOf(address)).toBe(1_500_001n);
  expectRefusal(await send(nobody, 1), 'AUTH_REQUIRED');
  expectRefusal(await send(service.actors.wallet(), 1), 'ADMIN_REQUIRED');
  expectRefusal(await send(admin, 99_000_000), 'TREASURY_LOW');
  const made = await service.graphql(
    nobody,
    'mutation ($input: RequestFaucetInput!) { requestFaucet(input: $input) { transactionHash amountUsdMicros } }',
    { input: { address: freshAddress() } },
  );
  expect(made.data.requestFaucet).toMatchObject({ amountUsdMicros: 250_000 });
});

test('what is no address is refused, and a gateway without a faucet says so', async () => {
  expectRefusal(await ask('0x12'), 'VALIDATION_FAILED');
  const without = await startService();
  const answer = await without.call(nobody, 'POST', '/faucet/v1', { body: { address: freshAddress() } });
  expectRefusal(answer, 'FAUCET_NOT_CONFIGURED');
  await without.stop();
});

test('svc init asks for a wallet that is new, and makes it all the same where there is none to have', async () => {
  await service.control.sql('delete from faucet_turns');
  const [ada, bob] = [await terminal(service.url), await terminal(service.url)];
  const first = (await ada.svc('init')).json;
  expect(first.faucet).toMatchObject({ amount_usd_micros: 250_000, network: 'base-sepolia' });
  expect(await chain.balanceOf(first.wallet.address)).toBe(250_000n);
  const again = (await ada.svc('init')).json;
  expect([again.faucet, again.faucet_error]).toEqual([undefined, undefined]);
  // Another wallet of the same network, on the same day.
  const second = await bob.svc('init');
  expect(second.code).toBe(0);
  expect(second.json).toMatchObject({ wallet: { created: true }, faucet_error: { code: 'RATE_LIMITED' } });
  await Promise.all([ada.remove(), bob.remove()]);
});
