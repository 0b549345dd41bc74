import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { Duplex } from 'node:stream';
import type { TlsOptions } from 'node:tls';
import { type ErrorCode, ServiceError } from '../core/errors.ts';
import { newTraceId, traced } from '../core/tracing.ts';
import { Subject } from '../kernel/traffic/subject.ts';
import { openHost } from '../rest-compat/hosted/answer.ts';
import type { Found } from '../rest-compat/path-table.ts';
import { isApiPath } from '../rest-compat/problem.ts';
import type { Exchange, HttpOptions } from './exchange.ts';
import { contextOf } from './exchange-context.ts';
import { goneStatus, noteExchange, noteRefusal } from './note-exchange.ts';
import { refuseDuplicateHeaders, refuseLongTarget, refuseMissingHost, targetOf } from './request-context.ts';
import { Answer, answerPreflight, sendError, sendSocketError } from './respond.ts';
import { type Entry, runEntry } from './routes/entry.ts';
import { labelOf, type RouteTable } from './routes/table.ts';
import { findTenantHost } from './tenant-hosts.ts';

/** How long an idle connection is kept, in milliseconds: longer than proxies keep theirs, so that they close first. */
const keepAliveMs = 75_000;

/** Node offers it from 22.21 on, before its types do. */
interface UpgradeOptions extends ServerOptions<typeof IncomingMessage, typeof Answer> {
  readonly shouldUpgradeCallback: (request: IncomingMessage) => boolean;
}

/**
 * The HTTP server: common headers, limits and errors around what the table of routes answers.
 *
 * @param secure for one that speaks TLS
 */
export function createHttpServer(options: HttpOptions, routes: RouteTable, secure?: TlsOptions): Server {
  const { services, metrics, health } = options;
  const answer = (request: IncomingMessage, response: Answer, asksFirst: boolean) => {
    const startedAt = performance.now();
    if (!asksFirst && routes.answerNow(request, response, startedAt)) return;
    const { path, search } = targetOf(request);
    const exchange: Exchange = {
      request,
      response,
      path,
      search,
      asksFirst,
      traceId: '',
      route: 'unknown',
      subject: new Subject(),
      ctx: undefined,
      project: undefined,
    };
    response.onBegun = (status) => noteExchange(services, exchange, status, startedAt);
    response.on('close', () => {
      if (!response.headersSent) noteExchange(services, exchange, goneStatus, startedAt);
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
        const preflight = request.method === 'OPTIONS' && !asksForMore(routes, exchange);
        const name = options.tenantName(request);
        // Below a project's own paths its release says who answers OPTIONS.
        const mayBeOfSite = preflight && name !== undefined && routes.isOfSite(path);
        if (preflight && !mayBeOfSite && name?.foreign !== true) return answerPreflight(response);
        refuseDuplicateHeaders(request);
        if (response.underApi) refuseLongTarget(request);
        if (name !== undefined)
          exchange.project = await findTenantHost(options, exchange, name, routes.answersUnderAnyName(path));
        if (preflight && !(mayBeOfSite && exchange.project !== undefined)) return answerPreflight(response);
        // Files of a site have it among their own.
        if (exchange.project?.target.branch != null && !routes.isOfSite(path))
          response.setHeader('x-robots-tag', 'noindex');
        const { entry, params } = match(options, routes, exchange);
        exchange.route = labelOf(entry);
        await runEntry(options, entry, exchange, params);
      },
    ).catch((error: unknown) => fail(options, exchange, error));
  };
  // The check for a host is ours: Node's refuses with an empty body.
  const serverOptions: UpgradeOptions = {
    maxHeaderSize: 32 * 1024,
    requireHostHeader: false,
    // Clients that keep their connections go elsewhere with their next request. Asked when an answer begins, so that
    // no list of those under way is needed.
    ServerResponse: class extends Answer {
      // biome-ignore lint/suspicious/noExplicitAny: Node's method has several overloads, all passed through.
      override writeHead(...args: any[]): this {
        if (health.draining.aborted) this.shouldKeepAlive = false;
        // biome-ignore lint/suspicious/noExplicitAny: as above.
        const begun = (super.writeHead as any)(...args);
        this.onBegun?.(this.statusCode);
        this.onBegun = undefined;
        return begun;
      }
    },
    keepAliveTimeout: keepAliveMs,
    // Any other upgrade is an offer, and what is asked is answered without it.
    shouldUpgradeCallback: ({ method, headers }) => method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket',
  };
  const onRequest = (request: IncomingMessage, response: Answer) => answer(request, response, false);
  const server =
    secure === undefined
      ? createServer(serverOptions, onRequest)
      : createSecureServer({ ...serverOptions, ...secure }, onRequest);
  server.on('checkContinue', (request, response) => answer(request, response, true));
  // An unknown expectation is no reason to refuse.
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

function fail({ services }: HttpOptions, exchange: Exchange, error: unknown): void {
  const { response, path, projectId, traceId } = exchange;
  const { log, incidents } = services;
  noteRefusal(exchange, error);
  if (response.headersSent) {
    log.warn({ err: error, trace_id: traceId, path }, 'An answer broke off.');
    response.destroy();
    return;
  }
  sendError(response, error, { path, projectId, traceId, log, incidents });
}

/** Whether a client asks a path what it can do, rather than a browser whether its page may ask. */
const asksForMore = (routes: RouteTable, { request: { headers }, path }: Exchange): boolean =>
  headers['access-control-request-method'] === undefined && routes.answersOptions(path);

/** @throws ROUTE_NOT_FOUND, METHOD_NOT_ALLOWED, VALIDATION_FAILED */
function match(options: HttpOptions, routes: RouteTable, exchange: Exchange): Found<Entry> {
  const { request, path, project: host } = exchange;
  const table = host === undefined ? routes.gateway : routes.project;
  // What the platform has no path for is the project's own.
  if (host !== undefined && routes.isOfSite(path)) return { entry: routes.site, params: {} };
  try {
    return table.match(request.method!, path);
  } catch (error) {
    // Metrics know which path refuses, where one owns all of its methods.
    const [owner] = Object.values(table.owned(path)?.byMethod ?? {});
    if (owner !== undefined) exchange.route = labelOf(owner);
    // On a project's host, a request for a path that it does not have counts like any other.
    if (host !== undefined) openHost(contextOf(options, exchange), host);
    throw error;
  }
}
