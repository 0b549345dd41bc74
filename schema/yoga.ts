import { renderGraphiQL } from '@graphql-yoga/render-graphiql';
import { createYoga, type Plugin } from 'graphql-yoga';
import type { Logger } from 'pino';
import type { Context } from '../resolvers/context.ts';
import type { Engine } from './engine/engine.ts';

/** What the server hands to Yoga with each request. */
export interface YogaContext {
  readonly gateway: Context;
}

export type GraphQLServer = ReturnType<typeof createGraphQLServer>;

/**
 * Yoga as the HTTP face of the engine: it speaks the protocol (GraphiQL, GET, multipart, SSE, content negotiation),
 * the engine decides every answer.
 */
export function createGraphQLServer({ engine, graphiql, log }: { engine: Engine; graphiql: boolean; log: Logger }) {
  const answerByEngine: Plugin<YogaContext> = {
    onParams: async ({ request, params, setResult, context }) => {
      const { gateway } = context as unknown as YogaContext;
      const prepared = engine.prepare(params, gateway.request.traceId, request.method === 'GET');
      setResult('document' in prepared ? await engine.run(prepared, gateway) : { errors: prepared });
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
    renderGraphiQL,
    graphiql: graphiql && { title: 'GraphiQL', subscriptionsProtocol: 'WS', defaultQuery: welcome },
    logging: {
      debug: (...args) => log.debug({ args }, 'yoga'),
      info: (...args) => log.debug({ args }, 'yoga'),
      warn: (...args) => log.warn({ args }, 'yoga'),
      error: (...args) => log.error({ args }, 'yoga'),
    },
  });
}

const welcome = `# Sign in by adding a header below, for example
# { "sign-in-with-x": "…" } as the README's first-call script prints it.
{
  whoami {
    principal { principalId displayName }
    memberships { role organization { orgId displayName } }
  }
}
`;
