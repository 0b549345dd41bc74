import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ServiceError } from '../core/errors.ts';
import type { Context } from '../resolvers/context.ts';
import type { GraphQLServer } from '../schema/yoga.ts';
import { byQuality } from './accept.ts';

export interface GraphQLExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: Buffer;
  readonly graphql: GraphQLServer;
  readonly ctx: Context;
  readonly traceId: string;
}

/** Hands a request to Yoga and its answer to the socket, streams included. */
export async function answerGraphQL({ request, response, body, graphql, ctx }: GraphQLExchange): Promise<void> {
  const url = new URL(request.url!, ctx.request.baseUrl);
  if (request.method !== 'POST') refuseBrokenParameters(url.searchParams);
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (typeof value === 'string') headers.set(name, name === 'accept' ? byQuality(value) : value);
  }
  const init = {
    method: request.method === 'HEAD' ? 'GET' : request.method!,
    headers,
    signal: ctx.signal,
    ...(request.method === 'POST' ? { body: body as Uint8Array<ArrayBuffer> } : {}),
  };
  const answer = await graphql.fetch(url, init, { gateway: ctx });
  response.statusCode = answer.status;
  answer.headers.forEach((value, name) => void response.setHeader(name, value));
  if (!response.hasHeader('cache-control')) response.setHeader('cache-control', 'no-store');
  if (answer.body === null || request.method === 'HEAD') return void response.end();
  // Sent before the first event, so that a subscriber knows at once that it is subscribed.
  response.flushHeaders();
  for await (const part of answer.body) {
    if (response.destroyed) break;
    if (!response.write(part)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
  }
  response.end();
}

/** Yoga answers 500 to these; they are the client's to mend. */
function refuseBrokenParameters(parameters: URLSearchParams): void {
  for (const name of ['variables', 'extensions']) {
    const value = parameters.get(name);
    if (value === null || value === '') continue;
    try {
      const parsed: unknown = JSON.parse(value);
      if (parsed === null || (typeof parsed === 'object' && !Array.isArray(parsed))) continue;
    } catch {
      // Falls through to the refusal.
    }
    throw new ServiceError('VALIDATION_FAILED', {
      message: `${name}: must be a JSON object`,
      details: { field: name, reason: 'must be a JSON object' },
    });
  }
}
