/** Many sockets that follow one room, counting what arrives and how long it was on its way. */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { createHistogram } from 'node:perf_hooks';
import { frameOf, opcodes, openSocket } from './frames.ts';
import { serve } from './processes.ts';

export type SubscribersCommand =
  | {
      readonly do: 'connect';
      readonly url: string;
      readonly sockets: number;
      /** Credential and subscription of a GraphQL server; undefined: the server sends to whoever is connected. */
      readonly graphql?: {
        readonly authorization: string;
        readonly query: string;
        readonly variables: object;
        /** Each socket's document is one of its own, so that the server executes for each of them. */
        readonly apart?: boolean;
      };
    }
  /** Starts to count anew. */
  | { readonly do: 'reset' }
  /** Waits until every socket together have got so many messages, or for so long, in seconds. */
  | { readonly do: 'collect'; readonly messages: number; readonly patience: number }
  | { readonly do: 'close' };

export interface Collected {
  readonly sockets: number;
  readonly delivered: number;
  /** From the reset to the last message, or to the end of patience, in seconds. */
  readonly seconds: number;
  /** Milliseconds from send to receive. */
  readonly p50: number;
  readonly p99: number;
}

/** One socket in so many has the time of its messages taken. */
const timedEvery = 10;

const now = () => Number(process.hrtime.bigint() / 1000n);

let sockets: Socket[] = [];
let delivered = 0;
let resetAt = now();
let latency = createHistogram();
let check: () => void = () => {};

/** Bodies begin with the sender's clock in microseconds, in sixteen digits; the clock is the machine's. */
const stamp = Buffer.from('"body":"');

function time(bytes: Buffer, start: number): void {
  const at = bytes.indexOf(stamp, start) + stamp.length;
  latency.record(Math.max(1, now() - Number(bytes.toString('latin1', at, at + 16))));
}

async function connect({ url, graphql }: Extract<SubscribersCommand, { do: 'connect' }>, nth: number): Promise<Socket> {
  let acknowledged: () => void = () => {};
  const acknowledgement = new Promise<void>((resolve) => {
    acknowledged = resolve;
  });
  let waiting = graphql !== undefined;
  const timed = nth % timedEvery === 0;
  const socket = await openSocket(url, graphql && 'graphql-transport-ws', (opcode, bytes, start, end) => {
    if (opcode !== opcodes.text || waiting) {
      const text = bytes.toString('utf8', start, end);
      if (opcode === opcodes.close || !text.includes('connection_ack')) throw new Error(`Unexpected frame: ${text}`);
      waiting = false;
      acknowledged();
      return;
    }
    // An error or an end of the subscription would be counted as a message; both are shorter than one.
    if (end - start < 200) throw new Error(`Unexpected message: ${bytes.toString('utf8', start, end)}`);
    delivered++;
    if (timed) time(bytes, start);
    check();
  });
  if (graphql !== undefined) {
    const { authorization, variables, apart = false } = graphql;
    const query = apart ? `${graphql.query} # ${nth}` : graphql.query;
    const say = (message: object) => socket.write(frameOf(opcodes.text, Buffer.from(JSON.stringify(message)), true));
    say({ type: 'connection_init', payload: { authorization } });
    await acknowledgement;
    say({ id: '1', type: 'subscribe', payload: { query, variables } });
  }
  socket.on('close', () => {
    if (sockets.includes(socket)) throw new Error('A socket was closed.');
  });
  return socket;
}

/** Sockets that are opened at the same time. */
const atOnce = 50;

serve(async (command: SubscribersCommand): Promise<Collected | null> => {
  if (command.do === 'connect') {
    for (let nth = 0; nth < command.sockets; nth += atOnce) {
      const length = Math.min(atOnce, command.sockets - nth);
      sockets.push(...(await Promise.all(Array.from({ length }, (_, index) => connect(command, nth + index)))));
    }
    return null;
  }
  if (command.do === 'close') {
    const closing = sockets;
    sockets = [];
    const closed = closing.map((socket) => once(socket, 'close'));
    for (const socket of closing) socket.destroy();
    await Promise.all(closed);
    return null;
  }
  if (command.do === 'reset') {
    delivered = 0;
    latency = createHistogram();
    resetAt = now();
    return null;
  }
  const wanted = command.messages * sockets.length;
  await new Promise<void>((resolve) => {
    const patience = setTimeout(resolve, command.patience * 1000);
    check = () => {
      if (delivered < wanted) return;
      clearTimeout(patience);
      resolve();
    };
    check();
  });
  check = () => {};
  return {
    sockets: sockets.length,
    delivered,
    seconds: (now() - resetAt) / 1_000_000,
    p50: latency.percentile(50) / 1000,
    p99: latency.percentile(99) / 1000,
  };
});
