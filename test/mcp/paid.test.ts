import { x402Client } from '@x402/core/client';
import { ExactEvmScheme } from '@x402/evm';
import { afterAll, expect, test } from 'vitest';
import { startAgentStage } from '../agents/agent-stage.ts';
import { startChain } from '../helpers/chain.ts';
import { freshAddress } from '../helpers/payments.ts';
import { books, statesOf } from '../payments/shop.ts';
import { platformTools } from './mcp-stage.ts';

const payTo = freshAddress();
const chain = await startChain();
const stage = await startAgentStage({
  env: { SETTLEMENT_ADDRESS: payTo, X402_SETTLER_KEY: chain.settlerKey, RPC_URL_BASE: chain.rpcUrl },
});
afterAll(async () => {
  await stage.stop();
  await chain.stop();
});
const { control, actors } = stage.service;
const tools = platformTools(stage.service);

test('what is sold tells its price, and is given for a payment in the call, once', async () => {
  const payer = await chain.payer();
  const before = await books(chain, control, payTo);
  const args = { url: 'shop.audit-sites.net/shoes' };
  // Whoever brings no payment is told the price, whatever else is wrong.
  for (const given of [args, { url: 5 }, { no_such_argument: 1 }])
    expect(await tools.call(actors.nobody, 'buy_audit', given)).toMatchObject({
      isError: true,
      structuredContent: {
        x402Version: 2,
        resource: { url: 'mcp://tool/buy_audit' },
        accepts: [{ network: 'eip155:8453', amount: '10000', payTo }],
      },
    });
  const asked = await tools.call(actors.nobody, 'buy_audit', args);
  expect(asked.content[0]!.text).toMatch(/^Error calling buy_audit: this has to be paid for; .* \(HTTP 402\)\n/);
  const payment = await new x402Client()
    .register('eip155:8453', new ExactEvmScheme(payer))
    .createPaymentPayload(asked.structuredContent);
  const meta = { 'x402/payment': payment };
  const wrong = await tools.call(actors.nobody, 'buy_audit', { ...args, more: 1 }, meta);
  expect(wrong).toMatchObject({ isError: true, structuredContent: { code: 'VALIDATION_FAILED' } });
  // By way of another, too.
  const call = { name: 'buy_audit', arguments: args };
  const bought = await tools.call(actors.nobody, 'call_tool', call, meta);
  expect(bought).toMatchObject({ structuredContent: { ok: true, tier: 'audit', geo_score: 82 } });
  expect(bought._meta).toMatchObject({ 'x402/payment-response': { success: true, network: 'eip155:8453' } });
  const after = await books(chain, control, payTo);
  expect(after.received - before.received).toBe(10_000n);
  await expect.poll(() => statesOf(control, payer.address)).toMatchObject([{ state: 'delivered' }]);
  const again = await tools.call(actors.nobody, 'buy_audit', args, meta);
  expect(again).toMatchObject({ isError: true, structuredContent: { x402Version: 2 } });
});
