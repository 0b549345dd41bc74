import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * What becomes of a request: `pass` lets it through, `drop` cuts the connection, `lose the answer` lets it through and
 * then cuts the connection; an object is the answer's `result` or `error`, in place of the node's, or makes another of
 * the node's result.
 */
export type Passage =
  | 'pass'
  | 'drop'
  | 'lose the answer'
  | { readonly result: unknown }
  | { readonly error: object }
  | { readonly amend: (result: never) => unknown };

export interface RpcGate {
  /** With a key in its path and its query, as operators' endpoints have. */
  readonly url: string;
  /** Decides from now on, by method. @default all pass */
  readonly decide: (decision: (method: string, params: readonly unknown[]) => Passage) => void;
  readonly stop: () => Promise<void>;
}

/** What an endpoint's key looks like: no log, answer or error may hold it. */
export const rpcKey = 'the-key-of-an-operator';

/** Stands between a service and its chain, for faults of the way between them. */
export async function startRpcGate(rpcUrl: string): Promise<RpcGate> {
  let decision: (method: string, params: readonly unknown[]) => Passage = () => 'pass';
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const part of request) text += part;
    const { id, method, params = [] } = JSON.parse(text) as { id: number; method: string; params?: unknown[] };
    const passage = decision(method, params);
    if (passage === 'drop') return request.socket.destroy();
    response.setHeader('content-type', 'application/json');
    if (typeof passage === 'object' && !('amend' in passage))
      return response.end(JSON.stringify({ jsonrpc: '2.0', id, ...passage }));
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(rpcUrl, { method: 'POST', headers, body: text }).catch(() => undefined);
    if (answer === undefined || passage === 'lose the answer') return request.socket.destroy();
    if (typeof passage !== 'object') return response.end(await answer.text());
    const { result } = (await answer.json()) as { result: never };
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: passage.amend(result) }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v2/${rpcKey}?apikey=${rpcKey}`,
    decide(next) {
      decision = next;
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
