import { z } from 'zod';
import { createGuardedFetch } from '../../core/guarded-fetch.ts';
import { ChainUnavailable } from './finding.ts';
import { tonHash } from './transaction-hash.ts';

/** An index of TON that answers in the shape of API version 3. Contract 00, section 2.5. */
export interface TonIndex {
  /** The transactions of a hash, of which there is one at most. */
  readonly transactions: (hash: string) => Promise<readonly TonTransaction[]>;
  /** Those that a message led to (`in`), or that sent it (`out`). */
  readonly transactionsByMessage: (hash: string, direction: 'in' | 'out') => Promise<readonly TonTransaction[]>;
  /** The whole tree of messages that a transaction belongs to; undefined while there is none. */
  readonly trace: (txHash: string) => Promise<TonTrace | undefined>;
  /** One page of what a wallet received in jettons, the oldest first. */
  readonly jettonTransfers: (query: JettonQuery) => Promise<readonly JettonTransfer[]>;
  /** Number of the newest block of the masterchain. */
  readonly head: () => Promise<number>;
}

export interface JettonQuery {
  readonly owner: string;
  /** @default any */
  readonly master?: string | undefined;
  /** Unix seconds, both included. */
  readonly since: number;
  readonly until: number;
  readonly offset: number;
}

/** Most transfers of one page. */
export const pageMax = 1_000;

const hash = z.string().transform((text, check) => {
  const read = tonHash(text);
  if (read !== undefined) return read;
  check.addIssue({ code: 'custom', message: 'no hash' });
  return z.NEVER;
});
const amount = z
  .string()
  .regex(/^\d{1,78}$/)
  .transform(BigInt);

/** Written as text with `0x`, and by older versions as a number that may be negative. */
const opcode = z
  .union([z.string().regex(/^0x[0-9a-f]{1,8}$/i), z.int()])
  .transform((given) => Number(given) >>> 0)
  .nullish();

const message = z.object({
  hash,
  /** Of an external message, without what relays may change in it: what wallets show. */
  hash_norm: hash.nullish(),
  value: amount.nullish(),
  bounced: z.boolean().nullish(),
  opcode,
});

const transaction = z.object({
  account: z.string(),
  hash,
  trace_id: hash.nullish(),
  mc_block_seqno: z.int().nullish(),
  description: z.object({
    aborted: z.boolean().nullish(),
    compute_ph: z.object({ skipped: z.boolean().nullish(), success: z.boolean().nullish() }).nullish(),
    action: z.object({ success: z.boolean().nullish() }).nullish(),
  }),
  in_msg: message.nullish(),
  out_msgs: z.array(message).nullish(),
});
export type TonTransaction = z.output<typeof transaction>;

const trace = z.object({
  trace_id: hash,
  is_incomplete: z.boolean(),
  trace_info: z.object({ trace_state: z.string(), pending_messages: z.int().nullish() }),
  start_utime: z.int(),
  end_utime: z.int(),
  transactions: z.record(z.string(), transaction),
});
export type TonTrace = z.output<typeof trace>;

const jettonTransfer = z.object({
  source: z.string().nullish(),
  destination: z.string().nullish(),
  amount,
  jetton_master: z.string(),
  transaction_hash: hash,
  transaction_lt: z
    .string()
    .regex(/^\d{1,20}$/)
    .transform(BigInt),
  transaction_now: z.int(),
  transaction_aborted: z.boolean(),
  trace_id: hash.nullish(),
});
export type JettonTransfer = z.output<typeof jettonTransfer>;

const transactionList = z.object({ transactions: z.array(transaction) });
const traceList = z.object({ traces: z.array(trace) });
const transferList = z.object({ jetton_transfers: z.array(jettonTransfer) });
const masterchainInfo = z.object({ last: z.object({ seqno: z.int() }) });

/** Longest wait for an answer, in milliseconds, and the largest one, in bytes: a trace may have thousands of messages. */
const answerMs = 8_000;
const answerBytesMax = 16 * 1024 * 1024;

/** Pause between the questions of one who has no key, in milliseconds: about one a second is answered. */
const pauseMs = 1_100;

export interface TonIndexOptions {
  /** With or without `/api/v3` at its end. */
  readonly url: string;
  /** Sent with each question, in a header. */
  readonly apiKey?: string | undefined;
}

/** Its methods throw {@link ChainUnavailable} and what the guarded fetch throws. */
export function createTonIndex({ url, apiKey }: TonIndexOptions): TonIndex {
  const fetch = createGuardedFetch({ named: [url], timeoutMs: answerMs, bytesMax: answerBytesMax });
  const base = url.endsWith('/api/v3') ? url : `${url}/api/v3`;
  const headers = { accept: 'application/json', ...(apiKey === undefined ? {} : { 'x-api-key': apiKey }) };
  const inTurn = apiKey === undefined ? createPauses(pauseMs) : <Value>(ask: () => Promise<Value>) => ask();

  async function get<Value>(
    path: string,
    query: Readonly<Record<string, string>>,
    shape: z.ZodType<Value>,
  ): Promise<Value | undefined> {
    const response = await inTurn(() => fetch(`${base}/${path}?${new URLSearchParams(query)}`, { headers }));
    // What is not known is an empty list; some versions say it by the status.
    if (response.status === 404) return undefined;
    if (response.status !== 200) throw new ChainUnavailable(`status_${response.status}`);
    const { data } = shape.safeParse(await response.json().catch(() => undefined));
    if (data === undefined) throw new ChainUnavailable('malformed_answer');
    return data;
  }

  return {
    transactions: async (txHash) => (await get('transactions', { hash: txHash }, transactionList))?.transactions ?? [],
    transactionsByMessage: async (msgHash, direction) =>
      (await get('transactionsByMessage', { msg_hash: msgHash, direction }, transactionList))?.transactions ?? [],
    trace: async (txHash) => (await get('traces', { tx_hash: txHash }, traceList))?.traces[0],
    jettonTransfers: async ({ owner, master, since, until, offset }) => {
      const query = {
        owner_address: owner,
        ...(master === undefined ? {} : { jetton_master: master }),
        direction: 'in',
        start_utime: String(since),
        end_utime: String(until),
        limit: String(pageMax),
        offset: String(offset),
        sort: 'asc',
      };
      return (await get('jetton/transfers', query, transferList))?.jetton_transfers ?? [];
    },
    async head() {
      const info = await get('masterchainInfo', {}, masterchainInfo);
      if (info === undefined) throw new ChainUnavailable('malformed_answer');
      return info.last.seqno;
    },
  };
}

/** One question after the other, with a pause after each answer. */
function createPauses(ms: number): <Value>(ask: () => Promise<Value>) => Promise<Value> {
  let free: Promise<void> = Promise.resolve();
  return async (ask) => {
    const before = free;
    let leave: () => void = () => undefined;
    free = new Promise((resolve) => {
      leave = resolve;
    });
    await before;
    try {
      return await ask();
    } finally {
      setTimeout(leave, ms).unref();
    }
  };
}
