import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../core/errors.ts';
import { sameSecret } from '../core/keys.ts';
import { isApiPath } from '../rest-compat/problem.ts';
import { agentPaths } from './agents.ts';
import type { OwnPath } from './exchange.ts';
import { bodyOf, type Exchange, type HttpOptions, requireMethod } from './exchange.ts';
import { contextOf } from './exchange-context.ts';
import { answerGraphQL } from './graphql-http.ts';
import { answerLive, answerLiveChanges } from './live/answer-live.ts';
import { platformMcp } from './mcp.ts';
import { openApiDoor, platformDoor } from './openapi.ts';
import { ownDocs } from './own-docs.ts';
import { send, sendJson } from './respond.ts';
import { healthDoor, statusDoor } from './status.ts';

/** How the server's own paths are answered. */
export function ownPaths(options: HttpOptions): ReadonlyMap<string, OwnPath> {
  const { services, health, metrics, engine, graphql, draining, guardMetrics } = options;
  const reading =
    (answer: (exchange: Exchange) => Promise<void>): OwnPath =>
    async (exchange) => {
      requireMethod(exchange, 'GET');
      await answer(exchange);
    };
  const paths = new Map<string, OwnPath>([
    ['/openapi.json', reading(openApiDoor(options))],
    ['/openapi/platform.json', reading(platformDoor(options))],
    ['/api/health', reading(async ({ response }) => sendJson(response, 200, await health.report()))],
    ['/status', reading(statusDoor(options))],
    ['/health', reading(healthDoor(options))],
    [
      '/readyz',
      reading(async ({ response }) => {
        const ready = await health.ready();
        sendJson(response, ready ? 200 : 503, { ready });
      }),
    ],
    [
      '/metrics',
      reading(async ({ request, response }) => {
        if (guardMetrics) requireAdminKey(request, services.settings.adminKey);
        send(response, 200, metrics.contentType, await metrics.render());
      }),
    ],
    ...agentPaths(options),
    platformMcp(options),
    ['/live/v1', (exchange) => answerLive(options, exchange)],
    ['/live/v1/changes', (exchange) => answerLiveChanges(options, exchange)],
    [
      '/graphql',
      async (exchange) => {
        requireMethod(exchange, 'GET', 'POST');
        const { request, response, search } = exchange;
        const ctx = contextOf(options, exchange);
        const body = await bodyOf(exchange);
        await answerGraphQL({ request, response, search, body, engine, graphql, ctx, draining });
      },
    ],
  ]);
  const silent = [...paths.keys()].filter((path) => isApiPath(path) && !ownDocs.some((doc) => doc.path === path));
  if (silent.length > 0) throw new Error(`These paths are described nowhere: ${silent.join(', ')}`);
  return paths;
}

/** Prometheus can send a bearer, but no header of its own. @throws AUTH_REQUIRED or INVALID_AUTH */
function requireAdminKey({ headers }: IncomingMessage, expected: string | undefined): void {
  const given = headers['x-admin-key'] ?? headers.authorization?.replace(/^Bearer\s+/i, '');
  if (given === undefined) throw new ServiceError('AUTH_REQUIRED');
  if (expected === undefined || !sameSecret(String(given), expected)) throw new ServiceError('INVALID_AUTH');
}
