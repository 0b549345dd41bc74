import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ErrorCode, ServiceError } from '../core/errors.ts';
import { sameSecret } from '../core/keys.ts';
import { newTraceId, traced } from '../core/tracing.ts';
import type { Services } from '../resolvers/context.ts';
import { allowHeader, type RestRoutes } from '../rest-compat/handle.ts';
import { answerRows, openRows, rowBodyBytesMax } from '../rest-compat/rows/answer.ts';
import { matchRowPath, type RowPath } from '../rest-compat/rows/match.ts';
import type { Engine } from '../schema/engine/engine.ts';
import type { GraphQLServer } from '../schema/yoga.ts';
import { readBody, refuseBody } from './body.ts';
import { clientAddress, networkOf, type TrustedProxies } from './client-address.ts';
import type { ConnectionLimit } from './connection-limit.ts';
import { answerGraphQL } from './graphql-http.ts';
import type { Health } from './health.ts';
import type { Metrics } from './metrics.ts';
import {
  createContext,
  credentialsOf,
  destinationOf,
  refuseDuplicateHeaders,
  refuseMissingHost,
  targetOf,
  writeApprovalOf,
} from './request-context.ts';
import { Answer, answerPreflight, send, sendAnswer, sendError, sendJson, sendSocketError } from './respond.ts';

export interface HttpOptions {
  readonly services: Services;
  readonly rest: RestRoutes;
  readonly engine: Engine;
  readonly graphql: GraphQLServer;
  readonly health: Health;
  readonly metrics: Metrics;
  readonly connections: ConnectionLimit;
  readonly trustedProxies: TrustedProxies | undefined;
  /** The configured address to listen at. */
  readonly host: string;
  /** Whether `/metrics` is for the platform admin alone. */
  readonly guardMetrics: boolean;
  /** Aborted when the server stops: event streams are cut then, so that their readers resume elsewhere. */
  readonly draining: AbortSignal;
}

/** How long an idle connection is kept, in milliseconds: longer than proxies keep theirs, so that they close first. */
const keepAliveMs = 75_000;

/** Made once: a `DOMException` with its stack for each request would cost more than many a query. */
const clientGone = new Error('The client has gone.');

/** A request on its way through the server. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: Answer;
  readonly path: string;
  readonly search: string;
  /** The client waits for a word before it sends the body. */
  readonly asksFirst: boolean;
  /** Set as soon as the trace has begun. */
  traceId: string;
  /** Pattern of the route, for metrics. */
  route: string;
}

/** The server's own paths; everything else is a documented path of an operation. */
type OwnPath = (exchange: Exchange) => Promise<void>;

/** Node offers it from 22.21 on, before its types do. */
interface UpgradeOptions extends ServerOptions<typeof IncomingMessage, typeof Answer> {
  readonly shouldUpgradeCallback: (request: IncomingMessage) => boolean;
}

/** The HTTP server: common headers, limits and errors around GraphQL, the documented paths and the server's own. */
export function createHttpServer(options: HttpOptions): Server {
  const { services, metrics, health } = options;
  const own = ownPaths(options);
  const documented = answerPath(options);
  const answer = (request: IncomingMessage, response: Answer, asksFirst: boolean) => {
    const startedAt = performance.now();
    const { path, search } = targetOf(request);
    const exchange: Exchange = { request, response, path, search, asksFirst, traceId: '', route: 'unknown' };
    response.on('close', () => {
      const seen = { route: exchange.route, method: request.method ?? '', status: response.statusCode };
      const seconds = (performance.now() - startedAt) / 1000;
      metrics.httpRequest(seen, seconds);
      if (services.log.isLevelEnabled('debug'))
        services.log.debug({ trace_id: exchange.traceId, ...seen, seconds }, 'request');
    });
    traced(
      'http',
      { headers: request.headers, attributes: { 'http.request.method': request.method ?? '' } },
      async () => {
        response.traceId = newTraceId();
        exchange.traceId = response.traceId;
        refuseMissingHost(request);
        if (request.method === 'OPTIONS') return answerPreflight(response);
        refuseDuplicateHeaders(request);
        await (own.get(path) ?? documented)(exchange);
      },
    ).catch((error: unknown) => fail(options, exchange, error));
  };
  // The check for a host is ours: Node's refuses with an empty body.
  const serverOptions: UpgradeOptions = {
    maxHeaderSize: 32 * 1024,
    requireHostHeader: false,
    // Clients that keep their connections go elsewhere with their next request. Asked when an answer begins, so that
    // nobody need keep a list of those under way.
    ServerResponse: class extends Answer {
      // biome-ignore lint/suspicious/noExplicitAny: Node's method has several overloads, all passed through.
      override writeHead(...args: any[]): this {
        if (health.draining.aborted) this.shouldKeepAlive = false;
        // biome-ignore lint/suspicious/noExplicitAny: as above.
        return (super.writeHead as any)(...args);
      }
    },
    keepAliveTimeout: keepAliveMs,
    // Any other upgrade is an offer, and what is asked is answered without it.
    shouldUpgradeCallback: ({ method, headers }) => method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket',
  };
  const server = createServer(serverOptions, (request, response) => answer(request, response, false));
  server.on('checkContinue', (request, response) => answer(request, response, true));
  // An expectation that nobody knows is no reason to refuse.
  server.on('checkExpectation', (request, response) => answer(request, response, false));
  server.on('clientError', refuseUnreadable);
  return server as unknown as Server;
}

const unreadable: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'BODY_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
};

/** Answers what Node's parser gave up on. */
function refuseUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  // With an answer under way, a second one would be read as a part of it.
  const { _httpMessage: begun } = socket as Duplex & { readonly _httpMessage?: ServerResponse | null };
  if (error.code === 'ECONNRESET' || begun?.headersSent === true) return void socket.destroy();
  const code = unreadable[error.code ?? ''];
  const refused =
    code === undefined
      ? new ServiceError('VALIDATION_FAILED', { message: 'This is no request of HTTP.' })
      : new ServiceError(code);
  sendSocketError(socket, refused);
}

function fail({ services: { log } }: HttpOptions, { response, path, traceId }: Exchange, error: unknown): void {
  if (response.headersSent) {
    log.warn({ err: error, trace_id: traceId, path }, 'An answer broke off.');
    response.destroy();
    return;
  }
  sendError(response, error, { path, traceId, log });
}

function ownPaths(options: HttpOptions): ReadonlyMap<string, OwnPath> {
  const { services, health, metrics, engine, graphql, draining, guardMetrics } = options;
  const reading =
    (answer: (exchange: Exchange) => Promise<void>): OwnPath =>
    async (exchange) => {
      requireMethod(exchange, 'GET');
      await answer(exchange);
    };
  return new Map<string, OwnPath>([
    ['/api/health', reading(async ({ response }) => sendJson(response, 200, await health.report()))],
    [
      '/readyz',
      reading(async ({ response }) => {
        const ready = await health.ready();
        sendJson(response, ready ? 200 : 503, { ready });
      }),
    ],
    [
      '/metrics',
      reading(async ({ request, response }) => {
        if (guardMetrics) requireAdminKey(request, services.settings.adminKey);
        send(response, 200, metrics.contentType, await metrics.render());
      }),
    ],
    [
      '/graphql',
      async (exchange) => {
        requireMethod(exchange, 'GET', 'POST');
        const { request, response, search } = exchange;
        const ctx = contextOf(options, exchange);
        const body = await bodyOf(exchange);
        await answerGraphQL({ request, response, search, body, engine, graphql, ctx, draining });
      },
    ],
  ]);
}

function requireMethod(exchange: Exchange, ...allowed: readonly string[]): void {
  const { request, path } = exchange;
  exchange.route = path;
  const method = request.method === 'HEAD' ? 'GET' : request.method!;
  if (allowed.includes(method)) return;
  throw new ServiceError('METHOD_NOT_ALLOWED', {
    allow: allowHeader(allowed),
    details: { method, allow: allowHeader(allowed) },
  });
}

/** Prometheus can send a bearer, but no header of its own. @throws AUTH_REQUIRED or INVALID_AUTH */
function requireAdminKey({ headers }: IncomingMessage, expected: string | undefined): void {
  const given = headers['x-admin-key'] ?? headers.authorization?.replace(/^Bearer\s+/i, '');
  if (given === undefined) throw new ServiceError('AUTH_REQUIRED');
  if (expected === undefined || !sameSecret(String(given), expected)) throw new ServiceError('INVALID_AUTH');
}

/** A path with a name in it: of a project's rows, or of what an operation answers. */
const answerPath =
  (options: HttpOptions): OwnPath =>
  async (exchange) => {
    const rows = matchRowPath(exchange.request.method!, exchange.path);
    return rows === undefined ? answerRest(options)(exchange) : answerRowPath(options, exchange, rows);
  };

async function answerRowPath(options: HttpOptions, exchange: Exchange, rows: RowPath): Promise<void> {
  const { request, response, path, search } = exchange;
  exchange.route = rows.pattern;
  const ctx = contextOf(options, exchange);
  // A body is large here, and not read for somebody who may not send it.
  const caller = await openRows(rows, ctx);
  const body = await bodyOf(exchange, rowBodyBytesMax);
  const answer = await answerRows(rows, caller, { path, search, headers: request.headers, body }, ctx);
  if (!response.destroyed) sendAnswer(response, answer);
}

const answerRest =
  (options: HttpOptions): OwnPath =>
  async (exchange) => {
    const { rest } = options;
    const { request, response, path, search } = exchange;
    const matched = rest.match(request.method!, path);
    exchange.route = matched.route.path;
    const ctx = contextOf(options, exchange);
    const body = await bodyOf(exchange);
    const call = { method: request.method!, path, search, contentType: request.headers['content-type'], body };
    const answer = await rest.answer(matched, call, ctx);
    if (response.destroyed) return;
    sendJson(response, answer.status, answer.body);
  };

const noBody = Promise.resolve(Buffer.alloc(0));

/** @throws BODY_TOO_LARGE or UNSUPPORTED_MEDIA_TYPE, where possible before the client has sent any of it */
function bodyOf({ request, response, asksFirst }: Exchange, limit?: number): Promise<Buffer> {
  const { headers } = request;
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return noBody;
  refuseBody(request, limit);
  if (asksFirst) response.writeContinue();
  return readBody(request, limit);
}

/** @throws RATE_LIMITED when too many requests of this address are under way */
function contextOf(
  { services, connections, trustedProxies, host }: HttpOptions,
  { request, response, traceId }: Exchange,
) {
  const address = clientAddress(request, trustedProxies);
  const destination = destinationOf(request, host);
  const leave = connections.enter(networkOf(address));
  const gone = new AbortController();
  response.on('close', () => {
    leave();
    // An answer that was given in full leaves nothing to break off.
    if (!response.writableFinished) gone.abort(clientGone);
  });
  const key = request.headers['idempotency-key'];
  return createContext(services, {
    credentials: credentialsOf(request.headers),
    traceId,
    address,
    ...destination,
    idempotencyKey: Array.isArray(key) ? key[0] : key,
    writeApproval: writeApprovalOf(request.headers['x-svc-write-auth']),
    signal: gone.signal,
  });
}
