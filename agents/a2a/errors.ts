import { asRpcError, RpcError, rpcCodes } from '../json-rpc.ts';
import { refusalFacts } from '../refusals.ts';
import type { A2aVersion } from './dialect.ts';

/** Codes that the protocol adds to those of JSON-RPC, with the reason that version 1.0 names. Contract 00, section 4.3. */
const rows = {
  TASK_NOT_FOUND: [-32_001, 'There is no such task, or no more: tasks are kept for a day.'],
  TASK_NOT_CANCELABLE: [-32_002, 'The task has come to its end.'],
  PUSH_NOTIFICATION_NOT_SUPPORTED: [-32_003, 'Nothing is pushed: a task has come to its end when it is answered.'],
  UNSUPPORTED_OPERATION: [-32_004, 'This agent does not do that.'],
  CONTENT_TYPE_NOT_SUPPORTED: [-32_005, 'Text and JSON data are read; files are not.'],
  EXTENDED_AGENT_CARD_NOT_CONFIGURED: [-32_007, 'There is no other card than the public one.'],
  VERSION_NOT_SUPPORTED: [-32_009, 'A2A is spoken in the versions 1.0 and 0.3.'],
} as const;

export type A2aReason = keyof typeof rows;

const errorInfo = (reason: string, domain: string, metadata: Readonly<Record<string, string>>) => ({
  '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
  reason,
  domain,
  metadata,
});

/** A refusal that the protocol knows. */
export const a2aError = (reason: A2aReason, message?: string): RpcError => {
  const [code, usual] = rows[reason];
  return new RpcError(code, message ?? usual, { data: [errorInfo(reason, 'a2a-protocol.org', {})] });
};

/**
 * A refusal as each version carries it: 1.0 wants a list of typed details, 0.3 takes anything. All of them travel with
 * HTTP 200, save for what was never read.
 */
export function toA2aError(error: unknown, version: A2aVersion, traceId: string, path: string): RpcError {
  if (error instanceof RpcError) return new RpcError(error.code, error.message, { data: error.data });
  const { code, message, data } = asRpcError(error, (refused) => refusalFacts(refused, traceId, path));
  if (version === '0.3') return new RpcError(code, message, { data });
  const facts = data as { readonly code: string; readonly trace_id: string; readonly retry_after?: number };
  const metadata = {
    code: facts.code,
    trace_id: facts.trace_id,
    ...(facts.retry_after === undefined ? {} : { retry_after: String(facts.retry_after) }),
  };
  return new RpcError(code, message, { data: [errorInfo(facts.code.toUpperCase(), 'svc-gateway', metadata)] });
}

export const unknownMethod = (method: string): RpcError =>
  new RpcError(rpcCodes.methodNotFound, `There is no method ${method.slice(0, 64)}.`);
