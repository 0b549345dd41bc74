import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ExecutionArgs, ExecutionResult } from 'graphql';
import { useServer } from 'graphql-ws/use/ws';
import { type WebSocket, WebSocketServer } from 'ws';
import { ServiceError } from '../core/errors.ts';
import { newTraceId } from '../core/tracing.ts';
import type { Context, Services } from '../resolvers/context.ts';
import type { Credentials } from '../resolvers/identity/resolve-caller.ts';
import type { Engine, Prepared } from '../schema/engine/engine.ts';
import type { Metrics } from './metrics.ts';
import { baseUrlOf, createContext, credentialsOf } from './request-context.ts';

/** Largest message a client may send, in bytes. */
const messageBytesMax = 1024 * 1024;
/** How often a quiet socket is pinged, in milliseconds. */
const keepAliveMs = 12_000;

/** Close codes beside those of graphql-transport-ws. */
const goingAway = 1001;
const tryAgainLater = 1013;

export interface SocketsOptions {
  readonly services: Services;
  readonly engine: Engine;
  readonly metrics: Metrics;
}

export interface Sockets {
  /** Tells every client to come back later or elsewhere, and waits until they are gone. */
  readonly close: () => Promise<void>;
}

/** What is known of a socket from its `connection_init` on. */
interface Session {
  readonly context: (signal: AbortSignal) => Context;
}

/** GraphQL over WebSocket (graphql-transport-ws) at `/graphql`. */
export function attachSockets(server: Server, { services, engine, metrics }: SocketsOptions): Sockets {
  const wss = new WebSocketServer({ noServer: true, maxPayload: messageBytesMax });
  const sessions = new WeakMap<WebSocket, Session>();
  const running = new WeakMap<object, { readonly prepared: Prepared; readonly stop: AbortController }>();

  const run = async (args: ExecutionArgs): Promise<ExecutionResult | AsyncGenerator<ExecutionResult>> => {
    const { prepared, stop } = running.get(args)!;
    const result = await engine.run(prepared, args.contextValue as Context);
    return Symbol.asyncIterator in result ? stoppable(result, stop, metrics.subscriptionStarted()) : result;
  };

  useServer(
    {
      execute: run as never,
      subscribe: run as never,
      onConnect: async ({ connectionParams, extra: { socket, request } }) => {
        const session = await openSession(services, request, connectionParams);
        if (session === 'unavailable') {
          // The client library comes back by itself after this code, but not after a 45xx one.
          socket.close(tryAgainLater, 'Try again later');
          return false;
        }
        if (session === 'refused') return false;
        sessions.set(socket, session);
        return true;
      },
      onSubscribe: ({ extra: { socket } }, _id, payload) => {
        const stop = new AbortController();
        socket.once('close', () => stop.abort());
        const contextValue = sessions.get(socket)!.context(stop.signal);
        const prepared = engine.prepare(payload, contextValue.request.traceId);
        if (!('document' in prepared)) return prepared;
        const { document, operationName, variables } = prepared;
        const args = { schema: engine.schema, document, operationName, variableValues: variables, contextValue };
        running.set(args, { prepared, stop });
        return args;
      },
    },
    wss,
    keepAliveMs,
  );

  wss.on('connection', (socket) => {
    const closed = metrics.socketOpened();
    socket.once('close', closed);
    // A frame that breaks the protocol closes the socket by itself; there is nothing more to do about it.
    socket.on('error', (error) => services.log.debug({ err: error }, 'A socket failed.'));
  });

  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    if (request.url?.split('?')[0] !== '/graphql') {
      socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    wss.handleUpgrade(request, socket, head, (client) => wss.emit('connection', client, request));
  });

  return {
    async close() {
      for (const client of wss.clients) client.close(goingAway, 'Going away');
      const patience = setTimeout(() => {
        for (const client of wss.clients) client.terminate();
      }, 2_000);
      await new Promise<void>((resolve) => wss.close(() => resolve()));
      clearTimeout(patience);
    },
  };
}

/**
 * Resolves who is behind a socket, once. A wallet's signature is spent here, so that a copy of it opens no second one.
 */
async function openSession(
  services: Services,
  request: IncomingMessage,
  params: Readonly<Record<string, unknown>> | undefined,
): Promise<Session | 'refused' | 'unavailable'> {
  try {
    const arrival = {
      credentials: connectionCredentials(params, credentialsOf(request.headers)),
      address: request.socket.remoteAddress ?? 'unknown',
      baseUrl: baseUrlOf(request),
    };
    const first = createContext(services, { ...arrival, traceId: newTraceId(), signal: new AbortController().signal });
    const caller = await first.caller();
    if (caller.kind === 'wallet') await caller.spendNonce();
    return {
      context: (signal) => ({
        ...createContext(services, { ...arrival, traceId: newTraceId(), signal }),
        caller: first.caller,
      }),
    };
  } catch (error) {
    if (error instanceof ServiceError && !error.row.retryable) return 'refused';
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

/** Credentials of `connectionParams`, under the lower-case header names; else those of the upgrade request. */
function connectionCredentials(
  params: Readonly<Record<string, unknown>> | undefined,
  headers: Credentials,
): Credentials {
  const given = names.filter((name) => params?.[name] !== undefined && params[name] !== null);
  if (given.length === 0) return headers;
  return Object.fromEntries(
    given.map((name) => {
      const value = params![name];
      if (typeof value !== 'string')
        throw new ServiceError('INVALID_AUTH', { details: { reason: 'not_a_string', field: name } });
      return [name, value];
    }),
  );
}

/**
 * A subscription whose `return()` takes effect at once. A generator's own waits for the event it is waiting for, which
 * in a quiet room never comes.
 */
function stoppable<Value>(
  inner: AsyncGenerator<Value>,
  stop: AbortController,
  ended: () => void,
): AsyncGenerator<Value> {
  const outer: AsyncGenerator<Value> = {
    next: async () => {
      const result = await inner.next();
      if (result.done === true) finish();
      return result;
    },
    return: (value) => {
      finish();
      return inner.return(value);
    },
    throw: (error) => {
      finish();
      return inner.throw(error);
    },
    [Symbol.asyncIterator]: () => outer,
    [Symbol.asyncDispose]: async () => void (await outer.return(undefined)),
  };
  let done = false;
  const finish = () => {
    if (done) return;
    done = true;
    stop.abort();
    ended();
  };
  return outer;
}
