import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ConnectionOptions, Msg, NatsConnection } from '@nats-io/transport-node';
import type { Logger } from 'pino';
import { localSignals, type Signals } from './signals.ts';

export interface NatsSignalsOptions {
  readonly log: Logger;
  /** Core subject that all nodes of one installation share. @default 'svc.feeds' */
  readonly subject?: string;
}

const retryMsMin = 250;
const retryMsMax = 5_000;
/** How long one attempt to connect, and the goodbye, may take. */
const patienceMs = 2_000;

/**
 * Signals to the other nodes over NATS. This process hears its own at once, without the detour. The connection is made
 * in the background on first use and for as long as it takes; what is published meanwhile is dropped, not kept.
 *
 * @param url `nats://[user:password@]host:port`, `tls://…`; several separated by commas
 */
export function natsSignals(url: string, { log, subject = 'svc.feeds' }: NatsSignalsOptions): Signals {
  const local = localSignals();
  const nodeId = randomBytes(9).toString('base64url');
  const closing = new AbortController();
  let connection: NatsConnection | undefined;
  let connected = false;
  let running: Promise<void> | undefined;

  const start = () => (running ??= closing.signal.aborted ? Promise.resolve() : run());

  async function run(): Promise<void> {
    let told = false;
    for (let delay = retryMsMin; !closing.signal.aborted; delay = Math.min(delay * 2, retryMsMax)) {
      try {
        // Loaded by the first node that signals: a single node without NATS stays smaller.
        const { connect } = await import('@nats-io/transport-node');
        if (closing.signal.aborted) return;
        connection = await connect(connectionOptions(url));
        connection.subscribe(subject, { callback: (error, message) => void (error === null && hear(message)) });
        connected = true;
        if (told) log.info('signals reach the other nodes again');
        told = false;
        delay = retryMsMin;
        await watch(connection);
      } catch (error) {
        if (!told)
          log.warn({ err: error }, 'signals cannot reach NATS; other nodes notice changes later until they do');
        told = true;
      }
      connected = false;
      await sleep(delay, undefined, { signal: closing.signal, ref: false }).catch(() => undefined);
    }
  }

  /** Follows the connection until it is closed for good. It reconnects by itself; nothing is sent while it is lost. */
  async function watch(current: NatsConnection): Promise<void> {
    if (closing.signal.aborted) return;
    for await (const { type } of current.status()) {
      if (type === 'disconnect') {
        connected = false;
        if (!closing.signal.aborted) log.warn('signals lost NATS; other nodes notice changes later until it is back');
      } else if (type === 'reconnect') {
        connected = true;
        log.info('signals reach the other nodes again');
      }
    }
    await current.closed();
  }

  function hear(message: Msg): void {
    const signal = parseSignal(message.string());
    if (signal !== undefined && signal.nodeId !== nodeId) local.publish(signal.key, signal.head);
  }

  return {
    publish: (key, head) => {
      local.publish(key, head);
      void start();
      if (!connected) return;
      try {
        connection?.publish(subject, JSON.stringify({ n: nodeId, k: key, h: head.toString() }));
      } catch {
        // Closed just now: the status tells, and the other nodes look by themselves.
      }
    },
    onSignal: (listener) => {
      void start();
      return local.onSignal(listener);
    },
    close: async () => {
      closing.abort();
      await local.close();
      // Draining sends what is still underway; a connection that is lost cannot send it.
      const drained = connected ? connection?.drain().catch(() => undefined) : undefined;
      await Promise.race([drained, sleep(patienceMs, undefined, { ref: false })]);
      await connection?.close().catch(() => undefined);
      await running;
      // An attempt that was underway may have succeeded meanwhile.
      await connection?.close().catch(() => undefined);
    },
  };
}

/** The library knows no credentials in addresses, and takes a password of digits for the port. */
function connectionOptions(url: string): ConnectionOptions {
  const urls = url.split(',').map((one) => new URL(one.includes('://') ? one.trim() : `nats://${one.trim()}`));
  const { username, password, protocol } = urls[0]!;
  const user = decodeURIComponent(username);
  return {
    servers: urls.map(({ host }) => host),
    name: 'svc-gateway',
    noEcho: true,
    // A user alone is a token, as in the other NATS clients.
    ...(user === '' ? {} : password === '' ? { token: user } : { user, pass: decodeURIComponent(password) }),
    ...(protocol === 'tls:' ? { tls: {} } : {}),
    timeout: patienceMs,
    maxReconnectAttempts: -1,
    reconnectTimeWait: retryMsMin,
    // A peer that went away without a word is noticed within half a minute.
    pingInterval: 10_000,
    maxPingOut: 2,
  };
}

function parseSignal(text: string): { nodeId: string; key: string; head: bigint } | undefined {
  try {
    const { n, k, h } = JSON.parse(text) as Record<string, unknown>;
    if (typeof n !== 'string' || typeof k !== 'string' || typeof h !== 'string' || !/^\d{1,19}$/.test(h))
      return undefined;
    return { nodeId: n, key: k, head: BigInt(h) };
  } catch {
    return undefined;
  }
}
