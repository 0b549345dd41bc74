import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, expect, test } from 'vitest';
import { startChain } from '../helpers/chain.ts';
import { freshAddress, slowWallet } from '../helpers/payments.ts';
import { startService } from '../helpers/service.ts';
import { startSites } from '../helpers/site-server.ts';
import { challengeOf, decoded, paying, sign, statesOf } from './shop.ts';

const payTo = freshAddress();
const chain = await startChain();
const settler = privateKeyToAccount(chain.settlerKey).address;
const sites = await startSites(
  Object.fromEntries(['a', 'b'].map((name) => [`${name}.audit-sites.net`, { '/': `<title>${name}</title>` }])),
);
const service = await startService({
  auditTrial: sites.trial,
  jobs: false,
  nodes: 1,
  env: { SETTLEMENT_ADDRESS: payTo, X402_SETTLER_KEY: chain.settlerKey, RPC_URL_BASE: chain.rpcUrl },
});
afterAll(async () => {
  await service.stop();
  sites.close();
  await chain.stop();
});

const get = (site: string, headers: Record<string, string> = {}) =>
  service.call<Record<string, unknown>>(service.actors.nobody, 'GET', `/api/x402-audit?url=${site}.audit-sites.net`, {
    headers,
  });

test('while the settling account has no gas nothing is claimed: the payment is good for anything afterwards', async () => {
  const payer = await chain.payer();
  const headers = paying(await sign(payer, challengeOf(await get('a')).accepts[0]));
  await chain.client.setBalance({ address: settler, value: 0n });
  for (let time = 1; time <= 2; time++) {
    const refused = await get('a', headers);
    expect([refused.status, refused.body.code]).toEqual([503, 'payments_unavailable']);
    expect(refused.headers.get('retry-after')).toBe('5');
  }
  const rows = () => statesOf(service.control, payer.address.toLowerCase());
  expect(await rows()).toMatchObject([{ state: 'released' }]);
  await chain.fund(settler);
  expect((await get('b', headers)).status).toBe(200);
  expect(await chain.balanceOf(payTo)).toBe(10_000n);
});

test('a wallet whose check costs the settling account too much is refused with its reason, and keeps its money', async () => {
  const address = freshAddress();
  await chain.client.setCode({ address, bytecode: slowWallet(40_000) });
  await chain.mint(address, 1_000_000n);
  const [offer] = challengeOf(await get('a')).accepts;
  const anybody = await chain.payer(0n);
  const header = await sign(anybody, offer, { tampered: { from: address } });
  const refused = await get('a', paying(header));
  expect([refused.status, refused.body.error]).toEqual([402, 'invalid_exact_evm_transaction_simulation_failed']);
  expect(decoded(refused.headers.get('payment-response'))).toMatchObject({
    success: false,
    errorReason: 'invalid_exact_evm_transaction_simulation_failed',
  });
  expect(await chain.balanceOf(address)).toBe(1_000_000n);
});
