import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';

export interface Balancer {
  /** What clients know: signatures and stored addresses name this, whichever node answers. */
  readonly url: string;
  /** From now on requests go to these nodes in turn. */
  readonly spreadOver: (urls: readonly string[]) => void;
  readonly close: () => Promise<void>;
}

/** A balancer as it stands before several nodes: one request goes here, the next one there, and so does each socket. */
export async function startBalancer(): Promise<Balancer> {
  let ports: readonly number[] = [];
  let requests = 0;
  const nextPort = () => ports[requests++ % ports.length]!;

  const server = createServer((incoming, outgoing) => {
    const { method, url, headers } = incoming;
    const onwards = request({ host: '127.0.0.1', port: nextPort(), method, path: url, headers, agent: false });
    onwards.on('response', (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.rawHeaders);
      answer.pipe(outgoing);
      // What is cut short there is cut short here: the client would wait for the rest otherwise.
      answer.on('error', () => outgoing.destroy());
    });
    onwards.on('error', () => outgoing.destroy());
    // A client that goes away is gone for the node, too.
    outgoing.on('close', () => onwards.destroy());
    incoming.pipe(onwards);
  });
  server.on('upgrade', ({ method, url, rawHeaders }, socket, head) => {
    const onwards = connect(nextPort(), '127.0.0.1', () => {
      const fields = rawHeaders.map((part, index) => part + (index % 2 === 0 ? ': ' : '\r\n')).join('');
      onwards.write(`${method} ${url} HTTP/1.1\r\n${fields}\r\n`);
      onwards.write(head);
      socket.pipe(onwards).pipe(socket);
    });
    for (const [one, other] of [
      [socket, onwards],
      [onwards, socket],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spreadOver: (urls) => {
      ports = urls.map((url) => Number(new URL(url).port));
    },
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
