import { asRpcError, errorBody, type RpcAnswer, type RpcRequest } from '../agents/json-rpc.ts';
import { ServiceError } from '../core/errors.ts';
import { bodyOf, type Exchange } from './exchange.ts';
import { type Answer, jsonType, send, sendAnswer, setCommonHeaders } from './respond.ts';

interface RpcPath {
  /** Largest body, in bytes. */
  readonly limit: number;
  /** What a refusal says of itself in `data`. */
  readonly facts: (refusal: ServiceError, traceId: string) => object;
  /** Whether the body has to call itself JSON. @default false */
  readonly mustBeJson?: boolean;
  /** Whether a client that takes a stream of events gets the progress of its call ahead of the answer. */
  readonly streams?: boolean;
}

/**
 * Answers a POST of JSON-RPC. Refusals of what was never read are answered in the words of JSON-RPC too.
 *
 * @param begin makes the context of the request, and answers it by that once it is read
 */
export async function answerRpc(
  exchange: Exchange,
  { limit, facts, mustBeJson = false, streams = false }: RpcPath,
  begin: () => (call: RpcRequest) => Promise<RpcAnswer>,
): Promise<void> {
  const { request, response, traceId } = exchange;
  const stream = streams && takesStream(request.headers.accept) ? lazyStream(response) : undefined;
  let answered: RpcAnswer;
  try {
    // Counted among those under way before its body is read.
    const answer = begin();
    const body = await bodyOf(exchange, limit);
    if (mustBeJson) requireJson(request.headers['content-type']);
    answered = await answer({ headers: singleHeaders(request.headers), body, tell: stream?.tell });
  } catch (error) {
    if (response.destroyed || !(error instanceof ServiceError)) throw error;
    const refused = asRpcError(error, (refusal) => facts(refusal, traceId));
    const after = error.retryAfter === undefined ? {} : { 'retry-after': String(error.retryAfter) };
    answered = { status: refused.status, body: errorBody(refused, null), headers: after };
  }
  if (response.destroyed) return;
  const { status, body, headers = {} } = answered;
  if (stream?.isOpen() === true) stream.end(body);
  else if (body === undefined) sendAnswer(response, { status, headers: { ...headers }, body: '' });
  else send(response, status, jsonType, JSON.stringify(body), headers);
}

/** @throws UNSUPPORTED_MEDIA_TYPE */
function requireJson(contentType = ''): void {
  if (/^application\/json\s*(;|$)/i.test(contentType)) return;
  throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', { details: { content_type: contentType } });
}

const takesStream = (accept = ''): boolean => /(^|,)\s*text\/event-stream\s*(;|,|$)/i.test(accept);

/** A stream of messages that begins with the first message: most calls are over before there is one. */
function lazyStream(response: Answer) {
  let open = false;
  const frame = (message: object) => `event: message\ndata: ${JSON.stringify(message)}\n\n`;
  return {
    isOpen: () => open,
    tell(message: object): void {
      if (response.destroyed) return;
      if (!open) {
        open = true;
        setCommonHeaders(response);
        response.writeHead(200, {
          'content-type': 'text/event-stream; charset=utf-8',
          'cache-control': 'no-store',
          'x-accel-buffering': 'no',
        });
      }
      response.write(frame(message));
    },
    end(message: object | undefined): void {
      response.end(message === undefined ? undefined : frame(message));
    },
  };
}

const singleHeaders = (headers: Exchange['request']['headers']): RpcRequest['headers'] =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]));
