import type { Address, Hash } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { type EvmNetworkName, evmNetworks } from '../../engines/chains/networks.ts';
import { docs, shop } from '../audit/fixture-sites.ts';
import { type Chain, startChain } from '../helpers/chain.ts';
import { startRpcProxy } from '../helpers/rpc-proxy.ts';
import { type ServiceOptions, startService } from '../helpers/service.ts';
import { startSites } from '../helpers/site-server.ts';
import { newAccount, startTonIndex } from '../helpers/ton-index.ts';

/** What `POST /api/verify-tx` answers, or why it does not. */
export interface VerifyAnswer {
  readonly ok: boolean;
  readonly verified?: boolean;
  readonly pending?: boolean;
  readonly reason?: string;
  readonly code?: string;
  readonly license_key?: string;
  readonly plan?: string;
  readonly plan_price?: number;
  readonly network?: string;
  readonly tx_hash?: string;
  readonly payer?: string;
  readonly asset?: string;
  readonly amount?: string;
  readonly amount_usd?: string;
  readonly block?: number;
  readonly confirmations?: number;
  readonly domain?: string | null;
  readonly issued_at?: string;
  readonly report?: { readonly domain: string; readonly tier: string; readonly geo_score: number } | null;
  readonly report_error?: string | null;
}

/** Key in the address of every endpoint, as providers have it. */
export const endpointKey = 'rpc-key-that-nobody-may-see';
export const tonApiKey = 'ton-key-that-nobody-may-see';

export const units = (dollars: number, decimals = 6) => BigInt(dollars) * 10n ** BigInt(decimals);

/** A local chain for each network that is named, with every listed token at its genuine address. */
async function startNetwork(name: EvmNetworkName) {
  const { chainId, assets } = evmNetworks[name];
  const chain = await startChain({ chainId, usdc: false });
  // Payers by x402 sign the name and the version, which are those of the real one.
  for (const { address, symbol, decimals } of assets)
    await chain.installToken(address as Address, {
      name: symbol === 'USDC' ? 'USD Coin' : symbol,
      version: '2',
      symbol,
      decimals,
    });
  const proxy = await startRpcProxy(chain.rpcUrl, endpointKey);
  const token = (symbol: string) => assets.find((asset) => asset.symbol === symbol)!;
  return {
    ...chain,
    proxy,
    /** A transfer of so many dollars to the settlement address, or to somebody else. */
    async pay(to: Address, dollars: number, symbol = 'USDC') {
      const { address, decimals } = token(symbol);
      const payer = privateKeyToAccount(generatePrivateKey());
      const value = units(dollars, decimals);
      await chain.mint(payer.address, value, address as Address);
      const receipt = await chain.transfer(payer, to, value, address as Address);
      return { hash: receipt.transactionHash as Hash, payer: payer.address, receipt };
    },
    async end() {
      proxy.stop();
      await chain.stop();
    },
  };
}

export type Network = Chain & Awaited<ReturnType<typeof startNetwork>>;

export interface RigOptions extends ServiceOptions {
  readonly networks: readonly EvmNetworkName[];
  /** Whether there is an index of TON. @default false */
  readonly ton?: boolean;
}

/** The gateway, local chains for the networks, an index of TON, and a site that licences are for. */
export async function startRig({ networks: names, ton: withTon = false, env = {}, ...options }: RigOptions) {
  const settlement = privateKeyToAccount(generatePrivateKey()).address;
  const tonSettlement = newAccount().toLowerCase();
  const sites = await startSites({
    'shop.audit-sites.net': shop,
    'docs.audit-sites.net': docs,
    'leads.audit-sites.net': { '/': { status: 302, headers: { location: 'https://127.0.0.1/' } } },
  });
  const started = await Promise.all(names.map(async (name) => [name, await startNetwork(name)] as const));
  const networks = Object.fromEntries(started) as Record<EvmNetworkName, Awaited<ReturnType<typeof startNetwork>>>;
  const ton = withTon ? await startTonIndex({ apiKey: tonApiKey }) : undefined;
  const service = await startService({
    auditTrial: sites.trial,
    ...options,
    env: {
      TRUSTED_PROXIES: '127.0.0.1/32',
      SETTLEMENT_ADDRESS: settlement,
      ...Object.fromEntries(
        started.flatMap(([name, { proxy }]) => [
          [`RPC_URL_${name.toUpperCase()}`, proxy.url],
          [`CONFIRMATIONS_${name.toUpperCase()}`, '1'],
        ]),
      ),
      ...(ton === undefined
        ? {}
        : { TON_API_URL: ton.url, TON_API_KEY: tonApiKey, SETTLEMENT_ADDRESS_TON: tonSettlement }),
      ...env,
    },
  });
  let last = 0;
  /** Every call as of another client, so that none uses up what another may. */
  const from = () => {
    last += 1;
    return { 'x-forwarded-for': `198.18.${Math.floor(last / 250)}.${(last % 250) + 1}` };
  };
  return {
    service,
    settlement,
    tonSettlement,
    sites,
    networks,
    ton: ton!,
    verify: (body: unknown, headers: Record<string, string> = from()) =>
      service.call<VerifyAnswer>(service.actors.nobody, 'POST', '/api/verify-tx', { body, headers }),
    async stop() {
      await service.stop();
      sites.close();
      ton?.stop();
      await Promise.all(started.map(([, network]) => network.end()));
    },
  };
}

export type Rig = Awaited<ReturnType<typeof startRig>>;

/** The code that a reason begins with. */
export const codeOf = ({ reason }: VerifyAnswer): string | undefined => /^[a-z_]+/.exec(reason ?? '')?.[0];
