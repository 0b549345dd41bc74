import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { recoverTypedDataAddress } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startChain } from '../helpers/chain.ts';
import { startService } from '../helpers/service.ts';
import { terminal } from './command.ts';

const chain = await startChain({ chainId: 84532 });
const settlement = {
  SETTLEMENT_ADDRESS: `0x${'33'.repeat(20)}`,
  X402_SETTLER_KEY: chain.settlerKey,
  RPC_URL_BASE_SEPOLIA: chain.rpcUrl,
};
const service = await startService({ env: settlement });
const ada = await terminal(service.url);
const guest = await terminal(service.url);

const usdc = '0x036CbD53842c5426634e7929541eC2318f3dCF7e';
const payTo = `0x${'11'.repeat(20)}`;
let price = '50000';
let priced: string | undefined;
let givesReceipt = true;
const payments: { signer: string; value: string }[] = [];

/** Somebody else's shop, which looks at the signature itself. */
const shop = createServer(async (request, response) => {
  const url = `http://127.0.0.1:${(shop.address() as AddressInfo).port}${request.url}`;
  const header = request.headers['payment-signature'];
  if (header === undefined) {
    const offer = {
      scheme: 'exact',
      network: 'eip155:84532',
      asset: usdc,
      amount: price,
      payTo,
      maxTimeoutSeconds: 60,
      extra: { name: 'USDC', version: '2' },
    };
    const challenge = { x402Version: 2, resource: { url: priced ?? url }, accepts: [offer] };
    response.writeHead(402, {
      'content-type': 'application/json',
      'payment-required': Buffer.from(JSON.stringify(challenge)).toString('base64'),
    });
    response.end(JSON.stringify({ code: 'PAYMENT_REQUIRED', message: 'Pay first.' }));
    return;
  }
  const { payload } = JSON.parse(Buffer.from(String(header), 'base64').toString());
  const { authorization, signature } = payload;
  const signer = await recoverTypedDataAddress({
    domain: { name: 'USDC', version: '2', chainId: 84532, verifyingContract: usdc },
    types: {
      TransferWithAuthorization: [
        { name: 'from', type: 'address' },
        { name: 'to', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'validAfter', type: 'uint256' },
        { name: 'validBefore', type: 'uint256' },
        { name: 'nonce', type: 'bytes32' },
      ],
    },
    primaryType: 'TransferWithAuthorization',
    message: authorization,
    signature,
  });
  payments.push({ signer, value: authorization.value });
  const receipt = { success: true, network: 'eip155:84532', transaction: `0x${'22'.repeat(32)}`, payer: signer };
  response.writeHead(200, {
    'content-type': 'application/json',
    ...(givesReceipt ? { 'payment-response': Buffer.from(JSON.stringify(receipt)).toString('base64') } : {}),
  });
  response.end('{"goods":true}');
});

let address: string;
let url: string;
beforeAll(async () => {
  await new Promise<void>((listening) => shop.listen(0, '127.0.0.1', listening));
  url = `http://127.0.0.1:${(shop.address() as AddressInfo).port}/goods?a=1`;
  address = (await ada.svc('init')).json.wallet.address;
});
afterAll(async () => {
  await new Promise((closed) => shop.close(closed));
  await Promise.all([ada.remove(), guest.remove()]);
  await service.stop();
  await chain.stop();
});

test('a price below the cap is paid from the wallet, with its own signature', async () => {
  const { code, json } = await ada.svc('pay', url);
  expect(code).toBe(0);
  expect(json).toMatchObject({
    schema_version: 'x402-commerce-result.v1',
    http_status: 200,
    body: { goods: true },
    outcome: 'paid',
    replay: false,
    payment: { amount_usd_micros: 50_000, network: 'eip155:84532', payer: address, pay_to: payTo, resource_url: url },
  });
  expect(payments).toEqual([{ signer: address, value: '50000' }]);
});

test('above the cap nothing is paid, nor for an address that was not asked for', async () => {
  price = '100001';
  const before = payments.length;
  expect((await ada.svc('pay', url)).error).toMatchObject({
    code: 'SPEND_CAP_EXCEEDED',
    message: 'The price is $0.100001, and at most $0.10 may be paid.',
    details: { amount_usd_micros: 100_001, cap_usd_micros: 100_000 },
  });
  price = '1';
  priced = 'http://127.0.0.1:1/elsewhere';
  expect((await ada.svc('pay', url)).error.code).toBe('PAYMENT_SETTLEMENT_FAILED');
  priced = undefined;
  expect((await ada.svc('pay', url, '--network', 'base')).error.code).toBe('PAYMENT_SETTLEMENT_FAILED');
  expect((await ada.svc('pay', 'http://shop.example/')).error.code).toBe('BAD_USAGE');
  expect(payments).toHaveLength(before);
});

test('goods that come without a receipt are shown, and not said to be safe to buy again', async () => {
  price = '1';
  givesReceipt = false;
  const bought = await ada.svc('pay', url);
  givesReceipt = true;
  expect(bought.code).toBe(1);
  expect(bought.error).toMatchObject({
    code: 'PAYMENT_SETTLEMENT_FAILED',
    retryable: false,
    safe_to_retry: false,
    mutation_state: 'unknown',
    details: { body: { goods: true } },
    next_actions: [{ type: 'reconcile_payment' }],
  });
});

test('what is sold, for how much and where it is paid is told before anything is bought', async () => {
  const { json, code } = await ada.svc('audit', 'pricing');
  expect(code).toBe(0);
  expect(json).toMatchObject({
    ok: true,
    settlement: { network: 'base', asset: 'USDC', decimals: 6, pay_to: settlement.SETTLEMENT_ADDRESS },
    tiers: expect.arrayContaining([expect.objectContaining({ path: '/api/x402-audit', amount: '10000' })]),
  });
  const { stdout } = await ada.svc('audit', 'pricing', '--human');
  expect(stdout).toContain('/api/x402-audit');
});

test('what is free is not paid for', async () => {
  expect((await ada.svc('pay', `${service.url}/api/health`)).json).toMatchObject({
    outcome: 'not_paid',
    payment: null,
  });
});

test('who has no wallet is told to make one', async () => {
  expect((await guest.svc('pay', url)).error).toMatchObject({
    code: 'NO_WALLET',
    next_actions: [{ command: 'svc init' }],
  });
});

test('a guest redeems a room’s key for a seat, and speaks there from then on', async () => {
  const org = (await ada.svc('org', 'create')).json.org_id;
  await ada.svc('org', 'bind', '--org', org, '--room', 'standup');
  const { key } = (await ada.svc('rooms', 'invite')).json;
  const wallet = (await guest.svc('init')).json.wallet.address;
  await chain.mint(wallet, 1_000_000n);
  const seated = await guest.svc('rooms', 'join', key, '--name', 'Guest');
  expect(seated.json).toMatchObject({ org_id: org, membership: { role: 'viewer' }, presence: { name: 'Guest' } });
  const inRoom = guest.with({ SVC_ROOM: `${org}/standup` });
  expect((await inRoom('messages', 'send', 'Hello')).json.sender).toBe('Guest');
});
