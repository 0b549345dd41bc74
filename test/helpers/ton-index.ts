import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Master of the jetton that is taken for dollars. */
export const usdtMaster = '0:b113a994b5024a16719f69139328eb759596c38a25f59028b146fecdc3621dfe';

const opcodes = {
  transfer: '0x0f8a7ea5',
  internalTransfer: '0x178d4519',
  notification: '0x7362d09c',
  excesses: '0xd53276db',
} as const;

interface Message {
  hash: string;
  hash_norm?: string;
  source: string | null;
  destination: string | null;
  value: string | null;
  opcode: string | number | null;
  bounce: boolean;
  bounced: boolean;
}

export interface Transaction {
  account: string;
  hash: string;
  lt: string;
  now: number;
  trace_id: string;
  mc_block_seqno: number | null;
  total_fees: string;
  description: {
    type: 'ord';
    aborted: boolean;
    compute_ph: { skipped: boolean; success: boolean; exit_code: number };
    action: { success: boolean; result_code: number };
  };
  in_msg: Message;
  out_msgs: Message[];
}

export interface Transfer {
  query_id: string;
  source: string;
  destination: string;
  amount: string;
  source_wallet: string;
  jetton_master: string;
  transaction_hash: string;
  transaction_lt: string;
  transaction_now: number;
  transaction_aborted: boolean;
  trace_id: string;
}

/** What one payment leaves in the index. A test may change any of it before it is asked for. */
export interface Payment {
  readonly payer: string;
  /** The payer's own wallet, its jetton wallet, the receiver's jetton wallet, and the receiver that is told. */
  readonly wallet: Transaction;
  readonly sending: Transaction;
  readonly delivery: Transaction;
  readonly notice: Transaction;
  readonly transfer: Transfer;
  readonly trace: {
    is_incomplete: boolean;
    trace_info: { trace_state: string; pending_messages: number };
    start_utime: number;
    end_utime: number;
  };
}

const newHash = () => randomBytes(32).toString('base64');
/** As the index writes accounts: raw, in capitals. */
export const newAccount = () => `0:${randomBytes(32).toString('hex').toUpperCase()}`;

const sameHash = (left: string | undefined, right: string) =>
  left !== undefined && Buffer.from(left, 'base64').toString('hex') === asHex(right);
const asHex = (hash: string) =>
  /^[0-9a-f]{64}$/i.test(hash) ? hash.toLowerCase() : Buffer.from(hash, 'base64').toString('hex');

let lt = 50_000_000_000_000n;

function message(more: Partial<Message>): Message {
  return {
    hash: newHash(),
    source: null,
    destination: null,
    value: null,
    opcode: null,
    bounce: false,
    bounced: false,
    ...more,
  };
}

/** An index of TON, in the shape of API version 3, with what tests put in it. */
export async function startTonIndex({ apiKey }: { readonly apiKey?: string } = {}) {
  const payments: Payment[] = [];
  const asked: string[] = [];
  let head = 40_000_000;
  let lies: ((path: string, answer: Record<string, unknown>) => unknown) | undefined;
  let freeAt = 0;

  const transactionsOf = ({ wallet, sending, delivery, notice }: Payment) => [wallet, sending, delivery, notice];
  const all = () => payments.flatMap(transactionsOf);

  const paths: Readonly<Record<string, (query: URLSearchParams) => Record<string, unknown>>> = {
    '/api/v3/transactions': (query) => ({
      transactions: all().filter(({ hash }) => sameHash(hash, query.get('hash')!)),
      address_book: {},
    }),
    '/api/v3/transactionsByMessage': (query) => {
      const isIt = ({ hash, hash_norm }: Message) =>
        sameHash(hash, query.get('msg_hash')!) || sameHash(hash_norm, query.get('msg_hash')!);
      return {
        transactions: all().filter((one) =>
          query.get('direction') === 'in' ? isIt(one.in_msg) : one.out_msgs.some(isIt),
        ),
        address_book: {},
      };
    },
    '/api/v3/traces': (query) => ({
      traces: payments
        .filter((payment) => transactionsOf(payment).some(({ hash }) => sameHash(hash, query.get('tx_hash')!)))
        .map((payment) => ({
          trace_id: payment.wallet.trace_id,
          ...payment.trace,
          transactions: Object.fromEntries(transactionsOf(payment).map((one) => [one.hash, one])),
        })),
      address_book: {},
    }),
    '/api/v3/jetton/transfers': (query) => {
      const master = query.get('jetton_master');
      const found = payments
        .map(({ transfer }) => transfer)
        .filter(
          (one) =>
            one.destination.toLowerCase() === query.get('owner_address')!.toLowerCase() &&
            (master === null || one.jetton_master.toLowerCase() === master.toLowerCase()) &&
            one.transaction_now >= Number(query.get('start_utime') ?? 0) &&
            one.transaction_now <= Number(query.get('end_utime') ?? Number.MAX_SAFE_INTEGER),
        );
      const offset = Number(query.get('offset') ?? 0);
      return {
        jetton_transfers: found.slice(offset, offset + Math.min(Number(query.get('limit') ?? 10), 1000)),
        address_book: {},
      };
    },
    '/api/v3/masterchainInfo': () => ({ first: { seqno: 1 }, last: { seqno: head } }),
  };

  const server = createServer((request, response) => {
    const url = new URL(request.url!, 'http://index');
    asked.push(`${url.pathname}${url.search}`);
    const answer = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (apiKey !== undefined && request.headers['x-api-key'] !== apiKey) return answer(401, { error: 'API key' });
    // Without a key one question a second is answered.
    const now = performance.now();
    if (apiKey === undefined && now < freeAt) return answer(429, { error: 'Ratelimit exceeded' });
    freeAt = now + 1_000;
    const path = paths[url.pathname];
    if (path === undefined) return answer(404, { error: 'not found' });
    const honest = path(url.searchParams);
    const body = lies?.(url.pathname, honest) ?? honest;
    if (typeof body === 'number') return answer(body, { error: 'as told' });
    return answer(200, body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}`,
    /** Paths with their queries, in the order in which they were asked. */
    asked,
    /** Changes what is answered: another body, a status, or nothing for the truth. */
    lie: (how: typeof lies) => {
      lies = how;
    },
    /** Puts a payment in jettons into the index, two blocks deep. */
    pay(to: string, amount: bigint, { master = usdtMaster, at = Math.floor(Date.now() / 1000) - 60 } = {}): Payment {
      const payer = newAccount();
      const [payerJettons, receiverJettons] = [newAccount(), newAccount()];
      const traceId = newHash();
      const transaction = (account: string, incoming: Message, outgoing: Message[], place: number): Transaction => {
        lt += 3n;
        return {
          account,
          hash: place === 0 ? traceId : newHash(),
          lt: lt.toString(),
          now: at + place,
          trace_id: traceId,
          mc_block_seqno: head - 2,
          total_fees: '1000000',
          description: {
            type: 'ord',
            aborted: false,
            compute_ph: { skipped: false, success: true, exit_code: 0 },
            action: { success: true, result_code: 0 },
          },
          in_msg: incoming,
          out_msgs: outgoing,
        };
      };
      const between = (source: string, destination: string, opcode: string, value: bigint) =>
        message({ source, destination, opcode, value: value.toString(), bounce: true });
      const order = between(payer, payerJettons, opcodes.transfer, 100_000_000n);
      const credit = between(payerJettons, receiverJettons, opcodes.internalTransfer, 60_000_000n);
      const notice = between(receiverJettons, to.toUpperCase(), opcodes.notification, 1n);
      const rest = between(receiverJettons, payer, opcodes.excesses, 40_000_000n);
      const external = message({ destination: payer, hash_norm: newHash() });
      const sending = transaction(payerJettons, order, [credit], 1);
      const payment: Payment = {
        payer,
        wallet: transaction(payer, external, [order], 0),
        sending,
        delivery: transaction(receiverJettons, credit, [notice, rest], 2),
        notice: transaction(to.toUpperCase(), notice, [], 3),
        transfer: {
          query_id: '0',
          source: payer,
          destination: to.toUpperCase(),
          amount: amount.toString(),
          source_wallet: payerJettons,
          jetton_master: master.toUpperCase(),
          transaction_hash: sending.hash,
          transaction_lt: sending.lt,
          transaction_now: sending.now,
          transaction_aborted: false,
          trace_id: traceId,
        },
        trace: {
          is_incomplete: false,
          trace_info: { trace_state: 'complete', pending_messages: 0 },
          start_utime: at,
          end_utime: at + 3,
        },
      };
      payments.push(payment);
      return payment;
    },
    /** Makes blocks of the masterchain. */
    mine: (count = 1) => {
      head += count;
    },
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

export type TonIndexServer = Awaited<ReturnType<typeof startTonIndex>>;
