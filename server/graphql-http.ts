import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ServiceError } from '../core/errors.ts';
import { Lru } from '../core/lru.ts';
import type { Context } from '../kernel/run/context.ts';
import type { GraphQLEngine } from '../schema/engine/engine.ts';
import { answerPlain, type PlainAnswer } from '../schema/plain-http.ts';
import type { GraphQLServer } from '../schema/yoga.ts';
import { byQuality } from './accept.ts';
import { bodyBytesMax } from './body.ts';
import type { HttpOptions } from './exchange.ts';
import { type Answer, send, setCommonHeaders } from './respond.ts';
import { type Call, type Entry, forEach, ownPath } from './routes/entry.ts';

export interface GraphQLExchange {
  readonly request: IncomingMessage;
  readonly response: Answer;
  /** What follows the question mark. */
  readonly search: string;
  readonly body: Buffer;
  readonly engine: GraphQLEngine;
  readonly graphql: GraphQLServer;
  readonly ctx: Context;
  /** Aborted when the server stops. */
  readonly draining: AbortSignal;
}

/** How long a reader may take nothing at all of what it is sent, in milliseconds; a stream is resumed by its cursor. */
const patienceMs = 60_000;

/** The platform's own GraphQL, and its sockets. */
export const graphqlEntries = (options: HttpOptions): Entry[] =>
  forEach(['GET', 'POST'], {
    ...ownPath,
    path: '/graphql',
    auth: 'operation',
    body: bodyBytesMax,
    opensSocket: true,
    run({ exchange: { request, response, search }, ctx, body }: Call) {
      const { engine, graphql, draining } = options;
      return answerGraphQL({ request, response, search, body, engine, graphql, ctx, draining });
    },
  } as const);

/** Answers a plain request the short way; hands all else to Yoga, and its answer, streams included, to the socket. */
export async function answerGraphQL(exchange: GraphQLExchange): Promise<void> {
  const { request, response, search, body, engine, graphql, ctx, draining } = exchange;
  // Before anything runs: a change whose answer no client can take is not made.
  const accept = acceptable(request.headers.accept, request.method!);
  const method = request.method === 'POST' ? 'POST' : 'GET';
  const plain = await answerPlain(engine, ctx, {
    method,
    accept: accept.types,
    search,
    contentType: request.headers['content-type'],
    body,
  });
  if (plain !== undefined) return sendPlain(response, plain);
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (typeof value === 'string' && name !== 'accept') headers.set(name, value);
  }
  // What is left is a stream or a page. A stream for a client that takes anything is one of events: it keeps itself
  // alive, and everybody can read it.
  headers.set('accept', accept.header.replace('*/*', 'text/event-stream, */*'));
  const init = {
    method,
    headers,
    signal: ctx.signal,
    ...(method === 'POST' ? { body: body as Uint8Array<ArrayBuffer> } : {}),
  };
  // Yoga knows one address; which engine answers is told beside it.
  const url = new URL(search === '' ? '/graphql' : `/graphql?${search}`, ctx.request.baseUrl);
  const answer = await graphql.fetch(url, init, { gateway: ctx, engine });
  // A feed for a client that takes no stream.
  if (answer.status === 406) throw new ServiceError('NOT_ACCEPTABLE');
  response.statusCode = answer.status;
  setCommonHeaders(response);
  answer.headers.forEach((value, name) => void response.setHeader(name, value));
  if (!response.hasHeader('cache-control')) response.setHeader('cache-control', 'no-store');
  if (answer.body === null || request.method === 'HEAD') return void response.end();
  // Sent before the first event, so that a subscriber knows at once that it is subscribed.
  response.flushHeaders();
  // Cut, not ended: a stream that ends tells its reader that there is no more to come.
  if (/^(text\/event-stream|multipart\/mixed)/.test(answer.headers.get('content-type') ?? ''))
    cutWhen(draining, response);
  for await (const part of answer.body) {
    if (response.destroyed) break;
    const taken = response.keeping?.held.count(response.keeping.owner, part.byteLength);
    if (!response.write(part)) await takenBy(response, ctx.signal);
    taken?.();
  }
  response.end();
}

/** Waits until what was written is on its way. Nothing more is made up for a reader meanwhile. */
async function takenBy(response: ServerResponse, signal: AbortSignal): Promise<void> {
  const patience = setTimeout(() => response.destroy(), patienceMs);
  await once(response, 'drain', { signal }).catch(() => undefined);
  clearTimeout(patience);
}

function sendPlain(response: Answer, { status, headers, contentType, body, isChange }: PlainAnswer): void {
  if (response.destroyed) return;
  if (response.keeping !== undefined) response.keeping.mayRefuse = !isChange;
  send(response, status, contentType, body, headers);
}

function cutWhen(draining: AbortSignal, response: ServerResponse): void {
  const cut = () => void response.destroy();
  if (draining.aborted) cut();
  else draining.addEventListener('abort', cut, { once: true });
  response.once('close', () => draining.removeEventListener('abort', cut));
}

const answered = [
  'application/graphql-response+json',
  'application/json',
  'text/event-stream',
  'multipart/mixed',
  'application/*',
  'text/*',
  'multipart/*',
  '*/*',
];

/** What a client takes, best first. */
interface Accepted {
  readonly header: string;
  /** The same in lower case, one by one. */
  readonly types: readonly string[];
}

/** Clients of one kind ask alike, so what was read lately is kept. */
const accepted = new Lru<Accepted>({ entries: 256, bytes: 64 * 1024 });

/** The accepted types. @throws NOT_ACCEPTABLE when there is none that GraphQL is answered in */
function acceptable(given: string | undefined, method: string): Accepted {
  const asked = given === undefined || given.trim() === '' ? '*/*' : given;
  let accept = accepted.get(asked);
  if (accept === undefined) {
    const header = byQuality(asked);
    accept = { header, types: header.toLowerCase().split(', ') };
    accepted.set(asked, accept, asked.length * 4);
  }
  // GraphiQL is a page.
  if (method !== 'POST' && accept.types.includes('text/html')) return accept;
  if (!accept.types.some((type) => answered.includes(type))) throw new ServiceError('NOT_ACCEPTABLE');
  return accept;
}
