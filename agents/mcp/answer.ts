import { randomUUID } from 'node:crypto';
import { ServiceError } from '../../core/errors.ts';
import { asRefusal } from '../../kernel/run/as-refusal.ts';
import type { Context } from '../../kernel/run/context.ts';
import {
  asRpcError,
  errorBody,
  idOf,
  isObject,
  isRpcAnswer,
  parseRpcBody,
  type RpcAnswer,
  RpcError,
  type RpcId,
  type RpcMessage,
  type RpcRequest,
  readMessage,
  resultBody,
  rpcCodes,
} from '../json-rpc.ts';
import { type Era, eraOf, negotiated, statelessRevision, takesBatches } from './revisions.ts';
import type { McpServer, ToolCall, ToolResult } from './server.ts';

/** Messages that one request may hold where it may hold several. */
const batchMax = 20;

/** How long lists may be kept, in milliseconds: they change with the version of the server alone. */
const listsKeptMs = 300_000;

/**
 * Answers a POST of the Model Context Protocol, in either generation, always with one JSON body, before which
 * the request may be told how its call goes on. No session is kept: what a request does not say itself is not known, but
 * for the calls under way that may be cancelled. Contract 00, sections 4.1 and 4.2.
 */
export async function answerMcp(ctx: Context, request: RpcRequest, server: McpServer): Promise<RpcAnswer> {
  let parsed: unknown;
  try {
    ctx.chargeAddress();
    parsed = parseRpcBody(request.body);
    if (Array.isArray(parsed)) return await answerBatch(ctx, parsed, request, server);
  } catch (error) {
    return refusal(ctx, error, null, server);
  }
  return answerOne(ctx, parsed, request, server);
}

async function answerBatch(
  ctx: Context,
  messages: readonly unknown[],
  request: RpcRequest,
  server: McpServer,
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

async function answerOne(ctx: Context, value: unknown, request: RpcRequest, server: McpServer): Promise<RpcAnswer> {
  if (isRpcAnswer(value)) return { status: 202 };
  const id = idOf(value);
  try {
    const message = readMessage(value);
    const era = eraOf(message, request.headers);
    const session = request.headers['mcp-session-id'];
    if (message.id === undefined) {
      if (message.method === 'notifications/cancelled' && session !== undefined)
        server.calls?.cancel(session, message.params.requestId);
      return { status: 202 };
    }
    const running = session === undefined ? undefined : server.calls?.begin(session, message.id);
    try {
      const signal = running === undefined ? ctx.signal : AbortSignal.any([ctx.signal, running.signal]);
      // A client that says everything anew with each request says by closing it that it is not wanted.
      const cancelled = era === 'classic' ? running?.signal : signal;
      const asked: AnswerOptions = { ctx: { ...ctx, signal, cancelled }, message, server, session, tell: request.tell };
      const result = await (era === 'classic' ? runClassic(asked) : runStateless(asked));
      if (running?.signal.aborted === true) return { status: 202 };
      // Names the calls of this client, so that it can cancel them; nothing else hangs on it.
      const named = message.method === 'initialize' && server.calls !== undefined;
      const headers = named ? { headers: { 'mcp-session-id': randomUUID() } } : {};
      return { status: 200, body: resultBody(result, message.id), ...headers };
    } catch (error) {
      // Who cancels waits for no answer.
      if (running?.signal.aborted === true) return { status: 202 };
      throw error;
    } finally {
      running?.end();
    }
  } catch (error) {
    return refusal(ctx, error, id, server);
  }
}

interface AnswerOptions {
  readonly ctx: Context;
  readonly message: RpcMessage;
  readonly server: McpServer;
  readonly session: string | undefined;
  readonly tell: RpcRequest['tell'];
}

function refusal({ request, services }: Context, failure: unknown, id: RpcId, { path, facts }: McpServer): RpcAnswer {
  const error = asRefusal(failure);
  if (!(error instanceof RpcError || error instanceof ServiceError))
    services.log.error({ err: error, trace_id: request.traceId, path }, 'A request failed unexpectedly.');
  const known = asRpcError(error, (refused) => facts(refused, request.traceId));
  const after = error instanceof ServiceError ? error.retryAfter : undefined;
  return {
    status: known.status,
    body: errorBody(known, id),
    ...(after === undefined ? {} : { headers: { 'retry-after': String(after) } }),
  };
}

const saying = ({ instructions }: McpServer) => (instructions === undefined ? {} : { instructions });

async function runClassic(asked: AnswerOptions): Promise<object> {
  const { message, server } = asked;
  const { method, params } = message;
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: negotiated(params.protocolVersion),
        capabilities: { tools: {} },
        serverInfo: server.info,
        ...saying(server),
      };
    case 'ping':
      return {};
    case 'tools/list':
      return { tools: toolsFrom(params, server) };
    case 'tools/call':
      return callTool(asked);
    default:
      throw unknownMethod(method, 'classic');
  }
}

async function runStateless(asked: AnswerOptions): Promise<object> {
  const { message, server } = asked;
  const { method, params } = message;
  const complete = (result: { readonly _meta?: object }) => ({
    ...result,
    resultType: 'complete',
    _meta: { ...result._meta, 'io.modelcontextprotocol/serverInfo': server.info },
  });
  const lasting = (result: object) => complete({ ...result, ttlMs: listsKeptMs, cacheScope: 'public' } as object);
  switch (method) {
    case 'server/discover':
      return lasting({ supportedVersions: [statelessRevision], capabilities: { tools: {} }, ...saying(server) });
    case 'tools/list':
      return lasting({ tools: toolsFrom(params, server) });
    case 'tools/call':
      return complete(await callTool(asked));
    default:
      throw unknownMethod(method, 'stateless');
  }
}

const unknownMethod = (method: string, era: Era) =>
  new RpcError(rpcCodes.methodNotFound, `There is no method ${method.slice(0, 64)}.`, {
    status: era === 'stateless' ? 404 : 200,
  });

/** All tools come in one page, so no cursor leads anywhere. */
function toolsFrom({ cursor }: RpcMessage['params'], { listTools }: McpServer): readonly object[] {
  if (cursor !== undefined) throw new RpcError(rpcCodes.invalidParams, 'The cursor does not belong to this list.');
  return listTools();
}

async function callTool({ ctx, message, server, session, tell }: AnswerOptions): Promise<ToolResult> {
  const { name, arguments: args = {}, _meta } = message.params;
  if (typeof name !== 'string') throw new RpcError(rpcCodes.invalidParams, 'name must be a string.');
  if (!isObject(args)) throw new RpcError(rpcCodes.invalidParams, 'arguments must be an object.');
  const meta = isObject(_meta) ? _meta : {};
  return server.callTool(ctx, { name, args, meta, session, progress: progressOf(meta, tell) });
}

/** Who names its call by a token wants to be told how it goes on. */
function progressOf({ progressToken }: ToolCall['meta'], tell: RpcRequest['tell']): ToolCall['progress'] {
  if (tell === undefined || !(typeof progressToken === 'string' || typeof progressToken === 'number')) return undefined;
  return (progress) =>
    tell({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, ...progress } });
}

/** @throws RpcError for a tool that there is not */
export const unknownTool = (name: string): RpcError =>
  new RpcError(rpcCodes.invalidParams, `There is no tool ${name.slice(0, 64)}.`);
