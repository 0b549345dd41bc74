import { hasAlready } from '../core/entity-tags.ts';
import { ServiceError } from '../core/errors.ts';
import { sha256Hex } from '../core/keys.ts';
import type { Context } from '../resolvers/context.ts';
import { answerA2a } from '../rest-compat/agents/a2a/answer.ts';
import { agentCard, cardPath } from '../rest-compat/agents/a2a/card.ts';
import { a2aPath } from '../rest-compat/agents/a2a/perform.ts';
import {
  asRpcError,
  errorBody,
  type RpcAnswer,
  RpcError,
  type RpcRequest,
  rpcBodyBytesMax,
  rpcCodes,
} from '../rest-compat/agents/json-rpc.ts';
import { answerMcp, mcpPath } from '../rest-compat/agents/mcp/answer.ts';
import { asksForStream, mcpMetadata } from '../rest-compat/agents/mcp/metadata.ts';
import { answerJob, nearPath, nearStatus } from '../rest-compat/agents/near/answer.ts';
import { asNobody } from '../rest-compat/route.ts';
import { bodyOf, contextOf, type Exchange, type HttpOptions, requireMethod } from './exchange.ts';
import type { OwnPath } from './own-paths.ts';
import { jsonType, send, sendAnswer, sendJson } from './respond.ts';

/** Largest body of a job, in bytes. Contract 00, section 6.3. */
const jobBodyBytesMax = 64 * 1024;

/** How long a card may be kept, in seconds. Contract 00, section 4.4. */
const cardKeptSeconds = 300;

const serverName = 'svc-gateway';

/** How agents are answered: over MCP, over A2A, and by the webhook of a marketplace. Contract 00, section 4. */
export const agentPaths = (options: HttpOptions): readonly (readonly [string, OwnPath])[] => [
  [mcpPath, mcp(options)],
  [a2aPath, a2a(options)],
  [cardPath, card(options)],
  [nearPath, near(options)],
];

/**
 * Nothing here asks for a credential: one that a client sends along, as clients of these protocols do, is not looked at,
 * so that none that is wrong or expired stands in the way.
 */
const agentContext = (options: HttpOptions, exchange: Exchange): Context => asNobody(contextOf(options, exchange));

function mcp(options: HttpOptions): OwnPath {
  const server = { name: serverName, version: options.version };
  return async (exchange) => {
    requireMethod(exchange, 'GET', 'POST');
    const { request, response } = exchange;
    const { headers } = request;
    if (isForeign(options, exchange)) {
      // Without an id: whose request it is has not been read.
      const { id: _none, ...body } = errorBody(new RpcError(rpcCodes.refused, 'This origin may not ask here.'), null);
      return send(response, 403, jsonType, JSON.stringify(body));
    }
    if (request.method === 'POST') {
      return answerRpc(options, exchange, async (ctx, call) => {
        requireJson(headers['content-type']);
        return answerMcp(ctx, call, server);
      });
    }
    if (asksForStream(headers.accept)) {
      const allow = ['GET', 'POST'];
      throw new ServiceError('METHOD_NOT_ALLOWED', {
        message: 'Nothing is streamed here.',
        allow,
        details: { method: 'GET', allow },
      });
    }
    sendJson(response, 200, await mcpMetadata(agentContext(options, exchange), server));
  };
}

/** Whether the page that sends this is of an origin that may not. A request without one is no page's. */
function isForeign({ mcpOrigins, services }: HttpOptions, { request }: Exchange): boolean {
  const { origin, host } = request.headers;
  if (origin === undefined || mcpOrigins === undefined || mcpOrigins.includes(origin.toLowerCase())) return false;
  const { publicBaseUrl } = services.settings;
  const own = publicBaseUrl === undefined ? `http://${host}` : new URL(publicBaseUrl).origin;
  return origin.toLowerCase() !== own.toLowerCase();
}

/** @throws UNSUPPORTED_MEDIA_TYPE */
function requireJson(contentType = ''): void {
  if (/^application\/json\s*(;|$)/i.test(contentType)) return;
  throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', { details: { content_type: contentType } });
}

function a2a(options: HttpOptions): OwnPath {
  return async (exchange) => {
    requireMethod(exchange, 'GET', 'POST');
    const { request, response } = exchange;
    if (request.method === 'POST') return answerRpc(options, exchange, answerA2a);
    sendJson(response, 200, { ok: true, ...agentCard(agentContext(options, exchange), options.version) });
  };
}

function card(options: HttpOptions): OwnPath {
  return async (exchange) => {
    requireMethod(exchange, 'GET');
    const { request, response } = exchange;
    const body = JSON.stringify(agentCard(agentContext(options, exchange), options.version));
    const etag = `"${sha256Hex(body).slice(0, 32)}"`;
    const headers = { etag, 'cache-control': `public, max-age=${cardKeptSeconds}`, vary: 'Host' };
    if (hasAlready(request.headers['if-none-match'], etag)) sendAnswer(response, { status: 304, headers, body: '' });
    else sendAnswer(response, { status: 200, headers: { ...headers, 'content-type': jsonType }, body });
  };
}

function near(options: HttpOptions): OwnPath {
  return async (exchange) => {
    requireMethod(exchange, 'GET', 'POST');
    const { request, response } = exchange;
    if (request.method !== 'POST') return sendJson(response, 200, nearStatus());
    const ctx = agentContext(options, exchange);
    const body = await bodyOf(exchange, jobBodyBytesMax);
    const { 'x-signature': given } = request.headers;
    const answer = await answerJob(ctx, { body, signature: Array.isArray(given) ? given[0] : given });
    if (!response.destroyed) sendJson(response, 200, answer);
  };
}

/** Refusals of what was never read are answered in the words of JSON-RPC too. */
async function answerRpc(
  options: HttpOptions,
  exchange: Exchange,
  answer: (ctx: Context, call: RpcRequest) => Promise<RpcAnswer>,
): Promise<void> {
  const { request, response, path, traceId } = exchange;
  let answered: RpcAnswer;
  try {
    const ctx = agentContext(options, exchange);
    const body = await bodyOf(exchange, rpcBodyBytesMax);
    answered = await answer(ctx, { headers: singleHeaders(request.headers), body });
  } catch (error) {
    if (response.destroyed || !(error instanceof ServiceError)) throw error;
    const refused = asRpcError(error, traceId, path);
    const after = error.retryAfter === undefined ? {} : { 'retry-after': String(error.retryAfter) };
    answered = { status: refused.status, body: errorBody(refused, null), headers: after };
  }
  if (response.destroyed) return;
  const { status, body, headers = {} } = answered;
  if (body === undefined) sendAnswer(response, { status, headers: { ...headers }, body: '' });
  else send(response, status, jsonType, JSON.stringify(body), headers);
}

const singleHeaders = (headers: Exchange['request']['headers']): RpcRequest['headers'] =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]));
