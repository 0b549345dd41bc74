import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A way to the database that can be cut and mended. */
export async function flakyRoute(url: string) {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let open = true;
  const server = createServer((near) => {
    if (!open) return void near.destroy();
    const far = connect(Number(target.port), target.hostname);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.pipe(other);
      one.on('error', () => undefined);
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const via = new URL(url);
  via.port = String((server.address() as AddressInfo).port);
  const cut = () => {
    open = false;
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: via.href,
    cut,
    mend: () => {
      open = true;
    },
    close: async () => {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
