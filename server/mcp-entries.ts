import { isIP } from 'node:net';
import { errorBody, RpcError, rpcCodes } from '../agents/json-rpc.ts';
import { asksForStream } from '../agents/mcp/metadata.ts';
import { invalidField, ServiceError } from '../core/errors.ts';
import type { Exchange, HttpOptions } from './exchange.ts';
import { contextOf } from './exchange-context.ts';
import { jsonType, send, sendAnswer, sendJson } from './respond.ts';
import { type Entry, forEach, ownPath } from './routes/entry.ts';

interface McpServerPath {
  readonly path: string;
  /** Answers a POST. */
  readonly answer: (exchange: Exchange) => Promise<void>;
  /** What a GET answers. */
  readonly look: (exchange: Exchange) => Promise<object>;
  /** Ends what is under way in a session, on DELETE; where there are none that is refused. */
  readonly endSession?: (session: string) => void;
}

/** A path of the Model Context Protocol: which methods and pages it answers. Contract 00, section 4.2. */
export function mcpEntries(options: HttpOptions, { path, answer, look, endSession }: McpServerPath): Entry[] {
  const allow = ['GET', 'POST', ...(endSession === undefined ? [] : ['DELETE'])] as ('GET' | 'POST' | 'DELETE')[];
  const run = async (exchange: Exchange) => {
    const { request, response } = exchange;
    if (isForeign(options, exchange)) {
      // Without an id: whose request it is has not been read.
      const { id: _none, ...body } = errorBody(new RpcError(rpcCodes.refused, 'This origin may not ask here.'), null);
      return send(response, 403, jsonType, JSON.stringify(body));
    }
    if (request.method === 'POST') return answer(exchange);
    if (request.method === 'DELETE') {
      const { 'mcp-session-id': session } = request.headers;
      if (typeof session !== 'string' || session === '') throw invalidField('Mcp-Session-Id', 'is required');
      // All nodes learn of it, for every caller.
      contextOf(options, exchange).chargeAddress();
      endSession!(session);
      return sendAnswer(response, { status: 204, headers: {}, body: '' });
    }
    if (asksForStream(request.headers.accept)) {
      throw new ServiceError('METHOD_NOT_ALLOWED', {
        message: 'Nothing is streamed here.',
        allow,
        details: { method: 'GET', allow },
      });
    }
    sendJson(response, 200, await look(exchange));
  };
  // An origin is looked at before a request is counted.
  return forEach(allow, { ...ownPath, path, auth: 'none', run } as const);
}

/** Whether the page that sends this is of an origin that may not. A request without one is no page's. */
function isForeign({ mcpOrigins, services }: HttpOptions, { request }: Exchange): boolean {
  const { origin, host } = request.headers;
  if (origin === undefined || mcpOrigins === undefined || mcpOrigins.includes(origin.toLowerCase())) return false;
  const { publicBaseUrl } = services.settings;
  if (publicBaseUrl !== undefined) return origin.toLowerCase() !== new URL(publicBaseUrl).origin.toLowerCase();
  // A name that somebody else's page was found by may lead here all the same: then it says the same in both headers.
  return host === undefined || !isOwnByNature(host) || origin.toLowerCase() !== `http://${host}`.toLowerCase();
}

/** Whether a host is this machine, or an address: no name server has a say in either. */
function isOwnByNature(host: string): boolean {
  const name = URL.parse(`http://${host}`)?.hostname ?? '';
  return name === 'localhost' || name.endsWith('.localhost') || isIP(name.replace(/^\[|\]$/g, '')) !== 0;
}
