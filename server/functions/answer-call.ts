import { ServiceError } from '../../core/errors.ts';
import { requestIdOf } from '../../core/tracing.ts';
import { type Header, headersOfAnswer } from '../../engines/functions/call-headers.ts';
import { asRefusal } from '../../kernel/run/as-refusal.ts';
import { bodyBytesMax, type FunctionRequest } from '../../resolvers/functions/call-function.ts';
import type { FunctionReply } from '../../resolvers/functions/function-host.ts';
import { readBody, refuseLargeBody } from '../body.ts';
import type { Exchange } from '../exchange.ts';

/** A request as a function is sent it. */
export const functionRequestOf = (exchange: Exchange): FunctionRequest => ({
  requestId: requestIdOf(exchange.traceId),
  method: exchange.request.method!,
  rawHeaders: exchange.request.rawHeaders,
  body: () => bodyOf(exchange),
});

/** Sends what a function answered. */
export function sendReply(
  { request, response }: Exchange,
  { status, headers, body }: FunctionReply,
  added: Readonly<Record<string, string | undefined>>,
): void {
  const isBare = status === 204 || status === 304 || request.method === 'HEAD';
  response.keep(isBare ? 0 : body.length);
  const lines = headersOfAnswer(headers, { 'x-svc-trace-id': response.traceId, ...added }).flat();
  if (!isBare) lines.push('content-length', String(body.length));
  response.writeHead(status, lines);
  response.end(isBare ? undefined : body);
}

/**
 * Waits for the answer of a function. A failure is named in headers as well: by its code, and by the id that the logs of
 * the function have it under.
 *
 * @throws whatever the call does
 */
export async function namingFailure(exchange: Exchange, answered: Promise<void>): Promise<void> {
  try {
    await answered;
  } catch (failure) {
    const { response } = exchange;
    const error = asRefusal(failure);
    if (!response.headersSent) {
      response.setHeader('x-svc-request-id', requestIdOf(exchange.traceId));
      response.setHeader('x-svc-error-code', error instanceof ServiceError ? error.code : 'INTERNAL_ERROR');
    }
    throw error;
  }
}

/** As it comes: a function reads what it is sent, in whatever coding. */
async function bodyOf({ request, response, asksFirst }: Exchange): Promise<Buffer> {
  const { headers } = request;
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return Buffer.alloc(0);
  refuseLargeBody(request, bodyBytesMax);
  if (asksFirst) response.writeContinue();
  return readBody(request, bodyBytesMax);
}

/** Headers that were set on the answer before, such as a cookie that was renewed. */
export const withSet = (headers: readonly Header[], cookie: string | undefined): readonly Header[] =>
  cookie === undefined ? headers : [...headers, ['set-cookie', cookie]];
