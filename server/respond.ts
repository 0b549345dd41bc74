import type { ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { type ErrorEnvelope, ServiceError, toEnvelope } from '../core/errors.ts';
import { asRefusal } from '../resolvers/execute.ts';
import { ReplayedRefusal } from '../resolvers/idempotency.ts';
import { problemType, toProblem } from '../rest-compat/problem.ts';
import { discardBody } from './body.ts';

export const jsonType = 'application/json; charset=utf-8';

/** Request headers that browsers may send across origins. Contract 01, section 1.18. */
const allowedHeaders = [
  'apikey',
  'authorization',
  'content-type',
  'sign-in-with-x',
  'x-svc-write-auth',
  'x-admin-key',
  'x-admin-mode',
  'idempotency-key',
  'prefer',
  'range',
  'range-unit',
  'accept-profile',
  'content-profile',
  'svc-client',
  'last-event-id',
  'payment-signature',
  'x-payment',
  'x-client-info',
].join(', ');

const exposedHeaders = [
  'x-svc-trace-id',
  'x-svc-request-id',
  'x-svc-error-code',
  'x-svc-key-rotation',
  'retry-after',
  'allow',
  'content-range',
  'payment-required',
  'payment-response',
  'x-payment-response',
].join(', ');

/** What every answer carries: any origin may read it, and it can be found in the log. */
export function setCommonHeaders(response: ServerResponse, traceId: string): void {
  response.setHeader('access-control-allow-origin', '*');
  response.setHeader('access-control-expose-headers', exposedHeaders);
  response.setHeader('x-svc-trace-id', traceId);
  response.setHeader('x-content-type-options', 'nosniff');
}

/** Answers a preflight: 204 for any path. Contract 01, section 1.1. */
export function answerPreflight(response: ServerResponse): void {
  response.setHeader('access-control-allow-methods', 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS');
  response.setHeader('access-control-allow-headers', allowedHeaders);
  response.setHeader('access-control-max-age', '86400');
  response.writeHead(204).end();
}

/** Sends a whole answer; HEAD gets its headers alone. What is left of an unread body is not taken for the next request. */
export function send(response: ServerResponse, status: number, type: string, body: string): void {
  const headers: Record<string, string | number> = { 'content-type': type, 'content-length': Buffer.byteLength(body) };
  if (!response.hasHeader('cache-control')) headers['cache-control'] = 'no-store';
  const { req: request } = response;
  const shown = request.method === 'HEAD' ? '' : body;
  if (request.complete) return void response.writeHead(status, headers).end(shown);
  response.writeHead(status, { ...headers, connection: 'close' });
  response.flushHeaders();
  if (shown !== '') response.write(shown);
  void discardBody(request).then(() => response.end());
}

export const sendJson = (response: ServerResponse, status: number, body: unknown): void =>
  send(response, status, jsonType, JSON.stringify(body));

/** Sends a refusal in the form of its surface; whatever has no row in the error table is masked and logged. */
export function sendError(
  response: ServerResponse,
  failure: unknown,
  { path, traceId, log }: { path: string; traceId: string; log: Logger },
): ErrorEnvelope {
  const error = asRefusal(failure);
  if (!(error instanceof ServiceError))
    log.error({ err: error, trace_id: traceId, path }, 'A request failed unexpectedly.');
  const envelope = toEnvelope(error, error instanceof ReplayedRefusal ? error.traceId : traceId);
  const known = error instanceof ServiceError ? error : new ServiceError('INTERNAL_ERROR');
  if (known.retryAfter !== undefined) response.setHeader('retry-after', String(known.retryAfter));
  if (known.allow !== undefined) response.setHeader('allow', known.allow.join(', '));
  if (known.code === 'AUTH_REQUIRED' || known.code === 'INVALID_AUTH') response.setHeader('www-authenticate', 'Bearer');
  const underApi = path.startsWith('/api/');
  const body = underApi ? toProblem(envelope, path) : envelope;
  send(response, known.row.status, underApi ? problemType : jsonType, JSON.stringify(body));
  return envelope;
}
