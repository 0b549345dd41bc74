import type { lookup as systemLookup } from 'node:dns';
import { WebSocket } from 'ws';
import { addressKind } from './address-kinds.ts';
import { GuardedFetchError } from './guarded-fetch.ts';
import { checkedLookup, isForbiddenLiteral, watch } from './guarded-request.ts';

export interface GuardedSocketOptions {
  /**
   * Origins that an operator named, such as `http://localhost:3000`: they alone may be spoken to without TLS and lie in a
   * private network or on this machine. Never from a tenant's input.
   */
  readonly named?: readonly string[];
  /** Ends the socket, whether it is open yet or not. */
  readonly signal: AbortSignal;
  /** Largest message of the other side, in bytes. */
  readonly bytesMax: number;
  /** Told each message of text, from the very first: the other side may speak as soon as the socket is open. */
  readonly onText: (text: string) => void;
  /** Resolves host names. @default the system's resolver */
  readonly resolve?: typeof systemLookup | undefined;
}

/** The origin of HTTP that a WebSocket belongs to. */
const originOf = (url: URL): string => `${url.protocol === 'ws:' ? 'http:' : 'https:'}//${url.host}`;

/**
 * Opens a WebSocket to another server by the rules of `createGuardedFetch`: by TLS, and to hosts of the public internet alone,
 * whose addresses are judged before and after the connection is made. It follows no redirect, and knows no proxy.
 *
 * @returns the socket once it is open
 * @throws GuardedFetchError
 */
export async function openGuardedSocket(
  target: string | URL,
  { named = [], signal, bytesMax, onText, resolve }: GuardedSocketOptions,
): Promise<WebSocket> {
  const url = new URL(target);
  const isNamed = named.some((origin) => new URL(origin).origin === originOf(url));
  const mayBePlain = url.protocol === 'ws:' && isNamed;
  if ((url.protocol !== 'wss:' && !mayBePlain) || url.username !== '' || url.password !== '')
    throw new GuardedFetchError('forbidden_url', url.host);
  const judge = {
    resolve,
    isAllowed: (address: string) => {
      const kind = addressKind(address);
      return kind === 'public' || (kind === 'private' && isNamed);
    },
    refusal: () => new GuardedFetchError('forbidden_address', url.host),
  };
  if (isForbiddenLiteral(url, judge)) throw judge.refusal();
  if (signal.aborted) throw new GuardedFetchError('aborted', url.host);
  let refused: Error | undefined;
  const socket = new WebSocket(url, {
    followRedirects: false,
    maxPayload: bytesMax,
    perMessageDeflate: false,
    lookup: checkedLookup(judge),
    minVersion: 'TLSv1.2',
    rejectUnauthorized: true,
    finishRequest(request) {
      watch(request, {
        ...judge,
        refusal: () => (refused = judge.refusal()),
      });
      request.end();
    },
  });
  socket.on('message', (data, isBinary) => {
    if (!isBinary) onText(String(data));
  });
  const end = () => socket.terminate();
  signal.addEventListener('abort', end, { once: true });
  socket.once('close', () => signal.removeEventListener('abort', end));
  return new Promise((opened, failed) => {
    socket.once('open', () => opened(socket));
    // Once it is open this listener stays: a socket that fails later is closed, and says so by that.
    socket.on('error', (error) => {
      if (error instanceof GuardedFetchError) failed(error);
      else failed(refused ?? new GuardedFetchError(signal.aborted ? 'too_slow' : 'unreachable', url.host, error));
    });
  });
}
