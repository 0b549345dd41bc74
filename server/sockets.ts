import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ExecutionArgs, ExecutionResult } from 'graphql';
import { handleProtocols, MessageType, makeServer, parseMessage } from 'graphql-ws';
import { type WebSocket, WebSocketServer } from 'ws';
import { ServiceError } from '../core/errors.ts';
import { newTraceId } from '../core/tracing.ts';
import type { Context, RequestFacts, Services } from '../resolvers/context.ts';
import type { Credentials } from '../resolvers/identity/resolve-caller.ts';
import type { Engine, OpenedSubscription, Prepared } from '../schema/engine/engine.ts';
import { refusal } from '../schema/engine/render-errors.ts';
import { Audiences } from '../subscriptions/audiences.ts';
import { clientAddress, networkOf, type TrustedProxies } from './client-address.ts';
import type { ConnectionLimit } from './connection-limit.ts';
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
import { sendSocketError } from './respond.ts';
import { Payload } from './socket-frames.ts';
import { keepAlive, type SocketExtra, speakProtocol } from './socket-protocol.ts';
import { SocketSubscription } from './socket-subscription.ts';
import { Outbox, SocketWriter } from './socket-writer.ts';

/** Largest message a client may send, in bytes. */
const messageBytesMax = 1024 * 1024;
/** How often a quiet socket is pinged, in milliseconds. */
const keepAliveMs = 12_000;

/** Operations that may be under way on one socket. */
const operationsMax = 100;

/** Close codes beside those of graphql-transport-ws. */
const goingAway = 1001;
const tryAgainLater = 1013;

export interface SocketsOptions {
  readonly services: Services;
  readonly engine: Engine;
  readonly metrics: Metrics;
  readonly connections: ConnectionLimit;
  readonly trustedProxies: TrustedProxies | undefined;
  /** The configured address to listen at. */
  readonly host: string;
}

export interface Sockets {
  /** Tells every client to come back later or elsewhere, and waits until they are gone. */
  readonly close: () => Promise<void>;
}

/** An operation that its client has completed, or whose socket is gone, waits no longer and sends nothing more. */
interface Stoppable {
  readonly abort: () => void;
}

/** What is known of a socket from its `connection_init` on. */
interface Session {
  readonly context: (signal: AbortSignal) => Context;
  /** Operations that are under way, by the client's id. */
  readonly running: Map<string, Stoppable>;
}

interface Running {
  readonly id: string;
  readonly prepared: Prepared;
  readonly stop: AbortController;
  readonly session: Session;
  readonly writer: SocketWriter;
}

interface Lasting {
  readonly id: string;
  readonly running: Map<string, Stoppable>;
  readonly writer: SocketWriter;
  /** It was completed before it began. */
  readonly stopped: boolean;
  readonly request: RequestFacts;
}

/** GraphQL over WebSocket (graphql-transport-ws) at `/graphql`. */
export function attachSockets(server: Server, options: SocketsOptions): Sockets {
  const { services, engine, metrics, connections, trustedProxies, host } = options;
  const wss = new WebSocketServer({ noServer: true, maxPayload: messageBytesMax, handleProtocols });
  const sessions = new WeakMap<WebSocket, Session>();
  const operations = new WeakMap<object, Running>();
  const audiences = new Audiences(services);
  const outbox = new Outbox();
  metrics.watchSocketWrites(() => outbox.counts.writes);

  const execute = async (args: ExecutionArgs): Promise<ExecutionResult> => {
    const { id, prepared, stop, session } = operations.get(args)!;
    try {
      return (await engine.run(prepared, args.contextValue as Context)) as ExecutionResult;
    } finally {
      if (session.running.get(id) === stop) session.running.delete(id);
    }
  };

  const subscribe = async (args: ExecutionArgs): Promise<ExecutionResult | SocketSubscription> => {
    const { id, prepared, stop, session, writer } = operations.get(args)!;
    const { running } = session;
    const asked = args.contextValue as Context;
    let opened: ExecutionResult | OpenedSubscription | undefined;
    try {
      opened = await engine.subscribe(prepared, asked);
    } finally {
      if (running.get(id) === stop) running.delete(id);
    }
    if (!('opened' in opened)) return opened;
    return follow(opened, { id, running, writer, stopped: stop.signal.aborted, request: asked.request });
  };

  /** A function of its own, so that what lasts holds nothing of what it took to begin. */
  function follow(
    { opened, key, execute }: OpenedSubscription,
    { id, running, writer, stopped, request }: Lasting,
  ): SocketSubscription {
    const counted = metrics.subscriptionStarted();
    const subscription = new SocketSubscription({
      id,
      writer,
      renderEnd: (error) => engine.renderEnd(error, { services, request }),
      onEnded: () => {
        counted();
        if (running.get(id) === subscription) running.delete(id);
      },
    });
    if (stopped) {
      subscription.abort();
      return subscription;
    }
    running.set(id, subscription);
    const render = async (event: unknown) => {
      metrics.eventExecuted();
      return new Payload(await execute(event));
    };
    subscription.run((reader) => audiences.subscribe({ opened, key, render, reader }));
    return subscription;
  }

  const protocol = makeServer<Record<string, unknown> | undefined, SocketExtra>({
    execute,
    subscribe: subscribe as never,
    onConnect: async ({ connectionParams, extra: { socket, request } }) => {
      const session = await openSession(services, request, connectionParams, {
        address: clientAddress(request, trustedProxies),
        host,
      });
      if (session === 'unavailable') {
        // The client library comes back by itself after this code, but not after a 45xx one.
        socket.close(tryAgainLater, 'Try again later');
        return false;
      }
      if (session === 'refused') return false;
      sessions.set(socket, session);
      socket.once('close', () => {
        for (const stop of session.running.values()) stop.abort();
      });
      return true;
    },
    onSubscribe: ({ extra: { socket, writer } }, id, payload) => {
      const session = sessions.get(socket)!;
      const { context, running } = session;
      const stop = new AbortController();
      const contextValue = context(stop.signal);
      if (running.size >= operationsMax) return [refusal(tooManyOperations(), contextValue.request.traceId)];
      const prepared = engine.prepare(payload, contextValue.request.traceId);
      if (!('document' in prepared)) return prepared;
      running.set(id, stop);
      const { document, operationName, variables } = prepared;
      const args = { schema: engine.schema, document, operationName, variableValues: variables, contextValue };
      operations.set(args, { id, prepared, stop, session, writer });
      return args;
    },
  });

  /** The library forgets an operation that its client completes; what it waits for, such as a held read, ends here. */
  const endCompleted = (socket: WebSocket, text: string) => {
    if (!text.includes('"complete"')) return;
    try {
      const message = parseMessage(text);
      if (message.type === MessageType.Complete) sessions.get(socket)?.running.get(message.id)?.abort();
    } catch {
      // No message of the protocol: it closes the socket.
    }
  };

  const stopKeepAlive = keepAlive(wss, keepAliveMs);
  const accept = (socket: WebSocket, request: IncomingMessage, stream: Duplex) => {
    socket.once('close', metrics.socketOpened());
    const writer = new SocketWriter(socket, stream, outbox);
    speakProtocol(protocol, { socket, request, writer }, { log: services.log, onMessage: endCompleted });
  };

  wss.on('wsClientError', (error: Error, socket: Duplex) => {
    const refused = new ServiceError('VALIDATION_FAILED', { message: error.message, details: { field: 'upgrade' } });
    sendSocketError(socket, refused, { headers: { 'sec-websocket-version': '13, 8' } });
  });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    const { path } = targetOf(request);
    try {
      refuseMissingHost(request);
      if (path !== '/graphql') throw new ServiceError('ROUTE_NOT_FOUND', { details: { path } });
      const leave = connections.enter(networkOf(clientAddress(request, trustedProxies)));
      socket.once('close', leave);
    } catch (error) {
      const refused = error instanceof ServiceError ? error : new ServiceError('INTERNAL_ERROR');
      return sendSocketError(socket, refused, { path });
    }
    wss.handleUpgrade(request, socket, head, (client) => accept(client, request, socket));
  });

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

const tooManyOperations = () =>
  new ServiceError('RATE_LIMITED', {
    message: `At most ${operationsMax} operations run on one socket.`,
    retryAfter: 1,
    details: { retry_after: 1, limit: operationsMax },
  });

/**
 * Resolves who is behind a socket. A wallet's signature is spent here, so that a copy of it opens no second one; each
 * operation then asks only whether the caller is still who it was.
 */
async function openSession(
  services: Services,
  request: IncomingMessage,
  given: Readonly<Record<string, unknown>> | undefined,
  { address, host }: { readonly address: string; readonly host: string },
): Promise<Session | 'refused' | 'unavailable'> {
  try {
    refuseDuplicateHeaders(request);
    const params = underHeaderNames(given);
    const arrival = {
      credentials: connectionCredentials(params, credentialsOf(request.headers)),
      writeApproval: writeApprovalOf(textOf(params, 'x-svc-write-auth') ?? request.headers['x-svc-write-auth']),
      address,
      ...destinationOf(request, host),
    };
    const first = createContext(services, { ...arrival, traceId: newTraceId(), signal: new AbortController().signal });
    const caller = await first.caller();
    if (caller.kind === 'wallet') await caller.spendNonce();
    return {
      running: new Map(),
      context: (signal) => createContext(services, { ...arrival, traceId: newTraceId(), signal }, caller),
    };
  } catch (error) {
    if (error instanceof ServiceError && !error.row.retryable) return 'refused';
    if (!(error instanceof ServiceError && error.code === 'RATE_LIMITED'))
      services.log.warn({ err: error }, 'A socket could not be opened.');
    return 'unavailable';
  }
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

/** Credentials of `connectionParams`, under the lower-case header names; else those of the upgrade request. */
function connectionCredentials(params: Params, headers: Credentials): Credentials {
  const given = names.flatMap((name) => {
    const value = textOf(params, name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return given.length === 0 ? headers : Object.fromEntries(given);
}

/** A member of `connectionParams`; absent and null are alike. @throws INVALID_AUTH when it is no text */
function textOf(params: Params, name: string): string | undefined {
  const value = params?.[name] ?? undefined;
  if (value === undefined || typeof value === 'string') return value;
  throw new ServiceError('INVALID_AUTH', { details: { reason: 'not_a_string', field: name } });
}
