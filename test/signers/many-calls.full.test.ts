import { parseAbi } from 'viem';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { startChain } from '../helpers/chain.ts';
import { startRpcGate } from '../helpers/rpc-gate.ts';
import { startService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import { balanceOfOrg, ended, minting, projectWith, signerOf } from './stage.ts';

const chain = await startChain();
const gate = await startRpcGate(chain.rpcUrl);
const service = await startService({ env: { RPC_URL_BASE: gate.url, CONFIRMATIONS_BASE: '2' } });
afterAll(async () => {
  await service.stop();
  await gate.stop();
  await chain.stop();
});

const nonces = async (projectId: string) =>
  (await service.control.sql('select nonce from contract_calls where project_id = $1 order by nonce', [projectId])).map(
    ({ nonce }) => Number(nonce),
  );
/** Makes blocks until the test is over. */
function mining(): void {
  const clock = setInterval(() => void chain.mine().catch(() => undefined), 200);
  onTestFinished(() => clearInterval(clock));
}

/** Sends a request again that a busy node did not answer in time. */
async function answered<Given extends { readonly status: number; readonly body: unknown }>(
  send: () => Promise<Given>,
): Promise<Given> {
  for (;;) {
    const answer = await send();
    if (answer.status !== 502) return answer;
    expect(answer.body).toMatchObject({ retryable: true, safe_to_retry: true, mutation_state: 'not_started' });
  }
}

test('fifty calls of one signer at once have fifty numbers in order, one transaction and one fee each', async () => {
  mining();
  const owned = await projectWith(service);
  const signer = await signerOf(owned, chain);
  const before = await balanceOfOrg(service, owned);
  const to = '0x0000000000000000000000000000000000000050';
  const begun = await Promise.all(
    Array.from({ length: 50 }, (_one, at) =>
      answered(() =>
        owned.call('POST', '/contracts/v1/call', minting(signer, chain, to, '1'), { 'idempotency-key': `k${at}` }),
      ),
    ),
  );
  expect(begun.map(({ status }) => status)).toEqual(Array.from({ length: 50 }, () => 202));
  for (const { body } of begun)
    expect(await ended(owned, body.call_id as string)).toMatchObject({ status: 'confirmed' });
  expect(await nonces(owned.projectId)).toEqual(Array.from({ length: 50 }, (_one, at) => at));
  expect(await chain.balanceOf(to)).toBe(50n);
  expect(await chain.client.getTransactionCount({ address: signer.address })).toBe(50);
  expect(before - (await balanceOfOrg(service, owned))).toBe(250);
});

test('a transaction whose block is not of the chain any more is pending again, and made again', async () => {
  const owned = await projectWith(service);
  const signer = await signerOf(owned, chain);
  const to = '0x0000000000000000000000000000000000000051';
  const begun = await owned.call('POST', '/contracts/v1/call', minting(signer, chain, to, '1'));
  const id = begun.body.call_id as string;
  const look = async () => (await owned.call('GET', `/contracts/v1/calls/${id}`)).body;
  await until(async () => expect(await look()).toMatchObject({ status: 'pending', receipt: { status: 'success' } }));
  await chain.automine(false);
  // The node forgets the transaction with its block.
  await chain.client.request({ method: 'anvil_reorg', params: [1, []] } as never);
  await chain.client.dropTransaction({ hash: begun.body.tx_hash as `0x${string}` }).catch(() => undefined);
  expect(await chain.balanceOf(to)).toBe(0n);
  await until(async () => expect(await look()).toMatchObject({ status: 'pending', receipt: null }));
  await chain.automine(true);
  mining();
  expect(await ended(owned, id)).toMatchObject({ status: 'confirmed', tx_hash: begun.body.tx_hash });
  expect(await chain.balanceOf(to)).toBe(1n);
});

test('a transaction that pays too little for a block is replaced by one of the same number', async () => {
  const owned = await projectWith(service);
  const signer = await signerOf(owned, chain);
  const to = '0x0000000000000000000000000000000000000052';
  await chain.automine(false);
  const begun = await owned.call('POST', '/contracts/v1/call', minting(signer, chain, to, '1'));
  const first = begun.body.tx_hash as string;
  await until(async () => expect(await chain.waiting()).toBe(1));
  await chain.client.setNextBlockBaseFeePerGas({ baseFeePerGas: 10n ** 12n });
  await chain.mine();
  const id = begun.body.call_id as string;
  await until(async () => {
    await chain.client.setNextBlockBaseFeePerGas({ baseFeePerGas: 10n ** 12n });
    expect((await owned.call('GET', `/contracts/v1/calls/${id}`)).body.tx_hash).not.toBe(first);
  });
  mining();
  const call = await ended(owned, id);
  expect(call).toMatchObject({ status: 'confirmed' });
  expect(call.tx_hash).not.toBe(first);
  expect(await chain.balanceOf(to)).toBe(1n);
  expect(await chain.client.getTransactionCount({ address: signer.address })).toBe(1);
  expect(await nonces(owned.projectId)).toEqual([0]);
  await chain.automine(true);
});

test('a node that answers late, twice or nonsense makes no second transaction', async () => {
  mining();
  const owned = await projectWith(service);
  const to = '0x0000000000000000000000000000000000000053';
  const faults = [
    // The transaction arrives, and nobody says so.
    (method: string) => (method === 'eth_sendRawTransaction' ? ('lose the answer' as const) : ('pass' as const)),
    (method: string) => (method === 'eth_sendRawTransaction' ? ('drop' as const) : ('pass' as const)),
    (method: string) => (method === 'eth_getTransactionReceipt' ? { result: { status: '0x1' } } : ('pass' as const)),
    (method: string) => (method === 'eth_getTransactionReceipt' ? { result: 'nonsense' } : ('pass' as const)),
    (method: string) =>
      method === 'eth_sendRawTransaction' ? { error: { code: -32_603, message: 'no' } } : ('pass' as const),
  ];
  for (const fault of faults) {
    const signer = await signerOf(owned, chain);
    gate.decide(fault);
    const begun = await owned.call('POST', '/contracts/v1/call', minting(signer, chain, to, '1'));
    expect(begun.status, begun.text).toBe(202);
    const id = begun.body.call_id as string;
    await until(async () => {
      const [row] = await service.control.sql('select looks from contract_calls where id = $1', [id]);
      expect(row!.looks).toBeGreaterThan(0);
    });
    expect((await owned.call('GET', `/contracts/v1/calls/${id}`)).body).toMatchObject({ status: 'pending' });
    gate.decide(() => 'pass');
    expect(await ended(owned, id)).toMatchObject({ status: 'confirmed', tx_hash: begun.body.tx_hash });
    expect(await chain.client.getTransactionCount({ address: signer.address })).toBe(1);
  }
  expect(await chain.balanceOf(to)).toBe(BigInt(faults.length));
  const log = JSON.stringify(service.logged());
  expect(log).not.toContain('the-key-of-an-operator');
});

test('a transaction that the node surely refused gives its number and its fee back; its key begins it again', async () => {
  mining();
  const owned = await projectWith(service);
  const signer = await signerOf(owned, chain);
  const before = await balanceOfOrg(service, owned);
  const to = '0x0000000000000000000000000000000000000054';
  const refused = { error: { code: -32_000, message: 'insufficient funds for gas * price + value' } };
  gate.decide((method) => (method === 'eth_sendRawTransaction' ? refused : 'pass'));
  const key = { 'idempotency-key': 'again' };
  const begun = await owned.call('POST', '/contracts/v1/call', minting(signer, chain, to, '1'), key);
  const id = begun.body.call_id as string;
  expect(await ended(owned, id)).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('nothing was sent'),
  });
  expect(await balanceOfOrg(service, owned)).toBe(before);
  gate.decide(() => 'pass');
  const again = await owned.call('POST', '/contracts/v1/call', minting(signer, chain, to, '1'), key);
  expect(again.body).toMatchObject({ call_id: id, status: 'pending' });
  expect(await ended(owned, id)).toMatchObject({ status: 'confirmed' });
  expect(await chain.balanceOf(to)).toBe(1n);
  expect(before - (await balanceOfOrg(service, owned))).toBe(5);
});

test('a number that later calls wait for is used up by an empty transaction', async () => {
  mining();
  const owned = await projectWith(service);
  const signer = await signerOf(owned, chain);
  const to = '0x0000000000000000000000000000000000000055';
  let first: string | undefined;
  gate.decide((method, [raw]) => {
    if (method !== 'eth_sendRawTransaction') return 'pass';
    first ??= raw as string;
    // Of the first one alone the chain says no, and only once the second one is there.
    return raw === first
      ? seconds
        ? { error: { code: -32_000, message: 'transaction type not supported' } }
        : 'drop'
      : 'pass';
  });
  let seconds = false;
  const one = await owned.call('POST', '/contracts/v1/call', minting(signer, chain, to, '1'));
  const other = await owned.call('POST', '/contracts/v1/call', minting(signer, chain, to, '2'));
  seconds = true;
  expect(await ended(owned, other.body.call_id as string)).toMatchObject({ status: 'confirmed' });
  expect(await ended(owned, one.body.call_id as string)).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('An empty one has used its number up'),
  });
  expect(await chain.balanceOf(to)).toBe(2n);
  gate.decide(() => 'pass');
});

test('a drain leaves the fee of the chain below, which its oracle tells', async () => {
  mining();
  // Answers 1000 gwei to whatever it is asked.
  await chain.client.setCode({
    address: '0x420000000000000000000000000000000000000F',
    bytecode: '0x64e8d4a5100060005260206000f3',
  });
  expect(
    await chain.client.readContract({
      address: '0x420000000000000000000000000000000000000F',
      abi: parseAbi(['function getL1Fee(bytes data) view returns (uint256)']),
      functionName: 'getL1Fee',
      args: ['0x00'],
    }),
  ).toBeGreaterThan(0n);
  const owned = await projectWith(service);
  const signer = await signerOf(owned, chain);
  const begun = await owned.call(
    'POST',
    `/contracts/v1/signers/${signer.id}/drain`,
    { destination_address: '0x0000000000000000000000000000000000000056' },
    { 'x-confirm-drain': signer.id },
  );
  expect(begun.status, begun.text).toBe(202);
  await ended(owned, begun.body.call_id as string);
  expect(await chain.client.getBalance({ address: signer.address })).toBe((10n ** 12n * 5n) / 4n);
});
