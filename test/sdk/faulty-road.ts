import { createServer, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

/** What happens to a request on its way: nothing, `cut` before the gateway has it, `lost` is its answer, or another answers. */
export type Fault =
  | 'pass'
  | 'cut'
  | 'lost'
  | { readonly status: number; readonly body: object; readonly headers?: Readonly<Record<string, string>> };

export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A way to a gateway on which things go wrong, in the order in which they are planned. */
export async function faultyRoad(target: string) {
  const { hostname, port } = new URL(target);
  const faults: Fault[] = [];
  const seen: Seen[] = [];
  const sockets = new Set<Socket>();
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const body = Buffer.concat(pieces);
    seen.push({ method: request.method!, url: request.url!, headers: request.headers, body: body.toString() });
    const fault = faults.shift();
    if (fault === 'cut') return void request.socket.destroy();
    if (typeof fault === 'object') {
      response.writeHead(fault.status, { 'content-type': 'application/json', ...fault.headers });
      return void response.end(JSON.stringify(fault.body));
    }
    const { method, url: path, headers } = request;
    const forwarded = httpRequest({ hostname, port, method, path, headers, agent: false }, (answer) => {
      if (fault === 'lost') {
        answer.resume();
        answer.once('end', () => request.socket.destroy());
        return;
      }
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
      response.once('close', () => answer.destroy());
    });
    forwarded.once('error', () => response.destroy());
    forwarded.end(body);
  });
  server.on('upgrade', (request, client: Socket, head: Buffer) => {
    const up = connect(Number(port), hostname, () => {
      const lines = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`);
      up.write(`${request.method} ${request.url} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
      up.write(head);
      up.pipe(client);
      client.pipe(up);
    });
    sockets.add(client);
    for (const [one, other] of [
      [up, client],
      [client, up],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
    client.once('close', () => sockets.delete(client));
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    /** Plans what becomes of the next requests. */
    plan: (...next: readonly Fault[]) => void faults.push(...next),
    /** Cuts every socket that is open, without a word. */
    killSockets: () => {
      for (const socket of sockets) socket.destroy();
      return sockets.size;
    },
    sockets: () => sockets.size,
    /** Cuts every request that is under way. */
    cut: () => server.closeAllConnections(),
    close: () => {
      server.close();
      server.closeAllConnections();
      for (const socket of sockets) socket.destroy();
    },
  };
}
