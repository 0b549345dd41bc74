import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Services } from '../../kernel/run/context.ts';
import { settlementAddress } from '../../resolvers/payments/shared/settlement-address.ts';
import { Engine } from '../../schema/engine/engine.ts';
import { ProjectSchemas } from '../../schema/project/project-schemas.ts';
import { schema } from '../../schema/schema.ts';
import { createGraphQLServer } from '../../schema/yoga.ts';
import type { Signals } from '../../subscriptions/signals.ts';
import { ConnectionLimit } from '../connection-limit.ts';
import type { HttpOptions } from '../exchange.ts';
import { createHealth } from '../health.ts';
import { createHttpServer } from '../http.ts';
import { routeTable } from '../routes/all.ts';
import { attachSockets } from '../sockets.ts';
import { tenantNames } from '../tenant-name.ts';
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

/** HTTP and WebSocket on one port. @returns where it listens, without a trailing slash, once it does */
export async function openListener(
  { options, lifecycle, metrics }: Start,
  { services, stores, signals, draining }: ListenerOptions,
): Promise<string> {
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
    throwAwayKeys: !config.production,
    version,
    mcpOrigins: config.mcpOrigins,
    signals,
    draining: draining.signal,
  };
  const routes = routeTable(http);
  const server = createHttpServer(http, routes);
  const sockets = attachSockets(server, { ...shared, routes, projectSchemas });
  server.listen(config.port, host);
  await Promise.race([once(server, 'listening'), once(server, 'error').then(([error]) => Promise.reject(error))]);
  lifecycle.onDrain('connections', async () => {
    health.drain();
    // Still open, but no longer ready: a balancer has time to send its requests elsewhere.
    await sleep(config.drainSeconds * 1000);
    const closed = new Promise((resolve) => server.close(resolve));
    draining.abort();
    const patience = setTimeout(() => server.closeAllConnections(), drainMs);
    await sockets.close();
    server.closeIdleConnections();
    await closed;
    clearTimeout(patience);
  });
  const { address, port, family } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
