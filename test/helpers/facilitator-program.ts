/**
 * A facilitator in a process of its own, made of the reference library, that can also misbehave. Environment: RPC_URL,
 * CHAIN_ID, SETTLER_KEY. `PUT /behaviour` says how it goes on.
 */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { x402Facilitator } from '@x402/core/facilitator';
import { toFacilitatorEvmSigner } from '@x402/evm';
import { registerExactEvmScheme } from '@x402/evm/exact/facilitator';
import { createWalletClient, defineChain, type Hex, http, publicActions } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { createNonceManager, jsonRpc } from 'viem/nonce';
import type { Behaviour } from './facilitator-process.ts';

let behaviour: Behaviour = { kind: 'honest' };
const counts = { verify: 0, settle: 0, supported: 0 };

const chainId = Number(process.env.CHAIN_ID);
const network = `eip155:${chainId}` as const;
const rpcUrl = process.env.RPC_URL!;
const account = privateKeyToAccount(process.env.SETTLER_KEY as Hex, {
  nonceManager: createNonceManager({ source: jsonRpc() }),
});
const client = createWalletClient({
  account,
  chain: defineChain({
    id: chainId,
    name: network,
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [rpcUrl] } },
  }),
  pollingInterval: 20,
  cacheTime: 0,
  transport: http(rpcUrl, { retryCount: 0 }),
}).extend(publicActions);

const signer = toFacilitatorEvmSigner({
  address: account.address,
  readContract: (call) => client.readContract(call),
  verifyTypedData: (typed) => client.verifyTypedData(typed as never),
  getCode: (of) => client.getCode(of),
  sendTransaction: (transaction) => client.sendTransaction(transaction),
  waitForTransactionReceipt: (of) => client.waitForTransactionReceipt(of),
  async writeContract(call) {
    const hash = await client.writeContract(call as never);
    if (behaviour.kind === 'die after broadcasting') process.kill(process.pid, 'SIGKILL');
    return hash;
  },
});
const facilitator = registerExactEvmScheme(new x402Facilitator(), { signer, networks: network });

async function settled(payment: { paymentPayload: never; paymentRequirements: never }): Promise<object> {
  const payer = (payment.paymentPayload as { payload: { authorization: { from: string } } }).payload.authorization.from;
  const claim = { success: true, network, payer };
  switch (behaviour.kind) {
    case 'claim without paying':
      return { ...claim, transaction: `0x${'ab'.repeat(32)}` };
    case 'claim another transaction':
      return { ...claim, transaction: behaviour.transaction };
    case 'refuse to settle':
      return { ...claim, success: false, errorReason: 'facilitator_says_no', transaction: '' };
    case 'die before broadcasting':
      process.kill(process.pid, 'SIGKILL');
  }
  const result = await facilitator.settle(payment.paymentPayload, payment.paymentRequirements);
  switch (behaviour.kind) {
    case 'pay and deny':
      return { ...claim, success: false, errorReason: 'invalid_exact_evm_transaction_failed', transaction: '' };
    case 'pay and say pending':
      return { ...claim, success: false, errorReason: 'settlement_pending', transaction: result.transaction };
    case 'pay and say no more':
      return new Promise(() => {});
    default:
      return result;
  }
}

const server = createServer(async (request, response) => {
  const answer = (status: number, body: unknown) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
  try {
    const path = request.url?.split('?')[0];
    if (path === '/counts') return answer(200, counts);
    if (path === '/behaviour') {
      behaviour = (await read(request)) as Behaviour;
      return answer(200, behaviour);
    }
    if (behaviour.kind === 'slow') await pause(behaviour.ms);
    if (behaviour.kind === 'talk nonsense') return answer(200, '<html>');
    if (path === '/supported') {
      counts.supported++;
      const supported = facilitator.getSupported();
      return answer(200, behaviour.kind === 'support version 1 alone' ? onlyVersion1(supported) : supported);
    }
    const payment = (await read(request)) as { paymentPayload: never; paymentRequirements: never };
    if (path === '/verify') {
      counts.verify++;
      if (behaviour.kind === 'call all valid') return answer(200, { isValid: true });
      return answer(200, await facilitator.verify(payment.paymentPayload, payment.paymentRequirements));
    }
    counts.settle++;
    if (behaviour.kind === 'turn away') return answer(429, { error: 'Come back later.' });
    const result = await settled(payment);
    if (behaviour.kind === 'pay and break') return answer(500, 'Internal Server Error');
    answer(200, result);
  } catch (error) {
    answer(500, { error: String(error) });
  }
});

const onlyVersion1 = (supported: ReturnType<typeof facilitator.getSupported>) => ({
  kinds: supported.kinds.filter(({ x402Version }) => x402Version === 1),
});

async function read(request: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const part of request) text += part;
  return JSON.parse(text);
}

server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => {
  process.stdout.write(`serves at http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
