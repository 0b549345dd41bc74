import { once } from 'node:events';
import WebSocket from 'ws';
import type { Actor } from './actors.ts';

interface Frame {
  readonly id?: string;
  readonly type: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
  readonly payload?: any;
}

/** What an operation was answered, frame by frame, and how the socket was closed if it was. */
export interface Heard {
  readonly frames: readonly Frame[];
  readonly closed: number | null;
}

export interface RawSocket {
  /** Runs an operation until it ends, or the socket does. */
  readonly run: (query: string) => Promise<Heard>;
  readonly close: () => Promise<void>;
}

/** graphql-transport-ws frame by frame, for what a client library would hide. Resolves when the server has let us in. */
export async function openRawSocket(url: string, actor: Actor): Promise<RawSocket> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  let closed: number | null = null;
  let onFrame = (_frame: Frame) => {};
  let onClose = () => {};
  const started = new Promise<void>((resolve, reject) => {
    onFrame = ({ type }) => type === 'connection_ack' && resolve();
    onClose = () => reject(new Error(`closed with ${closed}`));
    socket.on('error', reject);
  });
  socket.on('message', (data) => onFrame(JSON.parse(String(data)) as Frame));
  socket.on('close', (code) => {
    closed = code;
    onClose();
  });
  await once(socket, 'open');
  socket.send(JSON.stringify({ type: 'connection_init', payload: await actor.headers('/graphql') }));
  await started;

  let count = 0;
  return {
    async run(query) {
      const id = String(++count);
      const frames: Frame[] = [];
      await new Promise<void>((resolve) => {
        onClose = resolve;
        onFrame = (frame) => {
          if (frame.id !== id) return;
          frames.push(frame);
          if (frame.type === 'complete' || frame.type === 'error') resolve();
        };
        socket.send(JSON.stringify({ id, type: 'subscribe', payload: { query } }));
      });
      return { frames, closed };
    },
    async close() {
      if (socket.readyState === WebSocket.CLOSED) return;
      socket.close();
      await once(socket, 'close');
    },
  };
}

/** One operation on a socket of its own. */
export async function runOnSocket(url: string, actor: Actor, query: string): Promise<Heard> {
  const socket = await openRawSocket(url, actor);
  try {
    return await socket.run(query);
  } finally {
    await socket.close();
  }
}
