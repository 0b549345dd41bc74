import type { IncomingMessage } from 'node:http';
import { CloseCode, MessageType, parseMessage, type Server } from 'graphql-ws';
import type { WebSocket, WebSocketServer } from 'ws';
import type { Services } from '../kernel/run/context.ts';
import { reasonBytesMax, type Session } from './socket-session.ts';
import type { SocketWriter } from './socket-writer.ts';

/** What the protocol's hooks are given of a socket. */
export interface SocketExtra extends Record<PropertyKey, unknown> {
  readonly socket: WebSocket;
  readonly writer: SocketWriter;
  /** The request for the upgrade. Needed until the socket is signed in, and large to keep. */
  request: IncomingMessage | undefined;
  /** Set when the socket is signed in. */
  session: Session | undefined;
  /** The project that the socket's path names; undefined at the platform's own. */
  readonly projectId: string | undefined;
}

const fromClients: readonly unknown[] = [
  MessageType.ConnectionInit,
  MessageType.Subscribe,
  MessageType.Complete,
  MessageType.Ping,
  MessageType.Pong,
];

/**
 * Lets a socket speak graphql-transport-ws. The library's own adapter writes what clients do wrong to the console, and
 * closes as if the server had failed.
 */
export function speakProtocol(
  protocol: Server<SocketExtra>,
  extra: SocketExtra,
  { log, responseBackpressure: held }: Pick<Services, 'log' | 'responseBackpressure'>,
): void {
  const { socket, writer } = extra;
  const close = (code: number, reason: string) =>
    socket.close(code, Buffer.byteLength(reason) > reasonBytesMax ? '' : reason);
  socket.on('ping', () => writer.asked());
  const closed = protocol.opened(
    {
      protocol: socket.protocol,
      send: (data) =>
        new Promise((resolve, reject) => {
          if (socket.readyState !== socket.OPEN) return void resolve();
          // Events that are due come before whatever is said after them.
          writer.flush();
          // A client whose socket takes nothing gets no further answers.
          const taken =
            extra.projectId === undefined ? undefined : held.count(extra.projectId, Buffer.byteLength(data));
          socket.send(data, (error) => {
            taken?.();
            if (error) reject(error);
            else resolve();
          });
        }),
      close,
      onMessage: (handle) =>
        void socket.on('message', (data) => {
          // No client is there any more to take an answer.
          if (socket.readyState !== socket.OPEN) return;
          writer.asked();
          const text = String(data);
          // An operation lasts as long as its handling: what is kept of its message must not be the whole of it.
          const { type, id } = summaryOf(text);
          handle(text).catch((error: unknown) => {
            if (!fromClients.includes(type)) return close(CloseCode.BadRequest, 'Invalid message received');
            // A socket that breaks while it is written to is no fault of the gateway.
            if (socket.readyState === socket.OPEN) log.error({ err: error }, 'A socket message could not be handled.');
            close(CloseCode.InternalServerError, 'Internal server error');
          });
          // The library forgets an operation that its client completes; what it waits for, such as a held read, ends here.
          if (type === MessageType.Complete) extra.session?.complete(id!);
        }),
    },
    extra,
  );
  // A frame that breaks the protocol closes the socket by itself; there is nothing more to do about it.
  socket.on('error', (error) => log.debug({ err: error }, 'A socket failed.'));
  socket.once('close', (code, reason) => void closed(code, String(reason)));
}

/** Type and id of a message; neither for what is none of the protocol. */
function summaryOf(text: string): { readonly type?: MessageType; readonly id?: string } {
  try {
    const message = parseMessage(text);
    return 'id' in message ? { type: message.type, id: message.id } : { type: message.type };
  } catch {
    return {};
  }
}

/**
 * Pings every socket, and ends those that did not answer the last one, or have been closing since: a client that takes
 * nothing more may never see its connection closed. @returns stops it
 */
export function keepAlive(wss: WebSocketServer, everyMs: number): () => void {
  const silent = new WeakSet<WebSocket>();
  const timer = setInterval(() => {
    for (const socket of wss.clients) {
      if (silent.has(socket)) {
        socket.terminate();
        continue;
      }
      silent.add(socket);
      if (socket.readyState !== socket.OPEN) continue;
      socket.once('pong', () => silent.delete(socket));
      socket.ping();
    }
  }, everyMs);
  return () => clearInterval(timer);
}
