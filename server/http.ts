import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ErrorCode, ServiceError } from '../core/errors.ts';
import { newTraceId, traced } from '../core/tracing.ts';
import { isApiPath } from '../rest-compat/problem.ts';
import { answerRows, openRows, rowBodyBytesMax } from '../rest-compat/rows/answer.ts';
import { isRowPath, matchRowPath, type RowPath } from '../rest-compat/rows/match.ts';
import { byQuality } from './accept.ts';
import { consoleHandler, isConsolePath } from './console.ts';
import type { OwnPath } from './exchange.ts';
import { bodyOf, type Exchange, type HttpOptions } from './exchange.ts';
import { contextOf } from './exchange-context.ts';
import { ownPaths } from './own-paths.ts';
import { answerProjectGraphQL, projectOfGraphQLPath } from './project-graphql.ts';
import { refuseDuplicateHeaders, refuseLongTarget, refuseMissingHost, targetOf } from './request-context.ts';
import { Answer, answerPreflight, sendAnswer, sendError, sendJson, sendSocketError } from './respond.ts';
import { healthPaths, openTenantHost } from './tenant-hosts.ts';
import type { TenantName } from './tenant-name.ts';

/** How long an idle connection is kept, in milliseconds: longer than proxies keep theirs, so that they close first. */
const keepAliveMs = 75_000;

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
        response.underApi = isApiPath(path);
        refuseMissingHost(request);
        const preflight = request.method === 'OPTIONS' && !asksRows(request, path);
        const name = options.tenantName(request);
        if (preflight && name?.foreign !== true) return answerPreflight(response);
        refuseDuplicateHeaders(request);
        if (response.underApi) refuseLongTarget(request);
        const tenant = name === undefined ? undefined : await openTenant(options, exchange, name);
        if (preflight) return answerPreflight(response);
        if (tenant !== undefined) return tenant();
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

function fail({ services }: HttpOptions, { response, path, projectId, traceId }: Exchange, error: unknown): void {
  const { log, incidents } = services;
  if (response.headersSent) {
    log.warn({ err: error, trace_id: traceId, path }, 'An answer broke off.');
    response.destroy();
    return;
  }
  sendError(response, error, { path, projectId, traceId, log, incidents });
}

/** With the database away, the paths of health say so under any name that is not reserved for projects. */
async function openTenant(options: HttpOptions, exchange: Exchange, name: TenantName) {
  try {
    return await openTenantHost(options, exchange, name);
  } catch (error) {
    if (!name.reserved && healthPaths.has(exchange.path) && !(error instanceof ServiceError)) return undefined;
    throw error;
  }
}

/** A path with a name in it: of a project's rows, or of what an operation answers. */
function answerPath(options: HttpOptions): OwnPath {
  const documented = answerRest(options);
  const console = consoleHandler(options);
  return (exchange) => {
    if (isConsolePath(exchange.path)) return console(exchange);
    if (exchange.path === '/' && leadsToConsole(exchange)) return Promise.resolve();
    const projectId = projectOfGraphQLPath(exchange.path);
    if (projectId !== undefined) return answerProjectGraphQL(options, exchange, projectId);
    const rows = matchRowPath(exchange.request.method!, exchange.path);
    return rows === undefined ? documented(exchange) : answerRowPath(options, exchange, rows);
  };
}

/** Sends a browser that was given the bare address to the console; a program is told that there is no such path. */
function leadsToConsole({ request, response }: Exchange): boolean {
  response.setHeader('vary', 'Accept');
  const reads = request.method === 'GET' || request.method === 'HEAD';
  if (!reads || !byQuality(request.headers.accept ?? '').includes('text/html')) return false;
  sendAnswer(response, { status: 303, headers: { location: '/console', 'cache-control': 'no-store' }, body: '' });
  return true;
}

/** Whether a client wants to know what can be done with a table or a function, rather than a browser whether it may ask. */
const asksRows = ({ headers }: IncomingMessage, path: string): boolean =>
  headers['access-control-request-method'] === undefined && isRowPath(path);

async function answerRowPath(options: HttpOptions, exchange: Exchange, rows: RowPath): Promise<void> {
  const { request, response, path, search } = exchange;
  exchange.route = rows.pattern;
  const ctx = contextOf(options, exchange);
  // A body is large here, and not read for somebody who may not send it.
  const caller = await openRows(rows, ctx);
  const body = await bodyOf(exchange, rowBodyBytesMax);
  const answer = await answerRows(rows, caller, { path, search, headers: request.headers, body }, ctx);
  if (response.destroyed) return;
  sendAnswer(response, answer);
}

const answerRest =
  (options: HttpOptions): OwnPath =>
  async (exchange) => {
    const { rest } = options;
    const { request, response, path, search } = exchange;
    const matched = rest.match(request.method!, path);
    exchange.route = matched.route.path;
    const ctx = contextOf(options, exchange);
    const body = await bodyOf(exchange, matched.route.bodyBytesMax);
    const { headers } = request;
    const { 'content-type': contentType, accept } = headers;
    const call = { method: request.method!, path, search, contentType, accept, headers, body };
    const answer = await rest.answer(matched, call, ctx);
    if (response.destroyed) return;
    const { status, headers: own, body: answered } = answer;
    if (own === undefined) sendJson(response, status, answered);
    else sendAnswer(response, { status, headers: own, body: answered as string | Uint8Array });
  };
