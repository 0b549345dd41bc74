import { once } from 'node:events';
import WebSocket from 'ws';

export interface ProtocolMessage {
  readonly id?: string;
  readonly type: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
  readonly payload?: any;
}

/** A socket that says exactly what it is told to, for what no client library would say. */
export async function openProtocolSocket(url: string) {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/graphql`, 'graphql-transport-ws');
  const seen: ProtocolMessage[] = [];
  const closed = once(socket, 'close').then(([code, reason]) => ({ code: code as number, reason: String(reason) }));
  socket.on('message', (data) => void seen.push(JSON.parse(String(data)) as ProtocolMessage));
  await once(socket, 'open');

  const send = (message: unknown) => socket.send(typeof message === 'string' ? message : JSON.stringify(message));
  const raw = {
    socket,
    /** What the server said so far. */
    seen,
    /** Resolves with the close frame. */
    closed,
    send,
    /** The first message of a type, for an operation when `id` is given. */
    async next(type: string, id?: string): Promise<ProtocolMessage> {
      for (;;) {
        const found = seen.find((message) => message.type === type && (id === undefined || message.id === id));
        if (found !== undefined) return found;
        const end = await Promise.race([once(socket, 'message'), closed]);
        if ('code' in end) throw new Error(`The socket closed with ${end.code} ${end.reason} before ${type}.`);
      }
    },
    /** Signs in. @param payload credentials under their header names */
    async init(payload?: object) {
      send({ type: 'connection_init', ...(payload && { payload }) });
      await raw.next('connection_ack');
      return raw;
    },
    subscribe: (id: string, query: string, more: object = {}) =>
      send({ id, type: 'subscribe', payload: { query, ...more } }),
    complete: (id: string) => send({ id, type: 'complete' }),
  };
  return raw;
}
