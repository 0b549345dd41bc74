import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A call that is kept waiting. */
export interface HeldCall {
  /** The call has come, and where its answer is kept it was carried out. */
  readonly reached: Promise<void>;
  readonly release: () => void;
}

/** A way to a server of JSON over HTTP, such as a chain's node, on which calls can be kept waiting. */
export async function startCallGate(target: string) {
  const holds: {
    matches: (path: string, body: string) => boolean;
    when: 'before' | 'after';
    reached: () => void;
    open: Promise<void>;
  }[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      void pass(request.url!, request.method!, Buffer.concat(parts).toString()).then(
        ([status, type, text]) => response.writeHead(status, { 'content-type': type }).end(text),
        () => response.destroy(),
      );
    });
  });

  async function pass(path: string, method: string, body: string): Promise<[number, string, string]> {
    const at = holds.findIndex((hold) => hold.matches(path, body));
    const [hold] = at === -1 ? [] : holds.splice(at, 1);
    if (hold?.when === 'before') {
      hold.reached();
      await hold.open;
    }
    const init = method === 'POST' ? { method, body, headers: { 'content-type': 'application/json' } } : { method };
    const answer = await fetch(target + (path === '/' ? '' : path), init);
    const text = await answer.text();
    if (hold?.when === 'after') {
      hold.reached();
      await hold.open;
    }
    return [answer.status, answer.headers.get('content-type') ?? 'application/json', text];
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Keeps the next such call, or its answer. @param call part of its path or body, such as the name of a method */
    hold(call: string, when: 'before' | 'after'): HeldCall {
      const reached = Promise.withResolvers<void>();
      const open = Promise.withResolvers<void>();
      const matches = (path: string, body: string) => path.includes(call) || body.includes(call);
      holds.push({ matches, when, reached: reached.resolve, open: open.promise });
      return { reached: reached.promise, release: open.resolve };
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
