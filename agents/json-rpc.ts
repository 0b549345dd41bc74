import { ServiceError } from '../core/errors.ts';
import { ExactNumber, isJsonObject, parseExactJson } from '../core/exact-json.ts';
import { isNestedTooDeep } from '../core/text.ts';

/** Largest body of a JSON-RPC path, in bytes. Contract 00, section 6.3. */
export const rpcBodyBytesMax = 256 * 1024;

/** The codes of JSON-RPC 2.0 itself; a protocol adds its own beside it. */
export const rpcCodes = {
  parse: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internal: -32_603,
  /** Free for implementations: a refusal of the gateway's, whose own code is in `data`. */
  refused: -32_000,
} as const;

export type RpcId = string | number | ExactNumber | null;

/** One message: a request when it has an id, else a notification. */
export interface RpcMessage {
  readonly id: Exclude<RpcId, null> | undefined;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** A request to a JSON-RPC path as the server hands it on. */
export interface RpcRequest {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array;
  /** Sends a notification ahead of the answer; undefined where the client takes one JSON body alone. */
  readonly tell?: ((notification: object) => void) | undefined;
}

/** An answer; without a body there is nothing to be said, as to a notification. */
export interface RpcAnswer {
  readonly status: number;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

interface RpcErrorOptions {
  /** Of the HTTP answer, where the protocol has one for it. @default 200 */
  readonly status?: number;
  readonly data?: unknown;
}

/** A refusal in the words of JSON-RPC. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly status: number;
  readonly data: unknown;

  constructor(code: number, message: string, { status = 200, data }: RpcErrorOptions = {}) {
    super(message);
    this.code = code;
    this.status = status;
    this.data = data;
  }
}

export const errorBody = ({ code, message, data }: RpcError, id: RpcId) => ({
  jsonrpc: '2.0' as const,
  id,
  error: { code, message, ...(data === undefined ? {} : { data }) },
});

export const resultBody = (result: object, id: RpcId) => ({ jsonrpc: '2.0' as const, id, result });

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** @throws RpcError for what is no JSON, or is nested deeper than any message is */
export function parseRpcBody(body: Uint8Array): unknown {
  let parsed: unknown;
  try {
    parsed = parseExactJson(utf8.decode(body));
  } catch {
    throw new RpcError(rpcCodes.parse, 'The body is not JSON.', { status: 400 });
  }
  if (isNestedTooDeep(parsed))
    throw new RpcError(rpcCodes.invalidRequest, 'The body is nested too deep.', { status: 400 });
  return parsed;
}

export const isObject: (value: unknown) => value is Readonly<Record<string, unknown>> = isJsonObject;

const isId = (id: unknown): id is Exclude<RpcId, null> =>
  typeof id === 'string' || typeof id === 'number' || id instanceof ExactNumber;

/** The id that an answer to something goes by, so far as it has one. */
export const idOf = (value: unknown): RpcId => (isObject(value) && isId(value.id) ? value.id : null);

/** Whether it is the answer to a request, which this server has not asked. */
export const isRpcAnswer = (value: unknown): boolean =>
  isObject(value) && value.jsonrpc === '2.0' && value.method === undefined && ('result' in value || 'error' in value);

/** @throws RpcError for what is no message of JSON-RPC 2.0 */
export function readMessage(value: unknown): RpcMessage {
  const invalid = (message: string) => new RpcError(rpcCodes.invalidRequest, message, { status: 400 });
  if (!isObject(value)) throw invalid('The body is no message of JSON-RPC.');
  const { jsonrpc, method, id, params } = value;
  if (jsonrpc !== '2.0') throw invalid('jsonrpc must be "2.0".');
  if (typeof method !== 'string') throw invalid('method must be a string.');
  if (id !== undefined && !isId(id)) throw invalid('id must be a string or a number.');
  if (params !== undefined && !isObject(params))
    throw new RpcError(rpcCodes.invalidParams, 'params must be an object.');
  return { id, method, params: params ?? {} };
}

const codesOfRefusals: Readonly<Record<string, number>> = {
  VALIDATION_FAILED: rpcCodes.invalidParams,
  BODY_TOO_LARGE: rpcCodes.invalidRequest,
  UNSUPPORTED_MEDIA_TYPE: rpcCodes.invalidRequest,
  INTERNAL_ERROR: rpcCodes.internal,
};

/**
 * A refusal of the gateway's in the words of JSON-RPC; whatever has no row in the error table is masked.
 *
 * @param facts what it says of itself in `data`
 */
export function asRpcError(error: unknown, facts: (refusal: ServiceError) => object): RpcError {
  if (error instanceof RpcError) return error;
  const refusal = error instanceof ServiceError ? error : new ServiceError('INTERNAL_ERROR');
  const data = facts(refusal);
  return new RpcError(codesOfRefusals[refusal.code] ?? rpcCodes.refused, refusal.message, {
    status: refusal.status,
    data,
  });
}
