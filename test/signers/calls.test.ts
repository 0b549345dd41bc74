import { afterAll, expect, test } from 'vitest';
import { startChain } from '../helpers/chain.ts';
import { startService } from '../helpers/service.ts';
import { balanceOfOrg, dollarAbi, ended, minting, projectWith, signerOf } from './stage.ts';

const chain = await startChain({ chainId: 84_532 });
const service = await startService({ env: { RPC_URL_BASE_SEPOLIA: chain.rpcUrl } });
afterAll(async () => {
  await service.stop();
  await chain.stop();
});

const somebody = '0x00000000000000000000000000000000000000a1';

test('a call is signed, sent, paid for once and confirmed by its receipt', async () => {
  const owned = await projectWith(service);
  const signer = await signerOf(owned, chain);
  const before = await balanceOfOrg(service, owned);
  const begun = await owned.call('POST', '/contracts/v1/call', minting(signer, chain, somebody, '77'));
  expect(begun.status, begun.text).toBe(202);
  expect(begun.body).toMatchObject({ status: 'pending', tx_hash: expect.stringMatching(/^0x[0-9a-f]{64}$/) });
  const call = await ended(owned, begun.body.call_id as string);
  expect(call).toMatchObject({
    status: 'confirmed',
    tx_hash: begun.body.tx_hash,
    function_name: 'mint(address,uint256)',
    gas_used: expect.stringMatching(/^\d+$/),
    receipt: { status: 'success', transaction_hash: begun.body.tx_hash },
    error: null,
  });
  expect(await chain.balanceOf(somebody)).toBe(77n);
  expect(before - (await balanceOfOrg(service, owned))).toBe(5);
  const shown = await owned.call('GET', `/contracts/v1/signers/${signer.id}`);
  expect(BigInt(shown.body.balance_wei as string)).toBe(await chain.client.getBalance({ address: signer.address }));
});

test('one key makes one call, and another payload under it is refused with the call', async () => {
  const owned = await projectWith(service);
  const signer = await signerOf(owned, chain);
  const key = { 'idempotency-key': 'mint-once' };
  const body = minting(signer, chain, '0x00000000000000000000000000000000000000b2', 5);
  const [one, other] = await Promise.all([
    owned.call('POST', '/contracts/v1/call', body, key),
    owned.call('POST', '/contracts/v1/call', body, key),
  ]);
  expect([one.status, other.status]).toEqual([202, 202]);
  expect(one.body.call_id).toBe(other.body.call_id);
  await ended(owned, one.body.call_id as string);
  const again = await owned.call('POST', '/contracts/v1/call', body, key);
  expect(again.body).toMatchObject({ call_id: one.body.call_id, status: 'confirmed' });
  expect(await chain.balanceOf('0x00000000000000000000000000000000000000b2')).toBe(5n);
  const otherwise = await owned.call('POST', '/contracts/v1/call', { ...body, args: [somebody, 6] }, key);
  expect(otherwise.status).toBe(409);
  expect(otherwise.body).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED', call_id: one.body.call_id });
});

test('an overload is named by its full signature, and unsafe numbers are refused', async () => {
  const owned = await projectWith(service);
  const signer = await signerOf(owned, chain);
  const overloaded = [
    ...dollarAbi,
    { type: 'function', name: 'mint', stateMutability: 'nonpayable', inputs: [{ type: 'address' }], outputs: [] },
  ];
  const body = { ...minting(signer, chain, somebody), abi_fragment: overloaded };
  const refused = await owned.call('POST', '/contracts/v1/call', body);
  expect(refused.status).toBe(400);
  expect(refused.body.details).toMatchObject({
    field: 'function_name',
    signatures: ['mint(address,uint256)', 'mint(address)'],
  });
  const named = await owned.call('POST', '/contracts/v1/call', { ...body, function_name: 'mint(address,uint256)' });
  expect(named.status, named.text).toBe(202);
  const unsafe = await owned.call('POST', '/contracts/v1/call', minting(signer, chain, somebody, 2 ** 60));
  expect(unsafe.status).toBe(400);
  expect(unsafe.body.details).toMatchObject({ field: 'args' });
  const value = await owned.call('POST', '/contracts/v1/call', { ...minting(signer, chain, somebody), value: '1' });
  expect(value.body.details).toMatchObject({ field: 'value' });
});

test('what would be reverted, and what the account cannot pay, is not begun', async () => {
  const owned = await projectWith(service);
  const signer = await signerOf(owned, chain);
  const reverted = await owned.call('POST', '/contracts/v1/call', {
    ...minting(signer, chain, somebody),
    function_name: 'transfer',
  });
  expect(reverted.status, reverted.text).toBe(409);
  expect(reverted.body.code).toBe('CONTRACT_CALL_REVERTED');
  const poor = await signerOf(owned, chain, { ether: 0n });
  const lacking = await owned.call('POST', '/contracts/v1/call', minting(poor, chain, somebody));
  expect(lacking.body).toMatchObject({ code: 'SIGNER_LACKS_FUNDS', mutation_state: 'none' });
  expect((await owned.call('GET', `/contracts/v1/signers/${signer.id}/calls`)).body.calls).toEqual([]);
});

test('a contract is made at the address that is told at once', async () => {
  const owned = await projectWith(service);
  const signer = await signerOf(owned, chain);
  // Returns one byte of code: STOP.
  const body = { signer_id: signer.id, chain: signer.chain, bytecode: '0x600160005360016000f3' };
  const begun = await owned.call('POST', '/contracts/v1/deploy', body);
  expect(begun.status, begun.text).toBe(202);
  const call = await ended(owned, begun.body.call_id as string);
  expect(call).toMatchObject({ status: 'confirmed', contract_address: begun.body.contract_address });
  const address = begun.body.contract_address as `0x${string}`;
  expect(await chain.client.getCode({ address })).toBe('0x01');
  for (const bytecode of ['0x', '0x6', 'zz', `0x${'00'.repeat(128 * 1024 + 1)}`]) {
    const refused = await owned.call('POST', '/contracts/v1/deploy', { ...body, bytecode });
    expect([refused.status, refused.body.code]).toEqual([400, 'VALIDATION_FAILED']);
  }
});

test('a read needs no credential, and its large integers are texts', async () => {
  await chain.mint('0x00000000000000000000000000000000000000c3', 2n ** 70n);
  const read = (body: object) =>
    service.call(service.actors.nobody, 'POST', '/contracts/v1/read', {
      body: { chain: 'base-sepolia', contract_address: chain.usdc, abi_fragment: dollarAbi, ...body },
    });
  const large = await read({ function_name: 'balanceOf', args: ['0x00000000000000000000000000000000000000c3'] });
  expect(large.body).toEqual({ result: String(2n ** 70n) });
  const small = await read({ function_name: 'balanceOf', args: ['0x00000000000000000000000000000000000000c4'] });
  expect(small.body).toEqual({ result: 0 });
  const nowhere = await read({ contract_address: somebody, function_name: 'balanceOf', args: [somebody] });
  expect(nowhere.status).toBe(400);
  const elsewhere = await read({ chain: 'base-mainnet', function_name: 'balanceOf', args: [somebody] });
  expect([elsewhere.status, elsewhere.body.code]).toEqual([503, 'CHAIN_NOT_CONFIGURED']);
});

test('a signer or a call of another project is as absent as one that there never was', async () => {
  const owned = await projectWith(service);
  const stranger = await projectWith(service, 0);
  const signer = await signerOf(owned, chain);
  const begun = await owned.call('POST', '/contracts/v1/call', minting(signer, chain, somebody));
  for (const path of [`/contracts/v1/signers/${signer.id}`, `/contracts/v1/calls/${begun.body.call_id as string}`]) {
    const foreign = await stranger.call('GET', path);
    const absent = await stranger.call('GET', path.replace(/_[^_]+$/, `_${'0'.repeat(24)}`));
    expect([foreign.status, foreign.body.code, foreign.body.message]).toEqual([
      404,
      'RESOURCE_NOT_FOUND',
      absent.body.message,
    ]);
  }
  const foreign = await stranger.call('POST', '/contracts/v1/call', minting(signer, chain, somebody));
  expect(foreign.status).toBe(404);
});
