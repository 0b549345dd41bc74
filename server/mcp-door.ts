import { ServiceError } from '../core/errors.ts';
import { errorBody, RpcError, rpcCodes } from '../rest-compat/agents/json-rpc.ts';
import { asksForStream } from '../rest-compat/agents/mcp/metadata.ts';
import { type Exchange, type HttpOptions, requireMethod } from './exchange.ts';
import type { OwnPath } from './own-paths.ts';
import { jsonType, send, sendJson } from './respond.ts';

interface McpDoor {
  /** Answers a POST. */
  readonly answer: (exchange: Exchange) => Promise<void>;
  /** What a GET says to whoever looks. */
  readonly look: (exchange: Exchange) => Promise<object>;
}

/** A path of the Model Context Protocol: which methods and pages it answers. Contract 00, section 4.2. */
export const mcpDoor =
  (options: HttpOptions, { answer, look }: McpDoor): OwnPath =>
  async (exchange) => {
    requireMethod(exchange, 'GET', 'POST');
    const { request, response } = exchange;
    if (isForeign(options, exchange)) {
      // Without an id: whose request it is has not been read.
      const { id: _none, ...body } = errorBody(new RpcError(rpcCodes.refused, 'This origin may not ask here.'), null);
      return send(response, 403, jsonType, JSON.stringify(body));
    }
    if (request.method === 'POST') return answer(exchange);
    if (asksForStream(request.headers.accept)) {
      const allow = ['GET', 'POST'];
      throw new ServiceError('METHOD_NOT_ALLOWED', {
        message: 'Nothing is streamed here.',
        allow,
        details: { method: 'GET', allow },
      });
    }
    sendJson(response, 200, await look(exchange));
  };

/** Whether the page that sends this is of an origin that may not. A request without one is no page's. */
function isForeign({ mcpOrigins, services }: HttpOptions, { request }: Exchange): boolean {
  const { origin, host } = request.headers;
  if (origin === undefined || mcpOrigins === undefined || mcpOrigins.includes(origin.toLowerCase())) return false;
  const { publicBaseUrl } = services.settings;
  const own = publicBaseUrl === undefined ? `http://${host}` : new URL(publicBaseUrl).origin;
  return origin.toLowerCase() !== own.toLowerCase();
}
