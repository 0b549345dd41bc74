import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
  readonly body: any;
}

/** A receiver of webhooks on a port of its own. It answers as its path says: `/<status>/…`, and `/hang` never. */
export async function startReceiver() {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const path = request.url!;
      received.push({ path, headers: request.headers, body: JSON.parse(Buffer.concat(chunks).toString()) });
      if (path.startsWith('/hang')) return;
      const status = Number(path.split('/')[1]);
      response.writeHead(status, status >= 300 && status < 400 ? { location: 'https://login.example.com/' } : {});
      response.end('x'.repeat(100));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    received,
    url: `http://127.0.0.1:${port}`,
    of: (path: string) => received.filter((one) => one.path === path),
    stop: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
