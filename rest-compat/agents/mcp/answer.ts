import { ServiceError } from '../../../core/errors.ts';
import type { Context } from '../../../resolvers/context.ts';
import { asRefusal } from '../../../resolvers/execute.ts';
import {
  asRpcError,
  errorBody,
  idOf,
  isObject,
  isRpcAnswer,
  parseRpcBody,
  type RpcAnswer,
  RpcError,
  type RpcMessage,
  type RpcRequest,
  readMessage,
  resultBody,
  rpcCodes,
} from '../json-rpc.ts';
import { openPurse, paymentAsked } from '../purse.ts';
import { refusalFacts } from '../refusals.ts';
import { type Era, eraOf, negotiated, statelessRevision, takesBatches } from './revisions.ts';
import { listTools, toolOf } from './tools.ts';

export const mcpPath = '/api/mcp';

export interface ServerInfo {
  readonly name: string;
  readonly version: string;
}

/** Messages that one request may hold where it may hold several. */
const batchMax = 20;

/** How long lists may be kept, in milliseconds: they change with the version of the server alone. */
const listsKeptMs = 300_000;

/**
 * Answers a POST of the Model Context Protocol, in either generation, always with one JSON body. No session is kept: what
 * a request does not say itself is not known. Contract 00, sections 4.1 and 4.2.
 */
export async function answerMcp(ctx: Context, request: RpcRequest, server: ServerInfo): Promise<RpcAnswer> {
  let parsed: unknown;
  try {
    ctx.chargeAddress();
    parsed = parseRpcBody(request.body);
    if (Array.isArray(parsed)) return await answerBatch(ctx, parsed, request, server);
  } catch (error) {
    return refusal(ctx, error, null);
  }
  return answerOne(ctx, parsed, request, server);
}

async function answerBatch(
  ctx: Context,
  messages: readonly unknown[],
  request: RpcRequest,
  server: ServerInfo,
): Promise<RpcAnswer> {
  const invalid = (message: string) => new RpcError(rpcCodes.invalidRequest, message, { status: 400 });
  if (messages.length === 0) throw invalid('The batch is empty.');
  if (!takesBatches(request.headers)) throw invalid('This revision takes one message in a request.');
  if (messages.length > batchMax) throw invalid(`A batch has ${batchMax} messages at most.`);
  // Each is charged as if it came alone, and all of them before any is answered: none is left half done.
  for (const _message of messages.slice(1)) ctx.chargeAddress();
  const answers: object[] = [];
  // One after the other: together they may ask for no more than one by one.
  for (const message of messages) {
    const { body } = await answerOne(ctx, message, request, server);
    if (body !== undefined) answers.push(body);
  }
  return answers.length === 0 ? { status: 202 } : { status: 200, body: answers };
}

async function answerOne(ctx: Context, value: unknown, request: RpcRequest, server: ServerInfo): Promise<RpcAnswer> {
  if (isRpcAnswer(value)) return { status: 202 };
  const id = idOf(value);
  try {
    const message = readMessage(value);
    const era = eraOf(message, request.headers);
    if (message.id === undefined) return { status: 202 };
    const result = await (era === 'classic' ? runClassic(ctx, message, server) : runStateless(ctx, message, server));
    return { status: 200, body: resultBody(result, message.id) };
  } catch (error) {
    return refusal(ctx, error, id);
  }
}

function refusal({ request, services }: Context, failure: unknown, id: string | number | null): RpcAnswer {
  const error = asRefusal(failure);
  if (!(error instanceof RpcError || error instanceof ServiceError))
    services.log.error({ err: error, trace_id: request.traceId, path: mcpPath }, 'A request failed unexpectedly.');
  const known = asRpcError(error, request.traceId, mcpPath);
  const after = error instanceof ServiceError ? error.retryAfter : undefined;
  return {
    status: known.status,
    body: errorBody(known, id),
    ...(after === undefined ? {} : { headers: { 'retry-after': String(after) } }),
  };
}

async function runClassic(ctx: Context, { method, params }: RpcMessage, server: ServerInfo): Promise<object> {
  switch (method) {
    case 'initialize':
      return { protocolVersion: negotiated(params.protocolVersion), capabilities: { tools: {} }, serverInfo: server };
    case 'ping':
      return {};
    case 'tools/list':
      return { tools: toolsFrom(params) };
    case 'tools/call':
      return callTool(ctx, params);
    default:
      throw unknownMethod(method, 'classic');
  }
}

async function runStateless(ctx: Context, { method, params }: RpcMessage, server: ServerInfo): Promise<object> {
  const complete = (result: { readonly _meta?: object }) => ({
    ...result,
    resultType: 'complete',
    _meta: { ...result._meta, 'io.modelcontextprotocol/serverInfo': server },
  });
  const lasting = (result: object) => complete({ ...result, ttlMs: listsKeptMs, cacheScope: 'public' } as object);
  switch (method) {
    case 'server/discover':
      return lasting({ supportedVersions: [statelessRevision], capabilities: { tools: {} } });
    case 'tools/list':
      return lasting({ tools: toolsFrom(params) });
    case 'tools/call':
      return complete(await callTool(ctx, params));
    default:
      throw unknownMethod(method, 'stateless');
  }
}

const unknownMethod = (method: string, era: Era) =>
  new RpcError(rpcCodes.methodNotFound, `There is no method ${method.slice(0, 64)}.`, {
    status: era === 'stateless' ? 404 : 200,
  });

/** All tools come in one page, so no cursor leads anywhere. */
function toolsFrom({ cursor }: RpcMessage['params']): readonly object[] {
  if (cursor !== undefined) throw new RpcError(rpcCodes.invalidParams, 'The cursor does not belong to this list.');
  return listTools();
}

interface ToolResult {
  readonly content: readonly object[];
  readonly structuredContent: object;
  readonly isError?: true;
  readonly _meta?: object;
}

/**
 * What goes wrong inside a tool is its result, for the model to read. What is sold is paid for in `_meta`, where the
 * settlement is told of, too. Contract 00, section 4.2.
 */
async function callTool(ctx: Context, params: RpcMessage['params']): Promise<ToolResult> {
  const { name, arguments: args = {}, _meta: meta } = params;
  if (typeof name !== 'string') throw new RpcError(rpcCodes.invalidParams, 'name must be a string.');
  if (!isObject(args)) throw new RpcError(rpcCodes.invalidParams, 'arguments must be an object.');
  const tool = toolOf(name);
  if (tool === undefined) throw new RpcError(rpcCodes.invalidParams, `There is no tool ${name.slice(0, 64)}.`);
  const resource = `mcp://tool/${name}`;
  const purse = openPurse(ctx, isObject(meta) ? meta[paymentKey] : undefined, { resource, path: resource });
  try {
    const result = toolResult(await tool.call(tool.isSold ? purse.ctx : ctx, args));
    purse.packed();
    return { ...result, ...settled(purse.receipt()) };
  } catch (failure) {
    const error = asRefusal(failure);
    const asked = paymentAsked(error);
    if (asked !== undefined) return { ...toolResult(asked.challenge), isError: true, ...settled(asked.receipt) };
    if (!(error instanceof ServiceError)) throw error;
    return { ...toolResult(refusalFacts(error, ctx.request.traceId, mcpPath)), isError: true };
  }
}

/** Where a call holds its payment, and a result what became of it. */
const paymentKey = 'x402/payment';
const settled = (receipt: object | undefined) =>
  receipt === undefined ? {} : { _meta: { 'x402/payment-response': receipt } };

const toolResult = (structuredContent: object): ToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(structuredContent) }],
  structuredContent,
});
