import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import {
  type Address,
  createTestClient,
  defineChain,
  encodeFunctionData,
  type Hex,
  http,
  keccak256,
  parseAbi,
  publicActions,
  toHex,
  walletActions,
} from 'viem';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';

/** How a dollar token calls itself; its name and version are part of what payers sign. */
export interface TokenFacts {
  readonly name: string;
  readonly version: string;
  readonly symbol: string;
  readonly decimals: number;
}

export const tokenAbi = parseAbi([
  'function initialize(string name, string version, string symbol, uint8 decimals)',
  'function mint(address to, uint256 value)',
  'function transfer(address to, uint256 value) returns (bool)',
  'function balanceOf(address holder) view returns (uint256)',
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
  'function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
]);

export const walletFactoryAbi = parseAbi([
  'function addressOf(address owner) view returns (address)',
  'function create(address owner)',
]);

export const batchAbi = parseAbi([
  'function tryAggregate(bool requireSuccess, (address target, bytes callData)[] calls) payable returns ((bool success, bytes returnData)[])',
]);

/** Where the genuine USDC lies on the chains that these tests have, and what it is called there. */
const usdcByChain: Readonly<Record<number, TokenFacts & { readonly address: Address }>> = {
  8453: {
    address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    name: 'USD Coin',
    version: '2',
    symbol: 'USDC',
    decimals: 6,
  },
  84532: {
    address: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
    name: 'USDC',
    version: '2',
    symbol: 'USDC',
    decimals: 6,
  },
};

/** Multicall3's place on every chain. */
const batchAddress = '0xcA11bde05977b3631167028862bE2a173976CA11';

interface ChainOptions {
  /** @default 8453, which is base */
  readonly chainId?: number;
  /** `manual`: a block is made by {@link Chain.mine} alone. @default 'auto': one for each transaction, at once */
  readonly blocks?: 'auto' | 'manual';
  /** Whether USDC is put where the chain has it. @default true, on base and base-sepolia */
  readonly usdc?: boolean;
}

/** Starts a local chain, with USDC at its genuine address where the chain is one that payments are taken on. */
export async function startChain({ chainId = 8453, blocks = 'auto', usdc = true }: ChainOptions = {}) {
  const node = await startNode(chainId);
  const chain = defineChain({
    id: chainId,
    name: `local ${chainId}`,
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [node.url] } },
  });
  const faucet = privateKeyToAccount(keccak256(toHex(`the faucet of chain ${chainId}`)));
  const settlerKey = keccak256(toHex(`the settler of chain ${chainId}`));
  const client = createTestClient({
    account: faucet,
    cacheTime: 0,
    chain,
    mode: 'anvil',
    pollingInterval: 20,
    transport: http(node.url, { retryCount: 0 }),
  })
    .extend(publicActions)
    .extend(walletActions);
  const code = await contracts();
  const fund = (address: Address) => client.setBalance({ address, value: 10n ** 21n });
  /** Puts a contract of `token/Contracts.sol` at an address. */
  const install = (address: Address, name: ContractName) => client.setCode({ address, bytecode: code[name] });

  /** Sends a call as the faucet, or as somebody who is given the gas for it; waits for its block. */
  async function send(to: Address, data: Hex, from: PrivateKeyAccount = faucet) {
    if (from !== faucet) await fund(from.address);
    // One place hands out the faucet's nonces: the tests of a file may ask for much at once.
    const hash = await inOrder(() => client.sendTransaction({ account: from, to, data }));
    return client.waitForTransactionReceipt({ hash });
  }

  let last: Promise<unknown> = Promise.resolve();
  function inOrder<T>(work: () => Promise<T>): Promise<T> {
    const next = last.then(work, work);
    last = next.catch(() => undefined);
    return next;
  }

  /** Puts a dollar token at an address. */
  async function installToken(address: Address, { name, version, symbol, decimals }: TokenFacts): Promise<void> {
    await install(address, 'Dollar');
    const args = [name, version, symbol, decimals] as const;
    await send(address, encodeFunctionData({ abi: tokenAbi, functionName: 'initialize', args }));
  }

  await fund(faucet.address);
  await fund(privateKeyToAccount(settlerKey).address);
  await install(batchAddress, 'Batch');
  const genuine = usdcByChain[chainId];
  if (usdc && genuine !== undefined) await installToken(genuine.address, genuine);
  const usdcAddress: Address = genuine?.address ?? '0x0000000000000000000000000000000000000000';

  const mint = (to: Address, value: bigint, token = usdcAddress) =>
    send(token, encodeFunctionData({ abi: tokenAbi, functionName: 'mint', args: [to, value] }));
  const automine = (on: boolean) => client.setAutomine(on);
  if (blocks === 'manual') await automine(false);

  return {
    rpcUrl: node.url,
    chainId,
    /** Where USDC lies; zero on a chain that has none by itself. */
    usdc: usdcAddress,
    /** Key of an account with gas, that the service under test settles with. */
    settlerKey,
    client,
    install,
    installToken,
    send,
    mint,
    fund,
    /** Makes blocks. @param count @default 1 */
    mine: (count = 1) => client.mine({ blocks: count }),
    automine,
    /** A fresh account with dollars and no gas. Not while blocks are made by hand. */
    async payer(balance = 1_000_000_000n): Promise<PrivateKeyAccount> {
      const account = privateKeyToAccount(generatePrivateKey());
      if (balance > 0n) await mint(account.address, balance);
      return account;
    },
    /** An ordinary transfer, by somebody who is given the gas for it. */
    transfer: (from: PrivateKeyAccount, to: Address, value: bigint, token = usdcAddress) =>
      send(token, encodeFunctionData({ abi: tokenAbi, functionName: 'transfer', args: [to, value] }), from),
    balanceOf: (holder: Address, token = usdcAddress) =>
      client.readContract({ address: token, abi: tokenAbi, functionName: 'balanceOf', args: [holder] }),
    /** Transactions that wait for a block. */
    waiting: async () => (await client.getTxpoolStatus()).pending,
    /** Ends the node; nobody answers at its address until {@link Chain.resume}. */
    stop: node.stop,
    /** Holds the node still, as one that no longer answers. */
    freeze: node.freeze,
    thaw: node.thaw,
  };
}

export type Chain = Awaited<ReturnType<typeof startChain>>;

type ContractName = 'Dollar' | 'ContractWallet' | 'WalletFactory' | 'Batch';

let compiled: Promise<Readonly<Record<ContractName, Hex>>> | undefined;
const contracts = () =>
  (compiled ??= readFile(new URL('token/contracts.json', import.meta.url), 'utf8').then(
    (text) => JSON.parse(text) as Readonly<Record<ContractName, Hex>>,
  ));

const children = new Set<ChildProcess>();
// What a failed test left running ends with the run.
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

/** The node's program, of the package for this system: started directly, so that ending it ends all of it. */
function nodeProgram(): string {
  const { platform, arch } = process;
  const of = `@foundry-rs/anvil-${platform}-${arch === 'x64' ? 'amd64' : arch}`;
  const ofAnvil = createRequire(createRequire(import.meta.url).resolve('@foundry-rs/anvil/package.json'));
  return ofAnvil.resolve(`${of}/bin/anvil${platform === 'win32' ? '.exe' : ''}`);
}

async function startNode(chainId: number) {
  const child = spawn(nodeProgram(), ['--host', '127.0.0.1', '--port', '0', '--chain-id', String(chainId)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.add(child);
  const ended = once(child, 'exit');
  let said = '';
  const url = await new Promise<string>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`The local chain ended (${code}): ${said}`)));
    child.stdout.on('data', (part) => {
      // Once it listens, what it goes on to say is of no use.
      if (said.length < 100_000) said += part;
      const port = /Listening on 127\.0\.0\.1:(\d+)/.exec(said)?.[1];
      if (port !== undefined) resolve(`http://127.0.0.1:${port}`);
    });
  });
  return {
    url,
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    async stop() {
      child.kill('SIGKILL');
      await ended;
      children.delete(child);
    },
  };
}
