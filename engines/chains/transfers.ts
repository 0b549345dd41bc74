import type { UsedAuthorization } from './finding.ts';
import type { AcceptedAsset } from './networks.ts';

/** A log of a receipt, as far as it is looked at. */
export interface ReceiptLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
  /** Set by nodes on logs of blocks that are no longer of the chain. */
  readonly removed?: boolean | undefined;
}

/** What the logs of one transaction moved to a wallet. */
export interface Received {
  /** By asset, in the order of the table; never of nothing. */
  readonly sums: readonly {
    readonly asset: AcceptedAsset;
    readonly amount: bigint;
    /** Whom its first transfer came from; undefined when it was minted. */
    readonly from: string | undefined;
  }[];
  /** Whether something else says to have been moved there: a token that is not on the list. */
  readonly others: boolean;
}

/** `Transfer(address,address,uint256)` */
const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/** `AuthorizationUsed(address,bytes32)` */
const usedTopic = '0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5';

/**
 * Adds up, for each accepted asset by itself, what the logs moved to a wallet. Any contract can write a log of this
 * form, so only those of the listed contracts count. Contract 00, section 2.4.
 *
 * @param payTo the wallet
 */
export function receivedBy(payTo: string, assets: readonly AcceptedAsset[], logs: readonly ReceiptLog[]): Received {
  const wallet = topicOf(payTo);
  const rows = new Map(assets.map((asset) => [asset.address.toLowerCase(), asset]));
  const sums = new Map<AcceptedAsset, { amount: bigint; from: string | undefined }>();
  let others = false;
  for (const { address, topics, data, removed } of logs) {
    const [kind, from, to] = topics;
    // What a wallet sends itself pays nothing.
    if (removed === true || kind !== transferTopic || to?.toLowerCase() !== wallet || from?.toLowerCase() === wallet)
      continue;
    const asset = rows.get(address.toLowerCase());
    // With a fourth topic it is the transfer of one thing, and of no amount.
    if (asset === undefined || topics.length !== 3 || !/^0x[0-9a-f]{64}$/i.test(data)) {
      others = true;
      continue;
    }
    const amount = BigInt(data);
    if (amount === 0n) continue;
    const sum = sums.get(asset);
    if (sum === undefined) sums.set(asset, { amount, from: addressOf(from!) });
    else sum.amount += amount;
  }
  return {
    sums: assets.flatMap((asset) => {
      const sum = sums.get(asset);
      return sum === undefined ? [] : [{ asset, ...sum }];
    }),
    others,
  };
}

/** Authorizations that accepted assets say were used. */
export function usedIn(assets: readonly AcceptedAsset[], logs: readonly ReceiptLog[]): UsedAuthorization[] {
  const listed = new Set(assets.map(({ address }) => address.toLowerCase()));
  return logs.flatMap(({ address, topics: [kind, payer, nonce], removed }) => {
    const asset = address.toLowerCase();
    if (removed === true || kind !== usedTopic || payer === undefined || nonce === undefined || !listed.has(asset))
      return [];
    return [{ asset, payer: `0x${payer.slice(-40).toLowerCase()}`, nonce: nonce.toLowerCase() }];
  });
}

const topicOf = (address: string) => `0x${address.slice(2).toLowerCase().padStart(64, '0')}`;

const addressOf = (topic: string) => (/^0x0*$/.test(topic) ? undefined : `0x${topic.slice(-40)}`);

/** The one worth most; of equals the first of the table. */
export function largest<Sum extends { readonly asset: AcceptedAsset; readonly amount: bigint }>(
  sums: readonly Sum[],
): Sum | undefined {
  let best: Sum | undefined;
  for (const sum of sums) if (best === undefined || isWorthMore(sum, best)) best = sum;
  return best;
}

interface Worth {
  readonly asset: Pick<AcceptedAsset, 'decimals'>;
  readonly amount: bigint;
}

const isWorthMore = (left: Worth, right: Worth) =>
  left.amount * 10n ** BigInt(right.asset.decimals) > right.amount * 10n ** BigInt(left.asset.decimals);
