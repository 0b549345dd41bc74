import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';

/** A gateway by another address, whose console is of an earlier build until it is upgraded. */
export interface UpgradedConsole {
  readonly url: string;
  /** From now on the document and the files are those of the gateway, and files of the earlier build are gone. */
  readonly upgrade: () => void;
  readonly close: () => void;
}

/** Files of the earlier build bear this in their names. */
const earlier = 'earlier-';

/** @param to the gateway's own address */
export async function startUpgradedConsole(to: string): Promise<UpgradedConsole> {
  const { port, hostname } = new URL(to);
  let isEarlier = true;
  const server = createServer((asked, answer) => {
    const path = asked.url!;
    const isFile = path.startsWith('/console/assets/');
    const isOwn = path.startsWith(`/console/assets/${earlier}`);
    if (isFile && isOwn && !isEarlier) return void answer.writeHead(404).end();
    const headers = { ...asked.headers, 'accept-encoding': 'identity' };
    const options = {
      port,
      host: hostname,
      method: asked.method,
      path: isOwn ? path.replace(earlier, '') : path,
      headers,
    };
    const onward = request(options, (found) => {
      const type = found.headers['content-type'] ?? '';
      if (!isEarlier || !/html|javascript/.test(type) || path.endsWith('service-worker.js')) {
        answer.writeHead(found.statusCode!, found.headers);
        return void found.pipe(answer);
      }
      found.setEncoding('utf8');
      let text = '';
      found.on('data', (part: string) => {
        text += part;
      });
      found.on('end', () => {
        // Every build names its files anew, in the document and in each other.
        const renamed = text.replaceAll(
          /((?:\/console\/)?assets\/|["'`]\.\/)(?=[\w.-]+-[\w-]{8}\.(?:js|css))/g,
          `$1${earlier}`,
        );
        const { 'content-length': _length, ...rest } = found.headers;
        answer.writeHead(found.statusCode!, rest).end(renamed);
      });
    });
    onward.on('error', () => answer.destroy());
    asked.pipe(onward);
  });
  server.on('upgrade', (asked, socket, head) => {
    const onward = connect(Number(port), hostname);
    const lines = asked.rawHeaders.flatMap((name, at) =>
      at % 2 === 0 ? [`${name}: ${asked.rawHeaders[at + 1]}`] : [],
    );
    onward.write(`GET ${asked.url} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
    onward.write(head);
    for (const [one, other] of [
      [onward, socket],
      [socket, onward],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
      one.pipe(other);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    upgrade: () => {
      isEarlier = false;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
