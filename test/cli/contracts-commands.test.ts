import { afterAll, beforeAll, expect, test } from 'vitest';
import { startChain } from '../helpers/chain.ts';
import { startService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import { dollarAbi } from '../signers/stage.ts';
import { type Owner, terminalOfOwner } from './own-project.ts';

const chain = await startChain({ chainId: 84_532 });
const service = await startService({ env: { RPC_URL_BASE_SEPOLIA: chain.rpcUrl } });
const ada = await terminalOfOwner(service, 5_000_000);
const eve = await terminalOfOwner(service);
afterAll(async () => {
  await Promise.all([ada.remove(), eve.remove()]);
  await service.stop();
  await chain.stop();
});

const somebody = '0x00000000000000000000000000000000000000a1';
const onChain = ['--chain', 'base-sepolia'];
const ofDollar = [...onChain, '--to', chain.usdc, '--abi', '@erc20.json'];
let signer: { readonly id: string; readonly address: `0x${string}` };
beforeAll(async () => {
  await Promise.all([ada, eve].map((one) => one.file('erc20.json', dollarAbi)));
  const made = await ada.svc('contracts', 'provision-signer', ...onChain);
  expect(made).toMatchObject({ code: 0, stderr: '' });
  signer = { id: made.json.signer_id, address: made.json.address };
  await chain.client.setBalance({ address: signer.address, value: 10n ** 18n });
});

/** Waits until a call is over. @returns what `contracts status` says of it */
const ended = (callId: string) =>
  until(async () => {
    const { json } = await ada.svc('contracts', 'status', callId);
    expect(json.status).not.toBe('pending');
    return json;
  });
const minting = (to: string, amount: string) => [
  signer.id,
  ...ofDollar,
  '--function',
  'mint',
  '--args',
  JSON.stringify([to, amount]),
];

test('a signer is made once without a word more, listed and found with its balance', async () => {
  expect((await ada.svc('contracts', 'provision-signer', ...onChain)).error).toMatchObject({
    code: 'CONFIRMATION_REQUIRED',
    field: 'yes',
  });
  expect((await ada.svc('contracts', 'get-signer', signer.id)).json).toMatchObject({
    signer_id: signer.id,
    address: signer.address,
    chain: 'base-sepolia',
    status: 'active',
    balance_wei: String(10n ** 18n),
  });
  const second = await ada.svc('contracts', 'provision-signer', ...onChain, '--recovery', somebody, '--yes');
  expect(second.json).toMatchObject({ status: 'active', recovery_address: somebody });
  const { signers } = (await ada.svc('contracts', 'list-signers')).json;
  expect(signers.map((one: { signer_id: string }) => one.signer_id).toSorted()).toEqual(
    [signer.id, second.json.signer_id].toSorted(),
  );
  expect((await ada.svc('contracts', 'provision-signer', '--chain', 'mainnet')).error.code).toBe('BAD_USAGE');
  expect((await eve.svc('contracts', 'provision-signer', ...onChain)).error.code).toBe('INSUFFICIENT_FUNDS');
});

test('people see signers as a table, and who has none the command that makes one', async () => {
  const shown = (await ada.svc('contracts', 'list-signers', '--human')).stdout;
  expect(shown).toMatch(/signer id\s+chain\s+address\s+status/i);
  expect(shown.split(signer.id)).toHaveLength(2);
  expect((await eve.svc('contracts', 'list-signers', '--human')).stdout).toContain('svc contracts provision-signer');
});

test('a call is made, and what became of it can be looked up and read back', async () => {
  const begun = await ada.svc('contracts', 'call', ...minting(somebody, '77'));
  expect(begun.json).toMatchObject({ status: 'pending', tx_hash: expect.stringMatching(/^0x[0-9a-f]{64}$/) });
  expect(await ended(begun.json.call_id)).toMatchObject({ status: 'confirmed', tx_hash: begun.json.tx_hash });
  const balance = [...ofDollar, '--function', 'balanceOf', '--args', JSON.stringify([somebody])];
  expect((await ada.svc('contracts', 'read', ...balance)).json).toEqual({ result: 77 });
  // A read takes no project and no wallet.
  const bob = await eve.with({ SVC_CONFIG_DIR: `${eve.checkout}/nobody` })('contracts', 'read', ...balance);
  expect(bob).toMatchObject({ code: 0, json: { result: 77 } });
  expect((await ada.svc('contracts', 'calls', signer.id)).json.calls).toMatchObject([{ call_id: begun.json.call_id }]);
});

test('the same key makes one call, and other words under it are refused', async () => {
  const to = '0x00000000000000000000000000000000000000b2';
  const key = ['--idempotency-key', 'mint-once'];
  const [one, again] = [
    await ada.svc('contracts', 'call', ...minting(to, '5'), ...key),
    await ada.svc('contracts', 'call', ...minting(to, '5'), ...key),
  ];
  expect(again.json.call_id).toBe(one.json.call_id);
  await ended(one.json.call_id);
  expect(await chain.balanceOf(to)).toBe(5n);
  expect((await ada.svc('contracts', 'call', ...minting(to, '6'), ...key)).error.code).toBe('IDEMPOTENCY_KEY_REUSED');
});

test('a contract is deployed at the address that is told', async () => {
  const code = ['--bytecode', '0x600160005360016000f3'];
  const begun = await ada.svc('contracts', 'deploy', signer.id, ...onChain, ...code);
  const { contract_address: address } = begun.json;
  expect(await ended(begun.json.call_id)).toMatchObject({ status: 'confirmed', contract_address: address });
  expect(await chain.client.getCode({ address })).toBe('0x01');
  expect((await ada.svc('contracts', 'deploy', signer.id, ...onChain, '--bytecode', 'zz')).error).toMatchObject({
    code: 'VALIDATION_FAILED',
    http: 400,
  });
});

test('an address for what is left is set and cleared, and a threshold is kept', async () => {
  const recovery = (...words: string[]) => ada.svc('contracts', 'set-recovery', signer.id, ...words);
  const shown = async () => (await ada.svc('contracts', 'get-signer', signer.id)).json;
  expect((await recovery('--address', somebody)).json.recovery_address).toBe(somebody);
  expect(await shown()).toMatchObject({ recovery_address: somebody });
  expect((await recovery('--clear')).json.recovery_address).toBeNull();
  expect(await shown()).toMatchObject({ recovery_address: null });
  expect((await recovery()).error.code).toBe('BAD_USAGE');
  expect((await recovery('--clear', '--address', somebody)).error.code).toBe('BAD_USAGE');
  const alert = (wei: string) => ada.svc('contracts', 'set-alert', signer.id, '--threshold-wei', wei);
  expect((await alert('1000')).json).toMatchObject({ threshold_wei: '1000' });
  expect(await shown()).toMatchObject({ low_balance_threshold_wei: '1000' });
  expect((await alert('-1')).error.code).toBe('VALIDATION_FAILED');
});

test('wrong words call nobody, and a call that would be reverted is not begun', async () => {
  const call = (...words: string[]) => ada.svc('contracts', 'call', ...words);
  expect((await call(signer.id, ...ofDollar)).error.code).toBe('BAD_USAGE');
  expect((await call(...minting(somebody, '1').with(6, '@absent.json'))).error.code).toBe('FILE_NOT_FOUND');
  const named = ['--function', 'transfer', '--args', JSON.stringify([somebody, '1'])];
  expect((await call(signer.id, ...ofDollar, ...named)).error.code).toBe('CONTRACT_CALL_REVERTED');
  expect((await ada.svc('contracts', 'status', 'ccall_000000000000000000000000')).error.code).toBe(
    'RESOURCE_NOT_FOUND',
  );
});

test('a signer is drained and deleted only with --confirm, and deleted when it is empty', async () => {
  const to = '0x00000000000000000000000000000000000000e5';
  for (const words of [
    ['drain', signer.id, '--to', to],
    ['delete', signer.id],
  ])
    expect((await ada.svc('contracts', ...words)).error.code).toBe('CONFIRMATION_REQUIRED');
  expect((await ada.svc('contracts', 'delete', signer.id, '--confirm')).error.code).toBe('SIGNER_NOT_EMPTY');
  const drained = await ada.svc('contracts', 'drain', signer.id, '--to', to, '--confirm');
  expect(await ended(drained.json.call_id)).toMatchObject({ status: 'confirmed', kind: 'drain' });
  expect(await chain.client.getBalance({ address: signer.address })).toBe(0n);
  expect(await chain.client.getBalance({ address: to })).toBeGreaterThan(9n * 10n ** 17n);
  expect((await ada.svc('contracts', 'drain', signer.id, '--to', to, '--confirm')).error.code).toBe('NOTHING_TO_DRAIN');
  expect((await ada.svc('contracts', 'delete', signer.id, '--confirm')).json).toMatchObject({ status: 'deleted' });
  expect((await ada.svc('contracts', 'call', ...minting(somebody, '1'))).error.code).toBe('SIGNER_DELETED');
});

const ofAda: [string, (...more: string[]) => string[]][] = [
  ['get-signer', () => [signer.id]],
  ['calls', () => [signer.id]],
  ['set-recovery', () => [signer.id, '--clear']],
  ['set-alert', () => [signer.id, '--threshold-wei', '1']],
  ['call', () => minting(somebody, '1')],
  ['deploy', () => [signer.id, ...onChain, '--bytecode', '0x600160005360016000f3']],
  ['drain', () => [signer.id, '--to', somebody, '--confirm']],
  ['delete', () => [signer.id, '--confirm']],
];
test.each(ofAda)('contracts %s of somebody else’s signer is refused as of one that there is not', async (words, of) => {
  const absent = 'cwlt_000000000000000000000000';
  const asked = async (who: Owner, id: string) =>
    (await who.svc('contracts', words, ...of().map((word) => (word === signer.id ? id : word)))).error;
  const [foreign, missing] = [await asked(eve, signer.id), await asked(eve, absent)];
  expect(foreign).toMatchObject({ code: 'RESOURCE_NOT_FOUND', http: 404 });
  expect(foreign.message).toBe(missing.message);
});
