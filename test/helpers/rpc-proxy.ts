import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One question to a node, and its answer. */
interface Call {
  readonly method: string;
  readonly params: readonly unknown[];
}

// biome-ignore lint/suspicious/noExplicitAny: what a node answers has no type here.
type Result = any;

/** Told as a result, it is none: the connection ends. */
export const breakOff = Symbol('break off');

/** Stands between the gateway and a node: counts what is asked, and tells it otherwise where a test wants that. */
export async function startRpcProxy(target: string, secret = 'no-secret') {
  const asked: Call[] = [];
  const told = new Map<string, (result: Result, call: Call) => Result | Promise<Result>>();
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const call = JSON.parse(Buffer.concat(parts).toString()) as Call & { readonly id: number };
    asked.push(call);
    const answer = await fetch(target, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(call),
    });
    const body = (await answer.json()) as { result?: Result };
    const change = told.get(call.method);
    if (change !== undefined) body.result = await change(body.result, call);
    // Nothing but the end of the connection.
    if (body.result === breakOff) return void request.socket.destroy();
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    /** With a key in it, as providers have it. */
    url: `http://127.0.0.1:${port}/v2/${secret}`,
    /** How often a method was asked since the last look. */
    count: (method: string) => asked.filter((call) => call.method === method).length,
    forget: () => void asked.splice(0),
    /** Changes what is answered to a method, until the next {@link honest}. */
    tell: (method: string, change: (result: Result, call: Call) => Result | Promise<Result>) =>
      void told.set(method, change),
    honest: () => told.clear(),
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

export type RpcProxy = Awaited<ReturnType<typeof startRpcProxy>>;
