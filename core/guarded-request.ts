import { lookup as systemLookup } from 'node:dns';
import {
  type Agent,
  type ClientRequest,
  type IncomingMessage,
  type RequestOptions,
  request as requestHttp,
} from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { pipeline } from 'node:stream';

/** How far a request has come: its name is resolved, its connection made, its certificate checked. */
export type GuardedStage = 'resolved' | 'connected' | 'secured';

export interface GuardedOpening {
  readonly url: URL;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Pieces are sent as they come, and asked for as the other side takes them. */
  readonly body?: string | Uint8Array | AsyncIterable<Uint8Array> | undefined;
  readonly signal: AbortSignal;
  /**
   * Connections that requests to one origin may share, where the operator named it and all of them are judged alike.
   * @default a connection of its own
   */
  readonly agent?: Agent | undefined;
  /** Resolves host names. @default the system's resolver */
  readonly resolve?: typeof systemLookup | undefined;
  /** Judges an address before it is connected to, and the one that was connected to. */
  readonly isAllowed: (address: string) => boolean;
  /** What a forbidden address is refused with. */
  readonly refusal: () => Error;
  readonly onStage?: ((stage: GuardedStage) => void) | undefined;
  /** Most bytes of an answer's headers. @default Node's own bound */
  readonly headerBytesMax?: number;
  /** For trials of the gateway itself: the port a host is served on in them, and who signed its certificate. */
  readonly trial?: { readonly port: number; readonly ca: string } | undefined;
}

/**
 * The one place where the gateway connects to servers that it was told of: the caller has judged the scheme of the URL, and
 * here its address is judged, or every address that its name resolves to. The connection goes to the addresses that were
 * judged.
 *
 * @returns the answer, whose body has yet to be read
 */
export function openGuarded(opening: GuardedOpening): Promise<IncomingMessage> {
  const { url, method = 'GET', headers, body, signal, trial, agent = false } = opening;
  if (isForbiddenLiteral(url, opening)) return Promise.reject(opening.refusal());
  const options: RequestOptions = {
    method,
    // As it is sent: the body is counted as it comes.
    headers: { 'accept-encoding': 'identity', ...headers, ...(trial === undefined ? {} : { host: url.host }) },
    // Neither a connection that another caller's request opened nor one that leads through a proxy.
    agent,
    signal,
    lookup: checkedLookup(opening),
    ...(opening.headerBytesMax === undefined ? {} : { maxHeaderSize: opening.headerBytesMax }),
  };
  const secure = trial === undefined ? {} : { port: trial.port, ca: trial.ca, servername: url.hostname };
  return new Promise((answered, failed) => {
    const request =
      url.protocol === 'http:'
        ? requestHttp(url, options, answered)
        : // Said outright: what the environment may say against it does not count.
          requestHttps(url, { ...options, ...secure, minVersion: 'TLSv1.2', rejectUnauthorized: true }, answered);
    request.on('error', failed);
    // An answer that leaves HTTP (101) comes as neither an answer nor an error.
    request.on('close', () => failed(new Error('The connection ended without an answer.')));
    watch(request, opening);
    // What fails on the way has failed the request above.
    if (isPieces(body)) pipeline(body, request, () => undefined);
    else request.end(body);
  });
}

/** Whether an address itself is where a name would be, and is refused: it is never looked up. */
export function isForbiddenLiteral({ hostname }: URL, { isAllowed }: Pick<AddressJudge, 'isAllowed'>): boolean {
  const literal = hostname.replace(/^\[|\]$/g, '');
  return isIP(literal) !== 0 && !isAllowed(literal);
}

const isPieces = (body: GuardedOpening['body']): body is AsyncIterable<Uint8Array> =>
  typeof body === 'object' && Symbol.asyncIterator in body;

/** How the address of a connection is judged. */
export type AddressJudge = Pick<GuardedOpening, 'resolve' | 'isAllowed' | 'refusal' | 'onStage'>;

/** Judges the address that a request was connected to. */
export function watch(request: ClientRequest, { isAllowed, refusal, onStage }: AddressJudge): void {
  request.on('socket', (socket) => {
    // It was judged when it was made.
    if (request.reusedSocket) {
      onStage?.('connected');
      return;
    }
    socket.on('connect', () => {
      // What was judged is what was connected to, whatever lies between.
      if (socket.remoteAddress !== undefined && !isAllowed(socket.remoteAddress)) socket.destroy(refusal());
      else onStage?.('connected');
    });
    socket.on('secureConnect', () => onStage?.('secured'));
  });
}

/** Resolves a name, and refuses it when any of its addresses is refused: the next look might find that one alone. */
export const checkedLookup =
  ({ resolve = systemLookup, isAllowed, refusal, onStage }: AddressJudge): LookupFunction =>
  (hostname, options, done) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return done(error, '', 0);
      const [first] = addresses;
      if (first === undefined || !addresses.every(({ address }) => isAllowed(address))) return done(refusal(), '', 0);
      onStage?.('resolved');
      if (options.all === true) return done(null, addresses);
      done(null, first.address, first.family);
    });
  };
