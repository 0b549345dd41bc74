import type { Address, Hex, Network } from './networks.ts';
import type { Presented } from './presented.ts';

const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
export const authorizationUsedTopic = '0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5';
export const authorizationCanceledTopic = '0x1cdd46ff242716cdaa72d159d339a485b3438398348d68f09d7c8c0a59353d81';

/** A log as it is needed here. */
export interface AssetLog {
  readonly address: Address;
  readonly topics: readonly Hex[];
  readonly data: Hex;
}

/** A transaction that is in a block. */
export interface Receipt {
  readonly transactionHash: Hex;
  readonly blockNumber: bigint;
  readonly status: 'success' | 'reverted';
  readonly logs: readonly (AssetLog & {
    readonly logIndex: number;
    /** Of the block, in Unix seconds; most nodes tell it here too. */
    readonly blockTimestamp?: bigint | null | undefined;
  })[];
}

/** Money that came in by one log. */
export interface TransferLog {
  readonly logIndex: number;
  readonly from: Address;
  readonly to: Address;
  readonly value: bigint;
  /** Whether a signed authorization caused it, as of a payment by x402; else the payer moved it himself. */
  readonly isAuthorized: boolean;
}

/** Transfers of a network's USDC, by nobody else's logs, in the order of the receipt; none when it was reverted. */
export function transfersOf(receipt: Receipt, network: Network): TransferLog[] {
  const logs = tokenLogs(receipt, network);
  return logs.flatMap((log, at) => {
    const transfer = transferOf(log);
    return transfer === undefined ? [] : [{ ...transfer, isAuthorized: isUse(logs[at - 1]) }];
  });
}

/**
 * Where in a receipt a payment was made: the transfer, for exactly what was signed, that its own authorization caused.
 * The token notes the use of an authorization right before the transfer by it, so that each of several payments in one
 * transaction has a transfer of its own.
 *
 * @returns the transfer's index in its block, or undefined when the receipt holds no such payment
 */
export function paymentIn(receipt: Receipt, network: Network, presented: Presented): number | undefined {
  const logs = tokenLogs(receipt, network);
  const used = logs.findIndex(
    (log) => isUse(log) && addressIn(log.topics[1]) === presented.payer && log.topics[2] === presented.nonce,
  );
  const after = used === -1 ? undefined : logs[used + 1];
  const transfer = after === undefined ? undefined : transferOf(after);
  if (transfer?.from !== presented.payer || transfer.to !== presented.payTo || transfer.value !== presented.value)
    return undefined;
  return transfer.logIndex;
}

const tokenLogs = (receipt: Receipt, { usdc }: Network) =>
  receipt.status === 'success'
    ? receipt.logs.filter(({ address }) => address.toLowerCase() === usdc.address.toLowerCase())
    : [];

const isUse = (log: AssetLog | undefined) => log?.topics[0] === authorizationUsedTopic;

function transferOf({
  topics,
  data,
  logIndex,
}: Receipt['logs'][number]): Omit<TransferLog, 'isAuthorized'> | undefined {
  if (topics[0] !== transferTopic || topics.length !== 3) return undefined;
  return { logIndex, from: addressIn(topics[1]), to: addressIn(topics[2]), value: BigInt(data) };
}

/** The address that a topic holds in its last 20 bytes. */
const addressIn = (topic: Hex | undefined): Address => `0x${(topic ?? '').slice(26).toLowerCase()}`;
