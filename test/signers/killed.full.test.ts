import { afterAll, expect, test } from 'vitest';
import { startChain } from '../helpers/chain.ts';
import { startFaultyWorld } from '../helpers/faulty-world.ts';
import { admin, type GatewayProcess } from '../helpers/gateway-process.ts';
import { startRpcGate } from '../helpers/rpc-gate.ts';
import { until } from '../helpers/until.ts';
import { dollarAbi } from './stage.ts';

const chain = await startChain({ chainId: 84_532 });
const gate = await startRpcGate(chain.rpcUrl);
const world = await startFaultyWorld();
afterAll(async () => {
  await world.stop();
  await gate.stop();
  await chain.stop();
});

const env = { RPC_URL_BASE_SEPOLIA: gate.url };
let gateway: GatewayProcess = await world.start(env);
const { wallet, orgId } = await world.owner(gateway);
await gateway.call(admin, 'POST', `/orgs/v1/admin/${orgId}/credits`, { body: { amount_usd_micros: 5_000_000 } });
const { body: project } = await gateway.call<{ project_id: string; service_key: string }>(
  gateway.as(wallet),
  'POST',
  '/projects/v1',
  { body: { org_id: orgId } },
);
const key = { headers: async () => ({ authorization: `Bearer ${project.service_key}` }) };
type Json = Record<string, unknown>;
const ask = (method: string, path: string, body?: object) =>
  gateway.call<Json>(key, method, path, body === undefined ? {} : { body });

test.each([
  ['before its transaction is sent', 'drop', 0],
  ['when the chain has its transaction, and nothing is written of that', 'lose the answer', 1],
] as const)('a gateway that is killed %s sends the same transaction, once', async (_name, passage, sent) => {
  const made = await ask('POST', '/contracts/v1/signers', { chain: 'base-sepolia' });
  const address = made.body.address as `0x${string}`;
  await chain.client.setBalance({ address, value: 10n ** 18n });
  const killed = new Promise<void>((resolve) => {
    gate.decide((method) => {
      if (method !== 'eth_sendRawTransaction') return 'pass';
      void gateway.kill().then(resolve);
      return passage;
    });
  });
  const to = `0x${'0'.repeat(37)}6${sent}0`;
  const body = {
    signer_id: made.body.signer_id,
    chain: 'base-sepolia',
    contract_address: chain.usdc,
    abi_fragment: dollarAbi,
    function_name: 'mint',
    args: [to, '1'],
    idempotency_key: `killed-${sent}`,
  };
  // The answer may be lost with the gateway; the call is not.
  await ask('POST', '/contracts/v1/call', body).catch(() => undefined);
  await killed;
  const [row] = await world.sql<{ id: string; tx_hash: string; status: string }>(
    'select id, tx_hash, status from contract_calls where idempotency_key = $1',
    [`killed-${sent}`],
  );
  expect(row!.status).toBe('pending');
  await until(async () => expect(await chain.client.getTransactionCount({ address })).toBe(sent));
  gate.decide(() => 'pass');
  gateway = await world.start(env);
  const again = await ask('POST', '/contracts/v1/call', body);
  expect(again.body).toMatchObject({ call_id: row!.id, tx_hash: row!.tx_hash });
  await until(async () =>
    expect((await ask('GET', `/contracts/v1/calls/${row!.id}`)).body).toMatchObject({
      status: 'confirmed',
      tx_hash: row!.tx_hash,
    }),
  );
  expect(await chain.client.getTransactionCount({ address })).toBe(1);
  expect(await chain.balanceOf(to as `0x${string}`)).toBe(1n);
  const fees = await world.sql(`select from ledger_entries where kind = 'signer_sign_fee' and reference_id = $1`, [
    row!.id,
  ]);
  expect(fees).toHaveLength(1);
});
