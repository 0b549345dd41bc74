import { type IncomingMessage, ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { ServiceError, toEnvelope } from '../core/errors.ts';
import type { ResponseBackpressure } from '../core/response-backpressure.ts';
import { newTraceId } from '../core/tracing.ts';
import { ReplayedRefusal } from '../kernel/durability/idempotency.ts';
import { asRefusal } from '../kernel/run/as-refusal.ts';
import { correlate, type IncidentWatch, projectConcerned } from '../kernel/run/correlation.ts';
import { PaymentRequired } from '../resolvers/payments/payment-required.ts';
import { withErrorCode } from '../rest-compat/auth/error-code.ts';
import { challengeBody } from '../rest-compat/challenge-body.ts';
import { isApiPath, problemType, toProblem } from '../rest-compat/problem.ts';
import { discardBody } from './body.ts';

export const jsonType = 'application/json; charset=utf-8';

/** Refusals that say how to authenticate. */
const challenged: readonly string[] = [
  'AUTH_REQUIRED',
  'INVALID_AUTH',
  'PROJECT_CREDENTIAL_INVALID',
  'PROJECT_CREDENTIAL_EXPIRED',
];

/** Request headers that browsers may send across origins. Contract 01, section 1.18. */
const allowedHeaders = [
  'apikey',
  'authorization',
  'content-type',
  'sign-in-with-x',
  'x-svc-write-auth',
  'x-admin-key',
  'x-admin-mode',
  'idempotency-key',
  'prefer',
  'range',
  'range-unit',
  'accept-profile',
  'content-profile',
  'svc-client',
  'last-event-id',
  'payment-signature',
  'x-payment',
  'access-control-expose-headers',
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
  'mcp-session-id',
  'svc-mcp-profile',
  'a2a-version',
  'a2a-extensions',
  'x-client-info',
  'x-supabase-api-version',
  'x-retry-count',
  // Policies and functions of a project read headers of its app's own. No cookie comes across origins, so nothing is
  // opened by this; a browser does not take it for `authorization`, which is why that is named.
  '*',
].join(', ');

const exposedHeaders = [
  'x-svc-trace-id',
  'x-svc-request-id',
  'x-svc-error-code',
  'x-svc-key-rotation',
  'retry-after',
  'allow',
  'content-range',
  'location',
  'etag',
  'preference-applied',
  'payment-required',
  'payment-response',
  'x-payment-response',
  'repr-digest',
  'x-svc-payment-id',
  'x-svc-payment-deduplicated',
  'x-svc-payment-funds-moved',
  'x-svc-payment-delivery',
  'x-svc-payment-settled-at',
  'x-svc-payment-intent-state',
  'mcp-session-id',
].join(', ');

/** What browsers may send to the audit gateway, and read of its answers. Contract 00, section 1.12. */
const apiAllowedHeaders = [
  'content-type',
  'payment-signature',
  'x-payment',
  'access-control-expose-headers',
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
  'mcp-session-id',
  'a2a-version',
  'a2a-extensions',
  // As clients of A2A 0.3 spell it.
  'x-a2a-extensions',
  'idempotency-key',
  'x-svc-payment-attempt-id',
].join(', ');

const apiExposedHeaders = [
  'payment-required',
  'payment-response',
  'x-payment-response',
  'retry-after',
  'repr-digest',
  'etag',
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
  // Beside an archive that is the answer itself.
  'x-license-key',
  'link',
].join(', ');

const exposedBy = (underApi: boolean) => (underApi ? apiExposedHeaders : exposedHeaders);

/** What every answer carries: any origin may read it, and it can be found in the log. */
const commonHeaders = (traceId: string, underApi: boolean): Record<string, string> => ({
  'access-control-allow-origin': '*',
  'access-control-expose-headers': exposedBy(underApi),
  'x-svc-trace-id': traceId,
  'x-content-type-options': 'nosniff',
});

/** An answer that knows what every answer carries. */
export class Answer extends ServerResponse<IncomingMessage> {
  traceId = '';
  /** Whether it is an answer of the audit gateway. */
  underApi = false;
  /** Where it is counted while it waits for its reader; undefined: it is never large. */
  keeping: Keeping | undefined;
  /** Length of the body, where it is sent as a whole. */
  bytes: number | undefined;
  /** Called once, when the answer begins. */
  onBegun: ((status: number) => void) | undefined;

  /** Every body passes here, in bytes, before it is sent. @throws RATE_LIMITED for a read of too much at once */
  keep(bytes: number): void {
    this.bytes = bytes;
    if (this.keeping === undefined) return;
    const { held, owner, mayRefuse } = this.keeping;
    held.hold(owner, this, bytes, mayRefuse);
  }
}

/** What is known of a large answer to be. */
export interface Keeping {
  readonly held: ResponseBackpressure;
  /** A project, or the network that asks where it is none's. */
  owner: string;
  /** That it is not given does no harm: nothing was changed. */
  mayRefuse: boolean;
}

/** For an answer that is not sent by {@link send}, which writes them itself: setting each is what takes long. */
export function setCommonHeaders(response: Answer): void {
  for (const [name, value] of Object.entries(commonHeaders(response.traceId, response.underApi)))
    response.setHeader(name, value);
}

/** Answers a preflight: 204 for any path. Contract 01, section 1.1; contract 00, section 1.12. */
export function answerPreflight(response: Answer): void {
  const { underApi } = response;
  const methods = underApi ? 'GET, POST, OPTIONS' : 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';
  setCommonHeaders(response);
  response.setHeader('access-control-allow-methods', methods);
  response.setHeader('access-control-allow-headers', underApi ? apiAllowedHeaders : allowedHeaders);
  response.setHeader('access-control-max-age', '86400');
  response.writeHead(204).end();
}

/** In characters. */
const longText = 8_192;

/** Sends a whole answer; HEAD gets its headers alone. What is left of an unread body is not taken for the next request. */
export function send(
  response: Answer,
  status: number,
  type: string,
  text: string,
  more: Readonly<Record<string, string>> = {},
): void {
  // A long text is put into bytes once, rather than once to be counted and twice more to be sent.
  const body = text.length > longText ? Buffer.from(text) : text;
  const bytes = Buffer.byteLength(body);
  if (response.req.method !== 'HEAD') response.keep(bytes);
  const headers = [
    'access-control-allow-origin',
    '*',
    'access-control-expose-headers',
    exposedBy(response.underApi),
    'x-svc-trace-id',
    response.traceId,
    'x-content-type-options',
    'nosniff',
    'content-type',
    type,
    'content-length',
    String(bytes),
    'cache-control',
    'no-store',
  ];
  for (const name in more) headers.push(name, more[name]!);
  const { req: request } = response;
  const shown = request.method === 'HEAD' ? '' : body;
  if (request.complete) return void response.writeHead(status, headers).end(shown);
  response.writeHead(status, [...headers, 'connection', 'close']);
  response.flushHeaders();
  if (shown !== '') response.write(shown);
  void discardBody(request).then(() => response.end());
}

/** An answer that was made elsewhere, headers and all. */
export interface WholeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** Sends an answer as it is. What has no body has no length either, nor has what was asked for by HEAD. */
export function sendAnswer(response: Answer, { status, headers, body }: WholeAnswer): void {
  const bare = status === 204 || status === 304 || response.req.method === 'HEAD';
  const bytes = bare ? 0 : Buffer.byteLength(body);
  response.keep(bytes);
  const length: Record<string, number> = bare ? {} : { 'content-length': bytes };
  setCommonHeaders(response);
  response.writeHead(status, { ...headers, ...length });
  response.end(bare ? undefined : body);
}

export const sendJson = (response: Answer, status: number, body: unknown): void =>
  send(response, status, jsonType, JSON.stringify(body));

/** What is known where a request is refused. */
interface RefusalFacts {
  readonly path: string;
  /** The project that is addressed, where that is known of the whole request. */
  readonly projectId: string | undefined;
  readonly traceId: string;
  readonly log: Logger;
  readonly incidents: IncidentWatch;
}

/** Sends a refusal in the form of its surface; whatever has no row in the error table is masked and logged. */
export function sendError(
  response: Answer,
  failure: unknown,
  { path, projectId, traceId, log, incidents }: RefusalFacts,
): void {
  const error = asRefusal(failure);
  if (!(error instanceof ServiceError))
    log.error({ err: error, trace_id: traceId, path }, 'A request failed unexpectedly.');
  const known = error instanceof ServiceError ? error : new ServiceError('INTERNAL_ERROR');
  const headers: Record<string, string> = { ...known.headers };
  if (known.retryAfter !== undefined) headers['retry-after'] = String(known.retryAfter);
  if (known.allow !== undefined) headers.allow = known.allow.join(', ');
  if (challenged.includes(known.code)) headers['www-authenticate'] = 'Bearer';
  const underApi = isApiPath(path);
  if (underApi && error instanceof PaymentRequired && error.isOfGateway)
    return void send(response, known.status, jsonType, challengeBody(path, error), headers);
  const refused = toEnvelope(error, error instanceof ReplayedRefusal ? error.traceId : traceId);
  const envelope = correlate(refused, incidents, projectId ?? projectConcerned(error));
  const plain = path.startsWith('/auth/v1/') ? withErrorCode(envelope) : envelope;
  const body = underApi ? toProblem(envelope, known.status, path) : plain;
  send(response, known.status, underApi ? problemType : jsonType, JSON.stringify(body), headers);
}

/** How long a refused socket is given to take its answer, in milliseconds. */
const lingerMs = 2_000;

/**
 * Refuses what never became a request, or is to be upgraded: there is a socket and no response. It is closed.
 */
export function sendSocketError(
  socket: Duplex,
  error: ServiceError,
  { path = '', headers = {} }: SocketErrorOptions = {},
): void {
  // What still arrives after the answer is broken once more.
  if (socket.writableEnded) return;
  if (!socket.writable) return void socket.destroy();
  const { status } = error.row;
  const traceId = newTraceId();
  const underApi = isApiPath(path);
  const envelope = toEnvelope(error, traceId);
  const body = JSON.stringify(underApi ? toProblem(envelope, status, path) : envelope);
  const all = {
    ...commonHeaders(traceId, underApi),
    ...headers,
    connection: 'close',
    'cache-control': 'no-store',
    'content-type': underApi ? problemType : jsonType,
    'content-length': String(Buffer.byteLength(body)),
    ...(error.retryAfter === undefined ? {} : { 'retry-after': String(error.retryAfter) }),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
  // Closed at once it might be reset, and the answer lost; left to the client it might stay for ever.
  socket.resume();
  const patience = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(patience));
}

export interface SocketErrorOptions {
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
}
