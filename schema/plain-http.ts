import { type ExecutionResult, GraphQLError } from 'graphql';
import type { Context } from '../kernel/run/context.ts';
import type { GraphQLEngine } from './engine/engine.ts';
import { noteErrors } from './engine/note-errors.ts';
import { renderErrors } from './engine/render-errors.ts';
import { withStatus } from './http-status.ts';
import { paramsOfAddress, paramsOfBody, refusedParams } from './request-params.ts';

/** A request for one JSON answer: what most clients send, and what takes the short way. */
export interface PlainRequest {
  readonly method: 'GET' | 'POST';
  /** Accepted types, best first, in lower case. */
  readonly accept: readonly string[];
  /** Of a GET: what follows the question mark. */
  readonly search: string | URLSearchParams;
  /** Of a POST. */
  readonly contentType: string | undefined;
  readonly body: Uint8Array;
}

export interface PlainAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly contentType: string;
  readonly body: string;
  /** Whether anything may have been changed. */
  readonly isChange: boolean;
}

const byAccepted: Readonly<Record<string, string>> = {
  'application/graphql-response+json': 'application/graphql-response+json',
  'application/json': 'application/json',
  'application/*': 'application/json',
  '*/*': 'application/json',
};

/**
 * Answers a plain request without Yoga, whose fetch objects and streams are most of the cost of a small query. The engine
 * is the same, and so is every byte of the answer.
 *
 * @returns undefined for what is not plain: streams, and types that Yoga knows how to speak
 */
export async function answerPlain(
  engine: GraphQLEngine,
  ctx: Context,
  request: PlainRequest,
): Promise<PlainAnswer | undefined> {
  const type = request.accept.length === 0 ? undefined : byAccepted[request.accept[0]!];
  if (type === undefined) return undefined;
  const { traceId } = ctx.request;
  let result: ExecutionResult;
  let isChange = false;
  try {
    const reads = request.method === 'GET';
    const params = reads
      ? paramsOfAddress(new URLSearchParams(request.search))
      : paramsOfBody(request.contentType, request.body);
    const prepared = engine.prepare(params, traceId, reads);
    if ('document' in prepared) {
      // A feed is a stream, and whether it may be one here is for the full server to say.
      if (prepared.operation.operation === 'subscription') return undefined;
      isChange = prepared.operation.operation === 'mutation';
      result = await engine.runOnce(prepared, ctx);
    } else {
      result = { errors: prepared };
    }
  } catch (error) {
    const failed = refusedParams(error, traceId) ?? new GraphQLError('Unexpected error.', { cause: error });
    result = {
      errors: failed.extensions.trace_id === undefined ? renderErrors([failed], traceId, ctx.services) : [failed],
    };
  }
  noteErrors(ctx, result.errors);
  return { ...render(result, type), isChange };
}

interface HttpExtension {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The status is that of GraphQL over HTTP, and goes with its own content type alone. */
  readonly spec?: boolean;
  /** The status holds only where nothing else of the document came to be, since the whole of it is sent again then. */
  readonly alone?: boolean;
}

function render(result: ExecutionResult, type: string): Omit<PlainAnswer, 'isChange'> {
  const contentType = `${type}; charset=utf-8`;
  if (result.errors === undefined) return { status: 200, headers: {}, contentType, body: JSON.stringify(result) };
  const errors = 'data' in result ? result.errors : result.errors.map(withStatus);
  let status = 0;
  const headers: Record<string, string> = {};
  const shown = errors.map((error) => {
    const { http, ...extensions } = error.extensions as { readonly http?: HttpExtension };
    Object.assign(headers, http?.headers);
    const holds = http?.alone !== true || isEmpty(result.data);
    if (http?.status !== undefined && holds && !(http.spec === true && type === 'application/json')) {
      status = Math.max(status, http.status);
    }
    return { ...error.toJSON(), extensions };
  });
  return { status: status || 200, headers, contentType, body: JSON.stringify({ ...result, errors: shown }) };
}

/** Whether no field of a document has an answer. */
const isEmpty = (data: ExecutionResult['data']) =>
  data === null || data === undefined || Object.values(data).every((value) => value === null);
