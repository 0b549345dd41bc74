import { createGuardedFetch } from '../../core/guarded-fetch.ts';

// Loaded on first use: a gateway that asks no chain starts without it.
export const loadViem = () => import('viem');
export type Viem = Awaited<ReturnType<typeof loadViem>>;

export interface RpcClientOptions {
  /** JSON-RPC endpoint, which the operator named; may hold a key. */
  readonly url: string;
  /** Longest wait for an answer, in milliseconds. */
  readonly answerMs: number;
  /** Largest answer, in bytes. */
  readonly bytesMax: number;
  /** How often a question is repeated that was not answered. */
  readonly repeats: number;
}

/** A client of a JSON-RPC endpoint, whose requests go through the guard of all requests to other servers. */
export function createRpcClient(
  { createPublicClient, http }: Viem,
  { url, answerMs, bytesMax, repeats }: RpcClientOptions,
) {
  const fetch = createGuardedFetch({ named: [url], timeoutMs: answerMs, bytesMax });
  return createPublicClient({
    transport: http(url, {
      retryCount: repeats,
      timeout: answerMs,
      maxResponseBodySize: bytesMax,
      fetchFn: (target, { method, headers, body, signal } = {}) =>
        fetch(target instanceof Request ? target.url : target, {
          method: method ?? 'POST',
          headers: Object.fromEntries(new Headers(headers)),
          body: body as string,
          signal: signal ?? undefined,
        }),
    }),
  });
}
