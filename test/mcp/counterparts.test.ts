import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, expect, test } from 'vitest';
import { startAiServer } from '../helpers/ai-server.ts';
import { startChain } from '../helpers/chain.ts';
import { freshAddress } from '../helpers/payments.ts';
import { startService } from '../helpers/service.ts';
import { startStripeServer } from '../helpers/stripe-server.ts';
import { startReceiver } from '../mailboxes/webhook-receiver.ts';
import { noticeDoor } from '../notices/notice-door.ts';
import { dollarAbi } from '../signers/stage.ts';
import { platformTools } from './mcp-stage.ts';

// Tools of what speaks with others: a chain, models, a provider of cards, receivers of notices.

const [chain, ai, stripe, receiver] = await Promise.all([
  startChain({ chainId: 84_532 }),
  startAiServer(),
  startStripeServer(),
  startReceiver(),
]);
const faucetKey = generatePrivateKey();
const treasury = privateKeyToAccount(faucetKey).address;
await chain.fund(treasury);
await chain.mint(treasury, 10_000_000n);
const service = await startService({
  env: {
    FAUCET_KEY: faucetKey,
    ...ai.env,
    ...stripe.env,
    RPC_URL_BASE_SEPOLIA: chain.rpcUrl,
    WEBHOOK_ORIGINS: receiver.url,
  },
});
afterAll(async () => {
  await service.stop();
  await Promise.all([chain.stop(), ai.close(), stripe.close(), receiver.stop()]);
});
const tools = platformTools(service);
const { admin } = service.actors;

/** An owner whose organization has money, and their model. */
async function owner() {
  const ada = await service.project();
  const body = { amount_usd_micros: 5_000_000 };
  await service.call(admin, 'POST', `/orgs/v1/admin/${ada.orgId}/credits`, { body });
  const project_id = ada.projectId;
  return {
    ...ada,
    told: async (name: string, args: object = {}, who = ada.wallet) => {
      const answer = await tools.call(who, name, { project_id, ...args });
      return { isError: answer.isError === true, ...answer.structuredContent };
    },
  };
}

test('a model has a signer call, deploy and be drained, and deletes it', async () => {
  const [ada, eve] = [await owner(), await owner()];
  const at = { chain: 'base-sepolia' };
  const signer = await ada.told('provision_signer', at);
  const { signer_id, address } = signer;
  expect(signer).toMatchObject({ isError: false, status: 'active' });
  await chain.client.setBalance({ address, value: 10n ** 18n });
  const somebody = '0x00000000000000000000000000000000000000a1';
  const dollar = { ...at, contract_address: chain.usdc, abi_fragment: dollarAbi };
  const mint = { ...dollar, signer_id, function_name: 'mint', args: [somebody, '77'] };
  const ended = async ({ call_id }: { readonly call_id: string }) => {
    await expect.poll(async () => (await ada.told('get_contract_call_status', { call_id })).status).not.toBe('pending');
    return ada.told('get_contract_call_status', { call_id });
  };
  expect(await ended(await ada.told('contract_call', mint))).toMatchObject({ status: 'confirmed' });
  const read = { ...dollar, function_name: 'balanceOf', args: [somebody] };
  expect((await tools.call(ada.wallet, 'contract_read', read)).structuredContent).toEqual({ result: 77 });
  const deployed = await ada.told('contract_deploy', { ...at, signer_id, bytecode: '0x600160005360016000f3' });
  expect(await ended(deployed)).toMatchObject({ status: 'confirmed', contract_address: deployed.contract_address });

  for (const [name, args] of [
    ['contract_call', mint],
    ['drain_signer', { signer_id, destination_address: somebody }],
    ['delete_signer', { signer_id }],
  ] as const)
    expect([name, await eve.told(name, args)]).toMatchObject([name, { isError: true, code: 'RESOURCE_NOT_FOUND' }]);
  const drain = { signer_id, destination_address: somebody };
  expect(await ada.told('drain_signer', { ...drain, 'x-confirm-drain': 'cwlt_other' })).toMatchObject({
    code: 'VALIDATION_FAILED',
  });
  expect(await ada.told('delete_signer', { signer_id })).toMatchObject({
    code: 'SIGNER_NOT_EMPTY',
  });
  expect(await ended(await ada.told('drain_signer', drain))).toMatchObject({ status: 'confirmed', kind: 'drain' });
  expect(await chain.client.getBalance({ address })).toBe(0n);
  expect(await ada.told('delete_signer', { signer_id })).toMatchObject({ status: 'deleted' });
});

test('a model has texts translated and judged, and an image made', async () => {
  const ada = await owner();
  await service.call(admin, 'POST', '/ai/v1/addons', {
    body: { project_id: ada.projectId, addon: 'translation', included_words: 1_000 },
  });
  const key = service.actors.bearer(ada.serviceKey);
  const translated = await ada.told('ai_translate', { text: 'Hello', to: 'es' }, key as never);
  expect(translated).toMatchObject({ isError: false, to: 'es', text: expect.any(String) });
  expect(await ada.told('ai_moderate', { text: 'Hello' }, key as never)).toMatchObject({
    isError: false,
    flagged: false,
  });
  const made = await ada.told('generate_image', { prompt: 'A lighthouse' }, key as never);
  expect(made).toMatchObject({ isError: false, content_type: 'image/png' });
  expect(await ada.told('ai_translate', { text: '', to: 'es' }, key as never)).toMatchObject({
    code: 'VALIDATION_FAILED',
  });
});

test('a model begins a payment by card that a person makes, and sees that it is paid', async () => {
  const [ada, eve] = [await owner(), await owner()];
  const org_id = ada.orgId;
  const wanted = { org_id, product: 'balance_topup', amount_usd_micros: 20_000_000 };
  const call = (name: string, args: object, who = ada.wallet) => tools.call(who, name, args);
  const { structuredContent: begun } = await call('create_checkout', wanted);
  const { topup_id } = begun;
  expect(begun).toMatchObject({ status: 'pending', checkout_url: stripe.sessionOf(topup_id).url });
  const { body, signature } = stripe.event('checkout.session.completed', stripe.pay(topup_id));
  const headers = { 'stripe-signature': signature };
  expect((await fetch(`${service.url}/webhooks/stripe`, { method: 'POST', body, headers })).status).toBe(200);
  const shown = async () => (await call('get_checkout', { org_id, topup_id })).structuredContent.status;
  await expect.poll(shown).toBe('paid');
  const foreign = await call('get_checkout', { org_id: eve.orgId, topup_id }, eve.wallet);
  expect(foreign).toMatchObject({ isError: true, structuredContent: { code: 'LIGHTNING_TOPUP_NOT_FOUND' } });
});

test('a model has notices tried, and the secret of their webhook made anew, for an operator with a passkey', async () => {
  const ada = await noticeDoor(service).told({ passkey: false });
  const call = async (name: string) => {
    const { isError = false, structuredContent } = await tools.call(ada.wallet, name);
    return { isError, ...structuredContent };
  };
  expect(await call('rotate_webhook_secret')).toMatchObject({ isError: true, code: 'OPERATOR_PASSKEY_REQUIRED' });
  await service.control.sql('update operator_contacts set passkey_bound_at = now() where email = $1', [ada.email]);
  const url = `${receiver.url}/200/${ada.orgId}`;
  await ada.ask('PATCH', '/notifications/preferences', { webhook_url: url });
  expect(await call('rotate_webhook_secret')).toMatchObject({
    webhook_signing_secret: expect.stringMatching(/^whsec_/),
  });
  expect(await call('test_notification')).toMatchObject({ status: 'delivered' });
  expect(receiver.of(`/200/${ada.orgId}`)).toMatchObject([{ body: { is_test: true } }]);
  expect(await call('test_notification')).toMatchObject({ isError: true, code: 'RATE_LIMITED' });
});

test('a model is given test money once a day, and the admin’s model gives it to whomever it says', async () => {
  const [own, other] = [freshAddress(), freshAddress()];
  const ask = (name: string, args: object, who = service.actors.nobody) => tools.call(who, name, args);
  const given = await ask('request_faucet', { address: own });
  expect(given.structuredContent).toMatchObject({ amount_usd_micros: 250_000, network: 'base-sepolia' });
  expect(await chain.balanceOf(own)).toBe(250_000n);
  const refused = { isError: true, structuredContent: { code: 'RATE_LIMITED' } };
  expect(await ask('request_faucet', { address: own })).toMatchObject(refused);
  expect((await ask('admin_faucet', { address: other }, admin)).isError).not.toBe(true);
  expect(await chain.balanceOf(other)).toBeGreaterThan(0n);
  const { wallet } = await service.owner();
  expect(await ask('admin_faucet', { address: other }, wallet)).toMatchObject({ isError: true });
});

test('a model without a key gets a voucher where the platform offers that', async () => {
  const mint = () => tools.call(service.actors.nobody, 'mint_public_voucher', { reveal: true });
  expect(await mint()).toMatchObject({ isError: true, structuredContent: { code: 'PUBLIC_MINT_NOT_ENABLED' } });
  const caps = { voucher_max_usd_micros: 1e6, outstanding_max_usd_micros: 1e6, daily_max_usd_micros: 1e6 };
  const body = { name: 'The fair', ...caps, public_amount_usd_micros: 20_000 };
  expect((await service.call(admin, 'POST', '/vouchers/v1/admin/issuers', { body })).status).toBeLessThan(300);
  const minted = await mint();
  const { wallet } = await service.owner();
  const redeemed = await tools.call(wallet, 'redeem_voucher', { code: minted.structuredContent.code });
  expect(redeemed.structuredContent).toMatchObject({ amount_usd_micros: 20_000 });
});
