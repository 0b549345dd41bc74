import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A way to a server that can be broken and mended, as networks are. */
export interface BreakableWay {
  /** The server's address by this way. */
  readonly url: string;
  /** Breaks all connections, and takes no new ones. */
  readonly cut: () => void;
  readonly mend: () => void;
  /** What is connected stays so and hears no more, as after a long sleep; new connections are as ever. */
  readonly hush: () => void;
  /** How many connections there are. */
  readonly connections: () => number;
  readonly close: () => void;
}

export async function startBreakableWay(to: string): Promise<BreakableWay> {
  const { port, hostname } = new URL(to);
  const sockets = new Set<Socket>();
  let whole = true;
  const server = createServer((near) => {
    if (!whole) return void near.destroy();
    const far = connect(Number(port), hostname);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('error', () => undefined);
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    whole = false;
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    mend: () => {
      whole = true;
    },
    hush: () => {
      for (const socket of sockets) socket.unpipe().pause();
    },
    // Each has an end on either side.
    connections: () => Math.ceil(sockets.size / 2),
    close: () => {
      cut();
      server.close();
    },
  };
}
