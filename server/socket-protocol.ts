import type { IncomingMessage } from 'node:http';
import { CloseCode, MessageType, parseMessage, type Server } from 'graphql-ws';
import type { Logger } from 'pino';
import type { WebSocket, WebSocketServer } from 'ws';
import type { SocketWriter } from './socket-writer.ts';

/** What the protocol's hooks are given of a socket. */
export interface SocketExtra extends Record<PropertyKey, unknown> {
  readonly socket: WebSocket;
  readonly request: IncomingMessage;
  readonly writer: SocketWriter;
}

/** Longest reason of a close frame, in bytes. */
const reasonBytesMax = 123;

const fromClients: readonly unknown[] = [
  MessageType.ConnectionInit,
  MessageType.Subscribe,
  MessageType.Complete,
  MessageType.Ping,
  MessageType.Pong,
];

export interface SpeakProtocolOptions {
  readonly log: Logger;
  /** Told of each message after the protocol has dealt with its first part, which ends what it ends. */
  readonly onMessage: (socket: WebSocket, message: string) => void;
}

/**
 * Lets a socket speak graphql-transport-ws. The library's own adapter writes what clients do wrong to the console, and
 * closes as if the server had failed.
 */
export function speakProtocol(
  protocol: Server<SocketExtra>,
  extra: SocketExtra,
  { log, onMessage }: SpeakProtocolOptions,
): void {
  const { socket, writer } = extra;
  const close = (code: number, reason: string) =>
    socket.close(code, Buffer.byteLength(reason) > reasonBytesMax ? '' : reason);
  const closed = protocol.opened(
    {
      protocol: socket.protocol,
      send: (data) =>
        new Promise((resolve, reject) => {
          if (socket.readyState !== socket.OPEN) return void resolve();
          // Events that are due come before whatever is said after them.
          writer.flush();
          socket.send(data, (error) => (error ? reject(error) : resolve()));
        }),
      close,
      onMessage: (handle) =>
        void socket.on('message', (data) => {
          const message = String(data);
          handle(message).catch((error: unknown) => {
            if (!isFromClient(message)) return close(CloseCode.BadRequest, 'Invalid message received');
            // A socket that breaks while it is written to is nobody's fault.
            if (socket.readyState === socket.OPEN) log.error({ err: error }, 'A socket message could not be handled.');
            close(CloseCode.InternalServerError, 'Internal server error');
          });
          onMessage(socket, message);
        }),
    },
    extra,
  );
  // A frame that breaks the protocol closes the socket by itself; there is nothing more to do about it.
  socket.on('error', (error) => log.debug({ err: error }, 'A socket failed.'));
  socket.once('close', (code, reason) => void closed(code, String(reason)));
}

function isFromClient(message: string): boolean {
  try {
    return fromClients.includes(parseMessage(message).type);
  } catch {
    return false;
  }
}

/** Pings every socket, and ends those that did not answer the last one. @returns stops it */
export function keepAlive(wss: WebSocketServer, everyMs: number): () => void {
  const silent = new WeakSet<WebSocket>();
  const timer = setInterval(() => {
    for (const socket of wss.clients) {
      if (silent.has(socket)) {
        socket.terminate();
        continue;
      }
      if (socket.readyState !== socket.OPEN) continue;
      silent.add(socket);
      socket.once('pong', () => silent.delete(socket));
      socket.ping();
    }
  }, everyMs);
  return () => clearInterval(timer);
}
