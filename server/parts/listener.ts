import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TlsOptions } from 'node:tls';
import type { Logger } from 'pino';
import type { Services } from '../../kernel/run/context.ts';
import { settlementAddress } from '../../resolvers/payments/shared/settlement-address.ts';
import { Engine } from '../../schema/engine/engine.ts';
import { ProjectSchemas } from '../../schema/project/project-schemas.ts';
import { schema } from '../../schema/schema.ts';
import { createGraphQLServer } from '../../schema/yoga.ts';
import type { Signals } from '../../subscriptions/signals.ts';
import type { Config } from '../config.ts';
import { ConnectionLimit } from '../connection-limit.ts';
import type { HttpOptions } from '../exchange.ts';
import { createHealth } from '../health.ts';
import { createHttpServer } from '../http.ts';
import { routeTable } from '../routes/all.ts';
import { attachSockets } from '../sockets.ts';
import { tenantNames } from '../tenant-name.ts';
import { HostContexts } from '../tls/host-contexts.ts';
import { openOwnCertificate } from '../tls/own-certificate.ts';
import { secureOptions } from '../tls/secure-options.ts';
import type { Start } from './part.ts';
import type { Stores } from './stores.ts';

/** Longest wait for requests that are under way, in milliseconds. */
const drainMs = 3_500;

export interface ListenerOptions {
  readonly services: Services;
  readonly stores: Pick<Stores, 'nodeLock' | 'watchPool'>;
  readonly signals: Signals;
  /** Aborted by this part when the server stops. */
  readonly draining: AbortController;
}

/** Where the gateway listens, without a trailing slash. */
export interface Listening {
  readonly url: string;
  /** By TLS; absent where it does not. */
  readonly secureUrl?: string;
}

/** HTTP and WebSocket on one port, and the same by TLS on another. @returns once it listens */
export async function openListener(
  { options, lifecycle, metrics }: Start,
  { services, stores, signals, draining }: ListenerOptions,
): Promise<Listening> {
  const { config, version, log } = options;
  const { trustedProxies, host } = config;
  const engine = new Engine(schema, { introspection: !config.production });
  const projectSchemas = new ProjectSchemas(services, { introspection: !config.production });
  const health = createHealth({
    pool: stores.watchPool,
    nodeLock: stores.nodeLock,
    version,
    payTo: () => settlementAddress(services),
    paymentProcessor: services.paymentProcessor,
    ai: services.ai,
    now: services.now,
  });
  const connections = new ConnectionLimit(config.connectionsPerAddress);
  const tenantName = tenantNames(config);
  const shared = { services, engine, metrics, connections, trustedProxies, tenantName, host };
  const http: HttpOptions = {
    ...shared,
    graphql: createGraphQLServer({ engine, graphiql: !config.production, log }),
    projectGraphQL: { schemas: projectSchemas, server: createGraphQLServer({ engine, graphiql: false, log }) },
    health,
    guardMetrics: config.production,
    sitesByPath: !config.production,
    throwAwayKeys: !config.production,
    version,
    mcpOrigins: config.mcpOrigins,
    signals,
    draining: draining.signal,
  };
  const routes = routeTable(http);
  const server = createHttpServer(http, routes);
  const secure = await openSecure(config, log, services, (tls) => createHttpServer(http, routes, tls));
  if (secure !== undefined) lifecycle.onClose(secure.stop);
  const servers = secure === undefined ? [server] : [server, secure.server];
  const sockets = attachSockets(servers, { ...shared, routes, projectSchemas });
  await listen(server, config.port, host);
  if (secure !== undefined) await listen(secure.server, config.tlsPort!, host);
  lifecycle.onDrain('connections', async () => {
    health.drain();
    // Still open, but no longer ready: a balancer has time to send its requests elsewhere.
    await sleep(config.drainSeconds * 1000);
    const closed = Promise.all(servers.map((one) => new Promise((resolve) => one.close(resolve))));
    draining.abort();
    const patience = setTimeout(() => {
      for (const one of servers) one.closeAllConnections();
    }, drainMs);
    await sockets.close();
    for (const one of servers) one.closeIdleConnections();
    await closed;
    clearTimeout(patience);
  });
  return {
    url: urlOf(server, 'http'),
    ...(secure === undefined ? {} : { secureUrl: urlOf(secure.server, 'https') }),
  };
}

function urlOf(server: Server, scheme: 'http' | 'https'): string {
  const { address, port, family } = server.address() as AddressInfo;
  return `${scheme}://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

async function listen(server: Server, port: number, host: string): Promise<void> {
  server.listen(port, host);
  await Promise.race([once(server, 'listening'), once(server, 'error').then(([error]) => Promise.reject(error))]);
}

/** The listener that speaks TLS, where the operator wants one. @throws when `TLS_CERT_FILE` cannot be used */
async function openSecure(
  { tlsPort, tlsFiles }: Config,
  log: Logger,
  services: Services,
  create: (secure: TlsOptions) => Server,
): Promise<{ readonly server: Server; readonly stop: () => void } | undefined> {
  if (tlsPort === undefined) return undefined;
  const own = tlsFiles === undefined ? undefined : await openOwnCertificate(tlsFiles, log);
  const server = create(secureOptions(own, new HostContexts(services)));
  return { server, stop: () => own?.stop() };
}
