import type { LiveCaller } from '../../resolvers/live/authenticate-live.ts';
import type { LiveHub, LiveSubscription } from '../../resolvers/live/live-hub.ts';
import type { LiveParams } from '../../resolvers/live/live-input.ts';
import { frame } from '../../subscriptions/live/live-frames.ts';
import type { Exchange } from '../exchange.ts';
import { setCommonHeaders } from '../respond.ts';
import { whenDraining } from './draining.ts';

export interface LiveStreamOptions {
  readonly live: LiveHub;
  /** Aborted when the server stops: its clients resume elsewhere. */
  readonly draining: AbortSignal;
  /** How often a silent stream gives a sign of life, in milliseconds. @default 15_000 */
  readonly heartbeatMs?: number;
  /** How long a stream lasts at most, in milliseconds. @default 300_000 */
  readonly lifetimeMs?: number;
}

/** What clients wait before they connect again, in milliseconds. */
const retryMs = 3_000;

/** Most bytes that wait for a slow client: it resumes by its cursor. */
const waitingBytesMax = 1024 * 1024;

const heartbeat = Buffer.from(': heartbeat\n\n');

/**
 * Answers with a stream of a project's hints for an admitted caller. Contract 01, section 4.4.
 *
 * @throws before anything is sent: TABLE_NOT_LIVE, AUTH_REQUIRED, LIVE_CONNECTION_LIMIT, UPSTREAM_UNAVAILABLE
 */
export async function streamLive(
  { request, response }: Pick<Exchange, 'request' | 'response'>,
  caller: LiveCaller,
  { tables, cursor }: Pick<LiveParams, 'tables' | 'cursor'>,
  { live, draining, heartbeatMs = 15_000, lifetimeMs = 300_000 }: LiveStreamOptions,
): Promise<void> {
  const headOnly = request.method === 'HEAD';
  const subscription = await live.open({ ...caller, tables, cursor, counted: !headOnly });
  if (response.destroyed) return subscription.close();
  setCommonHeaders(response);
  // A stream ends with its connection, so that nothing need be put around what many are sent alike.
  response.shouldKeepAlive = false;
  response.useChunkedEncodingByDefault = false;
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  });
  if (headOnly) {
    subscription.close();
    response.end();
    return;
  }
  let over = false;
  /** Those who wait for the client to take what was written. */
  let onTaken = () => {};
  response.on('drain', () => onTaken());
  /** Nothing is written from here on. */
  const stop = () => {
    over = true;
    clearInterval(beat);
    clearTimeout(lifetime);
    stopWatching();
    subscription.close();
    onTaken();
  };
  const end = (reason: string) => {
    if (over) return;
    const { cursor: last } = subscription;
    stop();
    // A reader that takes nothing any more is not waited for.
    if (response.writableLength > 0) setTimeout(() => response.destroy(), 2_000).unref();
    response.end(frame('reconnect', JSON.stringify({ reason, cursor: last }), last));
  };
  const beat = setInterval(() => response.write(heartbeat), heartbeatMs);
  const lifetime = setTimeout(() => end('max_lifetime'), lifetimeMs);
  const stopWatching = whenDraining(draining, () => end('server_stopping'));
  response.once('close', stop);
  // A connection that breaks is one that closes.
  response.on('error', () => response.destroy());
  response.write(`retry: ${retryMs}\n\n${openingOf(subscription, tables)}`);
  subscription.start({
    hints: ({ frames }) => {
      if (over) return;
      if (response.writableLength > waitingBytesMax) return void response.destroy();
      if (!response.write(frames)) return new Promise<void>((resolve) => (onTaken = resolve));
    },
    resync: (resync) => {
      if (!over) response.write(resyncFrame(resync));
    },
    end: (reason) => end(reason === 'closed' ? 'server_stopping' : reason),
  });
}

const openingOf = ({ cursor, resync }: LiveSubscription, tables: readonly string[]): string =>
  (resync === undefined ? '' : resyncFrame(resync)) + frame('ready', JSON.stringify({ cursor, tables }), cursor);

const resyncFrame = ({ tables, reason, cursor }: NonNullable<LiveSubscription['resync']>): string =>
  frame('resync', JSON.stringify({ tables, reason }), cursor);
