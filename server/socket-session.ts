import type { IncomingMessage } from 'node:http';
import { CloseCode } from 'graphql-ws';
import type { WebSocket } from 'ws';
import { ServiceError } from '../core/errors.ts';
import { newTraceId } from '../core/tracing.ts';
import type { Credentials } from '../kernel/access/credentials.ts';
import type { Context, Services } from '../kernel/run/context.ts';
import { noteSocketRequest, openedStatus } from './note-exchange.ts';
import {
  createContext,
  credentialsOf,
  destinationOf,
  type RequestInfo,
  refuseDuplicateHeaders,
  writeApprovalOf,
} from './request-context.ts';

/** An operation that its client has completed, or whose socket is gone, waits no longer and sends nothing more. */
export interface Stoppable {
  readonly abort: () => void;
}

/** What is known of a socket from its `connection_init` on. */
export interface Session {
  readonly context: (signal: AbortSignal) => Context;
  /** Operations that are under way, by the client's id. */
  readonly running: Map<string, Stoppable>;
  /** Ends one, and frees its place at once: it may take a while until it has noticed. */
  readonly complete: (id: string) => void;
  /**
   * Closes the socket, since the token that it was opened with has expired. No operation is told that it is over: on this
   * code graphql-ws and the clients built on it ask for `connectionParams` again, reconnect and go on with all of them.
   */
  readonly expire: () => void;
  /** When the token expires that it was opened with, where that is a session's. */
  readonly expiresAt?: Date | undefined;
}

/**
 * Resolves the caller of a socket. A wallet's signature is spent here, so that a copy of it opens no second one; each
 * operation then asks only whether the caller is still who it was.
 */
export async function openSession(
  services: Services,
  request: IncomingMessage,
  given: Readonly<Record<string, unknown>> | undefined,
  { address, host, socket }: { readonly address: string; readonly host: string; readonly socket: WebSocket },
): Promise<Session | Closing> {
  try {
    const arrival = arrivalOf(request, given, { address, host });
    const first = createContext(services, { ...arrival, traceId: newTraceId(), signal: new AbortController().signal });
    const startedAt = performance.now();
    const caller = await first.caller();
    noteSocketRequest(first, { route: '/graphql', path: '/graphql', startedAt, status: openedStatus });
    if (caller.kind === 'wallet') await caller.spendNonce();
    return {
      ...runningOperations(socket),
      expiresAt: first.credentials.authorization !== undefined && 'sessionId' in caller ? caller.expiresAt : undefined,
      context: (signal) => createContext(services, { ...arrival, traceId: newTraceId(), signal }, caller),
    };
  } catch (error) {
    return notOpened(services, error);
  }
}

/** What a socket is closed with that could not be opened. */
export interface Closing {
  readonly closeCode: number;
  readonly reason: string;
}

/** What a socket is closed with whose token has expired. */
const expired: Closing = {
  closeCode: CloseCode.Forbidden,
  reason: JSON.stringify({ code: 'INVALID_AUTH', reason: 'token_expired' }),
};

/** Whether a refusal, or the extensions of an error that tells it, says that the caller's token has expired. */
export function saysExpired(refusal: unknown): boolean {
  const { code, details } = (refusal ?? {}) as { readonly code?: unknown; readonly details?: { reason?: unknown } };
  return code === 'INVALID_AUTH' && details?.reason === 'token_expired';
}

/** The client library comes back by itself after this code, but not after a 45xx one. */
const tryAgainLater = { closeCode: 1013, reason: 'Try again later' };

/** Longest reason of a close frame, in bytes. */
export const reasonBytesMax = 123;

/** What a socket that could not be opened is told: a refusal as JSON, for it has no body to tell its time in, or its code. */
export function notOpened({ log }: Services, error: unknown): Closing {
  if (error instanceof ServiceError && !error.row.retryable) {
    const { reason, server_time } = error.details;
    const told = JSON.stringify({ code: error.code, reason, server_time });
    return { closeCode: CloseCode.Forbidden, reason: Buffer.byteLength(told) > reasonBytesMax ? 'Forbidden' : told };
  }
  if (!(error instanceof ServiceError && error.code === 'RATE_LIMITED'))
    log.warn({ err: error }, 'A socket could not be opened.');
  return tryAgainLater;
}

/** What a socket brings along to each of its operations. @throws INVALID_AUTH, VALIDATION_FAILED */
export function arrivalOf(
  request: IncomingMessage,
  given: Readonly<Record<string, unknown>> | undefined,
  { address, host }: { readonly address: string; readonly host: string },
): Omit<RequestInfo, 'traceId' | 'signal'> {
  refuseDuplicateHeaders(request);
  const params = underHeaderNames(given);
  return {
    credentials: connectionCredentials(params, request),
    writeApproval: writeApprovalOf(textOf(params, 'x-svc-write-auth') ?? request.headers['x-svc-write-auth']),
    address,
    ...destinationOf(request, host),
  };
}

/** The operations of a socket that are under way: none yet. */
export function runningOperations(socket: WebSocket): Pick<Session, 'running' | 'complete' | 'expire'> {
  const running: Session['running'] = new Map();
  const complete = (id: string) => {
    const operation = running.get(id);
    running.delete(id);
    operation?.abort();
  };
  return {
    running,
    complete,
    expire: () => {
      socket.close(expired.closeCode, expired.reason);
      for (const id of [...running.keys()]) complete(id);
    },
  };
}

const names = [
  'authorization',
  'sign-in-with-x',
  'apikey',
  'x-admin-key',
] as const satisfies readonly (keyof Credentials)[];

type Params = Readonly<Record<string, unknown>> | undefined;

/** `connectionParams` in lower case, as header names are alike in any. @throws INVALID_AUTH when one is given twice */
function underHeaderNames(params: Params): Params {
  if (params === undefined) return undefined;
  const lower: Record<string, unknown> = Object.create(null);
  for (const [name, value] of Object.entries(params)) {
    const field = name.toLowerCase();
    if (field in lower) throw new ServiceError('INVALID_AUTH', { details: { reason: 'given_twice', field } });
    lower[field] = value;
  }
  return lower;
}

/**
 * Credentials of `connectionParams`, under the lower-case header names; else those of the upgrade request. A browser sends
 * no headers of a page's own with that: the word that goes with its cookie comes in `connectionParams` as well.
 */
function connectionCredentials(params: Params, { headers }: Pick<IncomingMessage, 'headers'>): Credentials {
  const given = names.flatMap((name) => {
    const value = textOf(params, name);
    return value === undefined ? [] : [[name, value] as const];
  });
  if (given.length > 0) return Object.fromEntries(given);
  const csrf = textOf(params, 'x-svc-csrf');
  return credentialsOf(csrf === undefined ? headers : { ...headers, 'x-svc-csrf': csrf });
}

/** A member of `connectionParams`; absent and null are alike. @throws INVALID_AUTH when it is no text */
function textOf(params: Params, name: string): string | undefined {
  const value = params?.[name] ?? undefined;
  if (value === undefined || typeof value === 'string') return value;
  throw new ServiceError('INVALID_AUTH', { details: { reason: 'not_a_string', field: name } });
}
