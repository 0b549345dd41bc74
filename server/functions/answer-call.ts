import { ServiceError } from '../../core/errors.ts';
import { type Header, headersForFunction, headersOfAnswer } from '../../engines/functions/call-headers.ts';
import type { ProjectTarget } from '../../kernel/access/project-target.ts';
import type { Context } from '../../kernel/run/context.ts';
import type { Site } from '../../resolvers/deploys/live-sites.ts';
import type { FunctionReply } from '../../resolvers/functions/function-host.ts';
import { readBody, refuseLargeBody } from '../body.ts';
import type { Exchange } from '../exchange.ts';

/** Largest body of a request to a function, in bytes. Contract 03, section 3.8. */
const bodyBytesMax = 6 * 1024 * 1024;

/** The id by which a call is known in the logs of its function. */
export const requestIdOf = (exchange: Exchange): string => exchange.traceId.replace(/^trc_/, 'req_');

/** A call, as it was found out before. */
export interface AskedFunction {
  readonly ctx: Context;
  readonly target: ProjectTarget;
  readonly site: Site;
  readonly name: string;
  /** The whole public address. */
  readonly url: string;
  /** What the platform says to the function, beside what it says of every call. */
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/**
 * Calls the function that a request is for.
 *
 * @throws FUNCTION_NOT_FOUND, BODY_TOO_LARGE and what the function comes to
 */
export async function callFunction(exchange: Exchange, asked: AskedFunction): Promise<FunctionReply> {
  const { ctx, target, site, name, url, headers } = asked;
  const fn = site.functions.get(name);
  if (fn === undefined) throw new ServiceError('FUNCTION_NOT_FOUND', { details: { function: name } });
  const { request } = exchange;
  const body = await bodyOf(exchange);
  const requestId = requestIdOf(exchange);
  const { services } = ctx;
  const called = {
    orgId: target.orgId,
    projectId: target.projectId,
    createdAt: target.createdAt,
    releaseId: site.releaseId,
    name,
    timeoutSeconds: fn.timeoutSeconds,
    memoryMb: fn.memoryMb,
  };
  return services.functions.call(called, {
    requestId,
    method: request.method!,
    url,
    headers: headersForFunction(request.rawHeaders, {
      'x-svc-project-id': target.projectId,
      'x-svc-release-id': site.releaseId,
      'x-svc-function-name': name,
      'x-svc-request-id': requestId,
      'x-svc-idempotency-key': ctx.request.idempotencyKey,
      ...headers,
    }),
    ...(body.length === 0 ? {} : { body }),
    signal: ctx.signal,
  });
}

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
