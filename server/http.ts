import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { ServiceError } from '../core/errors.ts';
import { sameSecret } from '../core/keys.ts';
import { newTraceId, traced } from '../core/tracing.ts';
import type { Services } from '../resolvers/context.ts';
import { allowHeader, type RestRoutes } from '../rest-compat/handle.ts';
import type { Engine } from '../schema/engine/engine.ts';
import type { GraphQLServer } from '../schema/yoga.ts';
import { readBody } from './body.ts';
import { clientAddress, networkOf, type TrustedProxies } from './client-address.ts';
import type { ConnectionLimit } from './connection-limit.ts';
import { answerGraphQL } from './graphql-http.ts';
import type { Health } from './health.ts';
import type { Metrics } from './metrics.ts';
import { baseUrlOf, createContext, credentialsOf, refuseDuplicateHeaders, writeApprovalOf } from './request-context.ts';
import { answerPreflight, send, sendError, sendJson, setCommonHeaders } from './respond.ts';

export interface HttpOptions {
  readonly services: Services;
  readonly rest: RestRoutes;
  readonly engine: Engine;
  readonly graphql: GraphQLServer;
  readonly health: Health;
  readonly metrics: Metrics;
  readonly connections: ConnectionLimit;
  readonly trustedProxies: TrustedProxies | undefined;
  /** Whether `/metrics` is for the platform admin alone. */
  readonly guardMetrics: boolean;
  /** Aborted when the server stops: event streams are cut then, so that their readers resume elsewhere. */
  readonly draining: AbortSignal;
}

/** How long an idle connection is kept, in milliseconds: longer than proxies keep theirs, so that they close first. */
const keepAliveMs = 75_000;

/** A request on its way through the server. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly path: string;
  readonly search: string;
  /** Set as soon as the trace has begun. */
  traceId: string;
  /** Pattern of the route, for metrics. */
  route: string;
}

/** The server's own paths; everything else is a documented path of an operation. */
type OwnPath = (exchange: Exchange) => Promise<void>;

/** The HTTP server: common headers, limits and errors around GraphQL, the documented paths and the server's own. */
export function createHttpServer(options: HttpOptions): Server {
  const { services, metrics } = options;
  const own = ownPaths(options);
  return createServer(
    { maxHeaderSize: 32 * 1024, requireHostHeader: true, keepAliveTimeout: keepAliveMs },
    (request, response) => {
      const startedAt = performance.now();
      const [path = '/', ...rest] = (request.url ?? '/').split('?');
      const exchange: Exchange = { request, response, path, search: rest.join('?'), traceId: '', route: 'unknown' };
      response.on('close', () => {
        const seen = { route: exchange.route, method: request.method ?? '', status: response.statusCode };
        const seconds = (performance.now() - startedAt) / 1000;
        metrics.httpRequest(seen, seconds);
        services.log.debug({ trace_id: exchange.traceId, ...seen, seconds }, 'request');
      });
      traced(
        'http',
        { headers: request.headers, attributes: { 'http.request.method': request.method ?? '' } },
        async () => {
          exchange.traceId = newTraceId();
          setCommonHeaders(response, exchange.traceId);
          if (request.method === 'OPTIONS') return answerPreflight(response);
          refuseDuplicateHeaders(request);
          await (own.get(path) ?? answerRest(options))(exchange);
        },
      ).catch((error: unknown) => fail(options, exchange, error));
    },
  );
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
        exchange.route = '/graphql';
        requireMethod(exchange, 'GET', 'POST');
        const { request, response } = exchange;
        const ctx = contextOf(options, exchange);
        const body = await readBody(request);
        await answerGraphQL({ request, response, body, engine, graphql, ctx, draining });
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

const answerRest =
  (options: HttpOptions): OwnPath =>
  async (exchange) => {
    const { rest } = options;
    const { request, response, path, search } = exchange;
    const matched = rest.match(request.method!, path);
    exchange.route = matched.route.path;
    const ctx = contextOf(options, exchange);
    const body = await readBody(request);
    const call = { method: request.method!, path, search, contentType: request.headers['content-type'], body };
    const answer = await rest.answer(matched, call, ctx);
    if (response.destroyed) return;
    sendJson(response, answer.status, answer.body);
  };

/** @throws RATE_LIMITED when too many requests of this address are under way */
function contextOf({ services, connections, trustedProxies }: HttpOptions, { request, response, traceId }: Exchange) {
  const address = clientAddress(request, trustedProxies);
  const leave = connections.enter(networkOf(address));
  const gone = new AbortController();
  response.on('close', () => {
    leave();
    gone.abort();
  });
  const key = request.headers['idempotency-key'];
  return createContext(services, {
    credentials: credentialsOf(request.headers),
    traceId,
    address,
    baseUrl: baseUrlOf(request),
    idempotencyKey: Array.isArray(key) ? key[0] : key,
    writeApproval: writeApprovalOf(request.headers['x-svc-write-auth']),
    signal: gone.signal,
  });
}
