import { answerA2a } from '../agents/a2a/answer.ts';
import { agentCard, cardPath } from '../agents/a2a/card.ts';
import { a2aPath } from '../agents/a2a/perform.ts';
import { rpcBodyBytesMax } from '../agents/json-rpc.ts';
import { answerMcp } from '../agents/mcp/answer.ts';
import { auditServer, mcpPath } from '../agents/mcp/audit-server.ts';
import { mcpMetadata } from '../agents/mcp/metadata.ts';
import { answerJob, nearPath, nearStatus } from '../agents/near/answer.ts';
import { refusalFacts } from '../agents/refusals.ts';
import { hasAlready } from '../core/entity-tags.ts';
import type { ServiceError } from '../core/errors.ts';
import { sha256Hex } from '../core/keys.ts';
import type { Context } from '../kernel/run/context.ts';
import { asNobody } from '../rest-compat/route.ts';
import type { Exchange, HttpOptions } from './exchange.ts';
import { contextOf } from './exchange-context.ts';
import { answerRpc } from './json-rpc.ts';
import { mcpEntries } from './mcp-entries.ts';
import { jsonType, sendAnswer, sendJson } from './respond.ts';
import { type Call, type Entry, ownPath } from './routes/entry.ts';

/** Largest body of a job, in bytes. Contract 00, section 6.3. */
const jobBodyBytesMax = 64 * 1024;

/** How long a card may be kept, in seconds. Contract 00, section 4.4. */
const cardKeptSeconds = 300;

const serverName = 'svc-gateway';

/** How agents are answered: over MCP, over A2A, and by the webhook of a marketplace. Contract 00, section 4. */
export const agentEntries = (options: HttpOptions): Entry[] => [
  ...auditMcp(options),
  {
    ...ownPath,
    method: 'GET',
    path: a2aPath,
    auth: 'operation',
    body: 'unread',
    async run({ exchange, ctx }) {
      sendJson(exchange.response, 200, { ok: true, ...agentCard(asNobody(ctx), options.version) });
    },
  },
  {
    ...ownPath,
    method: 'POST',
    path: a2aPath,
    auth: 'none',
    run: (exchange) =>
      answerRpc(exchange, { limit: rpcBodyBytesMax, facts: factsOf(a2aPath) }, () => {
        const ctx = agentContext(options, exchange);
        return (call) => answerA2a(ctx, call);
      }),
  },
  {
    ...ownPath,
    method: 'GET',
    path: cardPath,
    auth: 'operation',
    body: 'unread',
    run: answerCard(options),
  },
  {
    ...ownPath,
    method: 'GET',
    path: nearPath,
    auth: 'none',
    run: async ({ response }) => sendJson(response, 200, nearStatus()),
  },
  { ...ownPath, method: 'POST', path: nearPath, auth: 'operation', body: jobBodyBytesMax, run: answerNear },
];

/**
 * Nothing here asks for a credential: one that a client sends along, as clients of these protocols do, is not looked at,
 * so that none that is wrong or expired is in the way.
 */
const agentContext = (options: HttpOptions, exchange: Exchange): Context => asNobody(contextOf(options, exchange));

function auditMcp(options: HttpOptions): Entry[] {
  const server = auditServer({ name: serverName, version: options.version });
  const { facts } = server;
  return mcpEntries(options, {
    path: mcpPath,
    answer: (exchange) =>
      answerRpc(exchange, { limit: rpcBodyBytesMax, facts, mustBeJson: true }, () => {
        const ctx = agentContext(options, exchange);
        return (call) => answerMcp(ctx, call, server);
      }),
    look: (exchange) => mcpMetadata(agentContext(options, exchange), server.info),
  });
}

const factsOf = (path: string) => (refusal: ServiceError, traceId: string) => refusalFacts(refusal, traceId, path);

const answerCard =
  ({ version }: HttpOptions) =>
  async ({ exchange: { request, response }, ctx }: Call): Promise<void> => {
    const body = JSON.stringify(agentCard(asNobody(ctx), version));
    const etag = `"${sha256Hex(body).slice(0, 32)}"`;
    const headers = { etag, 'cache-control': `public, max-age=${cardKeptSeconds}`, vary: 'Host' };
    if (hasAlready(request.headers['if-none-match'], etag)) sendAnswer(response, { status: 304, headers, body: '' });
    else sendAnswer(response, { status: 200, headers: { ...headers, 'content-type': jsonType }, body });
  };

async function answerNear({ exchange: { request, response }, ctx, body }: Call): Promise<void> {
  const { 'x-signature': given } = request.headers;
  const answer = await answerJob(asNobody(ctx), { body, signature: Array.isArray(given) ? given[0] : given });
  if (!response.destroyed) sendJson(response, 200, answer);
}
