import type { lookup as systemLookup } from 'node:dns';
import type { IncomingMessage } from 'node:http';
import { addressKind } from './address-kinds.ts';
import { openGuarded } from './guarded-request.ts';

/** Why a request was not made, or not answered. */
export type GuardedFetchReason =
  | 'forbidden_url'
  | 'forbidden_address'
  | 'unreachable'
  | 'too_slow'
  | 'too_large'
  | 'aborted';

/** The words hold the host at most: neither the path nor the query of an address, which may hold secrets. */
export class GuardedFetchError extends Error {
  override readonly name = 'GuardedFetchError';
  readonly reason: GuardedFetchReason;

  constructor(reason: GuardedFetchReason, host: string, cause?: unknown) {
    super(`${words[reason]} (${host})`, { cause });
    this.reason = reason;
  }
}

const words: Readonly<Record<GuardedFetchReason, string>> = {
  forbidden_url: 'Only https addresses without credentials are asked',
  forbidden_address: 'The host is not in the public internet',
  unreachable: 'The host could not be reached',
  too_slow: 'The answer took too long',
  too_large: 'The answer is too large',
  aborted: 'Nobody waits for the answer any more',
};

export interface GuardedFetchOptions {
  /**
   * Origins that an operator named, such as `http://localhost:3000`: they alone may speak plain http and lie in a
   * private network or on this machine. Never from a tenant's input.
   */
  readonly named?: readonly string[];
  /** Addresses that an operator named: whatever leads to them is allowed there, by https. Never from a tenant's input. */
  readonly namedAddresses?: readonly string[];
  /** Longest time until the whole answer is there, in milliseconds. @default 5_000 */
  readonly timeoutMs?: number;
  /** Largest body of an answer, in bytes. @default 1 MiB */
  readonly bytesMax?: number;
  /** Whether an answer has a body; without, the connection is closed once its headers are there. @default true */
  readonly readsBody?: boolean;
  /** Resolves host names. @default the system's resolver */
  readonly resolve?: typeof systemLookup | undefined;
}

export interface GuardedRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | URLSearchParams | null | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** @throws GuardedFetchError */
export type GuardedFetch = (url: string | URL, request?: GuardedRequest) => Promise<Response>;

/**
 * A client for everything that is asked of other servers. It asks by https, and only hosts of the public internet:
 * every address a name resolves to is checked, and the connection goes to the addresses that were checked. It follows
 * no redirect, knows no proxy, and reads an answer of a bounded size in a bounded time.
 */
export function createGuardedFetch({
  named = [],
  namedAddresses = [],
  timeoutMs = 5_000,
  bytesMax = 1024 * 1024,
  readsBody = true,
  resolve,
}: GuardedFetchOptions = {}): GuardedFetch {
  const namedOrigins = new Set(named.map((origin) => new URL(origin).origin));
  return async (target, { method = 'GET', headers = {}, body, signal } = {}) => {
    const url = new URL(target);
    const isNamed = namedOrigins.has(url.origin);
    const plain = url.protocol === 'http:' && isNamed;
    if ((url.protocol !== 'https:' && !plain) || url.username !== '' || url.password !== '')
      throw new GuardedFetchError('forbidden_url', url.host);
    const isAllowed = (address: string) => {
      const kind = addressKind(address);
      return kind === 'public' || (kind === 'private' && (isNamed || namedAddresses.includes(address)));
    };

    const late = AbortSignal.timeout(timeoutMs);
    const ended = signal === undefined ? late : AbortSignal.any([late, signal]);
    const reasonOf = (error: unknown): GuardedFetchError => {
      if (error instanceof GuardedFetchError) return error;
      if (signal?.aborted === true) return new GuardedFetchError('aborted', url.host);
      return new GuardedFetchError(late.aborted ? 'too_slow' : 'unreachable', url.host, error);
    };
    try {
      ended.throwIfAborted();
      const response = await openGuarded({
        url,
        method,
        headers,
        body: body instanceof URLSearchParams ? body.toString() : (body ?? undefined),
        signal: ended,
        resolve,
        isAllowed,
        refusal: () => new GuardedFetchError('forbidden_address', url.host),
      });
      if (!readsBody) {
        response.destroy();
        return asResponse(response, undefined);
      }
      const bytes = await readAll(response, bytesMax, () => new GuardedFetchError('too_large', url.host));
      return asResponse(response, bytes);
    } catch (error) {
      throw reasonOf(error);
    }
  };
}

async function readAll(response: IncomingMessage, bytesMax: number, refusal: () => Error): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length;
    // Leaving the loop closes the connection.
    if (length > bytesMax) throw refusal();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Statuses whose answers have no body. */
const bodiless = new Set([204, 205, 304]);

function asResponse({ statusCode, rawHeaders }: IncomingMessage, bytes: Buffer | undefined): Response {
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at]!, rawHeaders[at + 1]!);
  const body = bytes === undefined || bodiless.has(statusCode!) ? null : new Uint8Array(bytes);
  return new Response(body, { status: statusCode!, headers });
}
