import type { KeyObject } from 'node:crypto';
import { createPublicKey } from 'node:crypto';
import { calculateJwkThumbprint, FlattenedSign, type JWK } from 'jose';
import type { GuardedFetch } from '../../core/guarded-fetch.ts';
import { AcmeError, problemOf, retryAfterOf } from './acme-error.ts';

/** The addresses that an authority is asked at. RFC 8555, section 7.1.1. */
export interface Directory {
  readonly newNonce: string;
  readonly newAccount: string;
  readonly newOrder: string;
  /** What an operator agrees to. */
  readonly termsOfService: string | undefined;
}

export interface AcmeAnswer {
  readonly body: unknown;
  readonly text: string;
  readonly location: string | undefined;
  readonly retryAfterSeconds: number | undefined;
}

/** Requests to one authority, each signed by the key of one account. */
export interface AcmeSession {
  readonly directory: Directory;
  /** Part of what proves control of a host. RFC 8555, section 8.1. */
  readonly thumbprint: string;
  /**
   * Sends a signed request.
   *
   * @param payload undefined to read (POST-as-GET)
   * @param account address of the account; undefined: the key itself is sent
   * @throws AcmeError, GuardedFetchError
   */
  readonly post: (url: string, payload: object | undefined, account: string | undefined) => Promise<AcmeAnswer>;
}

/** Tries of a request whose nonce was not taken. */
const nonceTries = 4;

/** @throws AcmeError, GuardedFetchError */
export async function openAcmeSession(options: {
  readonly directoryUrl: string;
  readonly fetch: GuardedFetch;
  /** Of P-256. */
  readonly accountKey: KeyObject;
  readonly signal: AbortSignal;
}): Promise<AcmeSession> {
  const { directoryUrl, fetch, accountKey, signal } = options;
  const { x, y } = createPublicKey(accountKey).export({ format: 'jwk' }) as JWK;
  const jwk: JWK = { crv: 'P-256', kty: 'EC', ...(x === undefined ? {} : { x }), ...(y === undefined ? {} : { y }) };
  const directory = readDirectory((await ask(fetch, directoryUrl, { signal })).body);
  let nonce: string | undefined;

  async function freshNonce(): Promise<string> {
    const known = nonce;
    nonce = undefined;
    if (known !== undefined) return known;
    const response = await fetch(directory.newNonce, { method: 'HEAD', signal });
    const given = response.headers.get('replay-nonce');
    if (given === null) throw new AcmeError('malformedAnswer', 'The authority gave no nonce.');
    return given;
  }

  async function postOnce(url: string, payload: object | undefined, account: string | undefined): Promise<AcmeAnswer> {
    const bytes = new TextEncoder().encode(payload === undefined ? '' : JSON.stringify(payload));
    const body = await new FlattenedSign(bytes)
      .setProtectedHeader({
        alg: 'ES256',
        nonce: await freshNonce(),
        url,
        ...(account === undefined ? { jwk } : { kid: account }),
      })
      .sign(accountKey);
    return ask(fetch, url, { signal, body: JSON.stringify(body) }, (fresh) => {
      nonce = fresh;
    });
  }

  return {
    directory,
    thumbprint: await calculateJwkThumbprint(jwk),
    async post(url, payload, account) {
      for (let tries = 1; ; tries++) {
        try {
          return await postOnce(url, payload, account);
        } catch (error) {
          if (!(error instanceof AcmeError) || error.type !== 'badNonce' || tries === nonceTries) throw error;
        }
      }
    },
  };
}

async function ask(
  fetch: GuardedFetch,
  url: string,
  { signal, body }: { readonly signal: AbortSignal; readonly body?: string },
  onNonce?: (nonce: string) => void,
): Promise<AcmeAnswer> {
  const headers = {
    'user-agent': 'svc-gateway',
    ...(body === undefined ? {} : { 'content-type': 'application/jose+json' }),
  };
  const response = await fetch(url, { method: body === undefined ? 'GET' : 'POST', headers, body, signal });
  const nonce = response.headers.get('replay-nonce');
  if (nonce !== null) onNonce?.(nonce);
  const text = await response.text();
  const isJson = (response.headers.get('content-type') ?? '').includes('json');
  const content = isJson ? parsed(text) : undefined;
  const retryAfterSeconds = retryAfterOf(response.headers.get('retry-after'));
  if (!response.ok) throw problemOf(response.status, content, retryAfterSeconds);
  return { body: content, text, location: response.headers.get('location') ?? undefined, retryAfterSeconds };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readDirectory(body: unknown): Directory {
  const { newNonce, newAccount, newOrder, meta } = (body ?? {}) as Record<string, unknown>;
  if (typeof newNonce !== 'string' || typeof newAccount !== 'string' || typeof newOrder !== 'string')
    throw new AcmeError('malformedAnswer', 'The address is not that of a directory of ACME.');
  const terms = (meta as { termsOfService?: unknown } | undefined)?.termsOfService;
  return { newNonce, newAccount, newOrder, termsOfService: typeof terms === 'string' ? terms : undefined };
}
