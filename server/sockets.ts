import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ExecutionArgs } from 'graphql';
import { handleProtocols, makeServer } from 'graphql-ws';
import { type WebSocket, WebSocketServer } from 'ws';
import { ServiceError } from '../core/errors.ts';
import { keepDigits } from '../core/exact-json.ts';
import { networkOf } from '../core/network-of.ts';
import { newTraceId } from '../core/tracing.ts';
import { asRefusal } from '../kernel/run/as-refusal.ts';
import type { Services } from '../kernel/run/context.ts';
import type { Engine } from '../schema/engine/engine.ts';
import { refusal } from '../schema/engine/render-errors.ts';
import type { ProjectSchemas } from '../schema/project/project-schemas.ts';
import { clientAddress, type TrustedProxies } from './client-address.ts';
import type { ConnectionLimit } from './connection-limit.ts';
import type { Metrics } from './metrics.ts';
import { projectProtocol } from './project-sockets.ts';
import { refuseMissingHost, targetOf } from './request-context.ts';
import { sendSocketError } from './respond.ts';
import type { RouteTable } from './routes/table.ts';
import { SocketOperations } from './socket-operations.ts';
import { keepAlive, type SocketExtra, speakProtocol } from './socket-protocol.ts';
import { openSession } from './socket-session.ts';
import { Outbox, SocketWriter } from './socket-writer.ts';
import { projectOfHost } from './tenant-hosts.ts';
import type { TenantName } from './tenant-name.ts';

/** Largest message a client may send, in bytes. */
const messageBytesMax = 1024 * 1024;
/** How often a quiet socket is pinged, in milliseconds. */
const keepAliveMs = 12_000;

/** Close codes beside those of graphql-transport-ws. */
const goingAway = 1001;
const tooFarBehind = 4413;

export interface SocketsOptions {
  readonly services: Services;
  readonly routes: RouteTable;
  readonly engine: Engine;
  readonly projectSchemas: ProjectSchemas;
  readonly metrics: Metrics;
  readonly connections: ConnectionLimit;
  readonly trustedProxies: TrustedProxies | undefined;
  /** Which project's host a request may be for, by its name alone. */
  readonly tenantName: (request: IncomingMessage) => TenantName | undefined;
  /** The configured address to listen at. */
  readonly host: string;
}

export interface Sockets {
  /** Tells every client to come back later or elsewhere, and waits until they are gone. */
  readonly close: () => Promise<void>;
}

/** GraphQL over WebSocket (graphql-transport-ws) at `/graphql`, and at the same of each project. */
export function attachSockets(servers: readonly Server[], options: SocketsOptions): Sockets {
  const { services, routes, engine, metrics, connections, trustedProxies, tenantName, host } = options;
  const wss = new WebSocketServer({ noServer: true, maxPayload: messageBytesMax, handleProtocols });
  const outbox = new Outbox();
  const operations = new SocketOperations({ services, engine, metrics, outbox });
  metrics.watchSockets(() => ({
    eventWrites: outbox.writes,
    waitingBytes: [...wss.clients].reduce((sum, { bufferedAmount }) => sum + bufferedAmount, 0),
  }));

  const protocol = makeServer<Record<string, unknown> | undefined, SocketExtra>({
    jsonMessageReviver: keepDigits,
    execute: (args) => operations.execute(args),
    subscribe: ((args: ExecutionArgs) => operations.subscribe(args)) as never,
    onConnect: async (connection) => {
      const { connectionParams, extra } = connection;
      const { socket } = extra;
      const address = clientAddress(extra.request!, trustedProxies);
      const session = await openSession(services, extra.request!, connectionParams, { address, host, socket });
      if ('closeCode' in session) {
        socket.close(session.closeCode, session.reason);
        return false;
      }
      extra.session = session;
      extra.request = undefined;
      socket.once('close', () => {
        for (const operation of session.running.values()) operation.abort();
      });
      return true;
    },
    onSubscribe: ({ extra }, id, payload) => {
      const { expire, expiresAt } = extra.session!;
      if (expiresAt !== undefined && expiresAt <= services.now()) {
        expire();
        return [refusal(new ServiceError('INVALID_AUTH', { details: { reason: 'token_expired' } }), newTraceId())];
      }
      const prepared = operations.prepare({ session: extra.session!, writer: extra.writer }, id, payload);
      // The library keeps a message for as long as its operation lasts; its text is not needed any more.
      Object.assign(payload, { query: '', variables: undefined });
      return prepared;
    },
  });

  const ofProjects = projectProtocol({ ...options, schemas: options.projectSchemas });
  const stopKeepAlive = keepAlive(wss, keepAliveMs);
  const accept = (socket: WebSocket, request: IncomingMessage, stream: Duplex, projectId: string | undefined) => {
    socket.once('close', metrics.socketOpened());
    const overrun = () => {
      socket.close(tooFarBehind, 'Too far behind; resume by cursor');
      // Its goodbye may take long to arrive; nothing is kept for it meanwhile.
      for (const id of [...(extra.session?.running.keys() ?? [])]) extra.session!.complete(id);
    };
    const writer = new SocketWriter(socket, stream, outbox, overrun);
    const extra: SocketExtra = { socket, request, writer, session: undefined, projectId };
    speakProtocol(projectId === undefined ? protocol : ofProjects, extra, services);
  };

  wss.on('wsClientError', (error: Error, socket: Duplex) => {
    const refused = new ServiceError('VALIDATION_FAILED', { message: error.message, details: { field: 'upgrade' } });
    sendSocketError(socket, refused, { headers: { 'sec-websocket-version': '13, 8' } });
  });
  const upgrade = async (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', destroy);
    const { path } = targetOf(request);
    let projectId: string | undefined;
    try {
      refuseMissingHost(request);
      const leave = connections.enter(networkOf(clientAddress(request, trustedProxies)));
      socket.once('close', leave);
      const name = tenantName(request);
      const served =
        name !== undefined && (name.reserved || (await projectOfHost(options, request, name)) !== undefined);
      if (name?.foreign === true && !served)
        throw new ServiceError('HOST_NOT_ALLOWED', { details: { host: name.name } });
      // Hosts of projects have no sockets.
      if (served) throw new ServiceError('ROUTE_NOT_FOUND', { details: { path } });
      // The platform's own path names no project.
      projectId = routes.socketAt(path).id;
    } catch (error) {
      const refused = asRefusal(error);
      const known = refused instanceof ServiceError ? refused : new ServiceError('INTERNAL_ERROR');
      return sendSocketError(socket, known, { path });
    }
    // Who went away meanwhile, or comes while the server goes.
    if (socket.destroyed) return;
    wss.handleUpgrade(request, socket, head, (client) => accept(client, request, socket, projectId));
  };
  for (const server of servers) server.on('upgrade', upgrade);

  return {
    async close() {
      stopKeepAlive();
      for (const client of wss.clients) client.close(goingAway, 'Going away');
      const patience = setTimeout(() => {
        for (const client of wss.clients) client.terminate();
      }, 2_000);
      await new Promise<void>((resolve) => wss.close(() => resolve()));
      clearTimeout(patience);
    },
  };
}

/** As a listener it holds nothing of the request that the socket came with. */
function destroy(this: Duplex): void {
  this.destroy();
}
