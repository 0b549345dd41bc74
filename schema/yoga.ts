import type { GraphQLError } from 'graphql';
import { createYoga, type GraphQLParams, type Plugin } from 'graphql-yoga';
import type { Logger } from 'pino';
import type { Context } from '../kernel/run/context.ts';
import type { Engine, GraphQLEngine, GraphQLRequest } from './engine/engine.ts';
import { renderErrors } from './engine/render-errors.ts';
import { graphiqlPage } from './graphiql.ts';
import { withStatus } from './http-status.ts';
import { readParams, refusedParams } from './request-params.ts';

/** What the server hands to Yoga with each request. */
export interface YogaContext {
  readonly gateway: Context;
  /** Who answers. @default the engine that the server was made for */
  readonly engine?: GraphQLEngine;
}

export type GraphQLServer = ReturnType<typeof createGraphQLServer>;

/**
 * Yoga as the HTTP face of the engine: it speaks the protocol (GraphiQL, GET, multipart, SSE, content negotiation),
 * the engine decides every answer.
 */
export function createGraphQLServer({ engine, graphiql, log }: { engine: Engine; graphiql: boolean; log: Logger }) {
  const traceIdOf = (context: unknown) => (context as YogaContext).gateway.request.traceId;
  const servicesOf = (context: unknown) => (context as YogaContext).gateway.services;
  const answerByEngine: Plugin<YogaContext> = {
    onRequestParse({ request, setRequestParser, serverContext }) {
      setRequestParser(async () => {
        try {
          return (await readParams(request)) as GraphQLParams;
        } catch (error) {
          throw refusedParams(error, traceIdOf(serverContext)) ?? error;
        }
      });
    },
    onParams({ request, params, setParams, setParamsHandler, context }) {
      // Yoga would refuse a request that names its document by hash alone.
      setParams({ query: '' });
      setParamsHandler(async () => {
        const { gateway, engine: own = engine } = context as unknown as YogaContext;
        const prepared = own.prepare(params as GraphQLRequest, traceIdOf(context), request.method === 'GET');
        return 'document' in prepared ? own.run(prepared, gateway) : { errors: prepared };
      });
    },
    onResultProcess({ result, setResult, serverContext }) {
      if (Array.isArray(result) || Symbol.asyncIterator in result || result.errors === undefined) return;
      const unknown = ({ extensions }: GraphQLError) => extensions.trace_id === undefined;
      const errors = result.errors.flatMap((error) =>
        unknown(error) ? renderErrors([error], traceIdOf(serverContext), servicesOf(serverContext)) : error,
      );
      setResult({ ...result, errors: 'data' in result ? errors : errors.map(withStatus) });
    },
  };
  return createYoga<YogaContext>({
    schema: engine.schema,
    graphqlEndpoint: '/graphql',
    plugins: [answerByEngine],
    // Errors are rendered by the engine, CORS and limits on bodies by the server around.
    maskedErrors: false,
    cors: false,
    batching: false,
    landingPage: false,
    healthCheckEndpoint: '/graphql/unused-health-check',
    parserAndValidationCache: false,
    graphiql,
    renderGraphiQL: () => graphiqlPage({ endpoint: '/graphql', query: welcome }),
    logging: {
      debug: (...args) => log.debug({ args }, 'yoga'),
      info: (...args) => log.debug({ args }, 'yoga'),
      warn: (...args) => log.warn({ args }, 'yoga'),
      error: (...args) => log.error({ args }, 'yoga'),
    },
  });
}

const welcome = `# Sign in under "Headers" below: { "sign-in-with-x": "…" } signed by a wallet (good for five minutes),
# { "authorization": "Bearer …" } or { "apikey": "…" }. Subscriptions take it from there, too.
{
  whoami {
    principal { principalId displayName }
    memberships { edges { node { role organization { orgId displayName } } } }
  }
}
`;
