import type { Context } from '../kernel/run/context.ts';
import { authenticateGraph } from '../resolvers/rows/authenticate-rows.ts';
import { asServiceError } from '../resolvers/rows/run-graph.ts';
import { rowBodyBytesMax, shown } from '../rest-compat/rows/answer.ts';
import type { GraphQLRequest } from '../schema/engine/engine.ts';
import { ProjectRequest } from '../schema/project/project-request.ts';
import type { ProjectSchemas } from '../schema/project/project-schemas.ts';
import { paramsOfAddress, paramsOfBody } from '../schema/request-params.ts';
import type { HttpOptions } from './exchange.ts';
import { answerGraphQL } from './graphql-http.ts';
import { type CallEntry, type Entry, forEach } from './routes/entry.ts';

/** The GraphQL of each project, and its sockets: the credentials of rows, and the protocol of the platform's own GraphQL. */
export const projectGraphQLEntries = (options: HttpOptions): Entry[] =>
  forEach<Omit<CallEntry<ProjectRequest>, 'method'>>(['GET', 'POST'], {
    host: 'gateway',
    path: '/projects/v1/:id/graphql',
    spelling: 'raw',
    // A body may be large here, and is not read for a caller who may not send it.
    auth({ exchange: { request, path }, params, ctx }) {
      const projectId = params.id!;
      ctx.onProjectResolved?.(projectId);
      const { schemas } = options.projectGraphQL;
      const { idempotencyKey } = ctx.request;
      return openProject(ctx, { schemas, projectId, path, headers: shown(request.headers), idempotencyKey });
    },
    body: rowBodyBytesMax,
    opensSocket: true,
    async run({ exchange: { request, response, search }, ctx, admitted: engine, body }) {
      const params = paramsOf(request.method!, search, request.headers['content-type'], body);
      if (params !== undefined) await engine.renewFor(params, ctx.request.traceId);
      const { projectGraphQL, draining } = options;
      await answerGraphQL({ request, response, search, body, engine, graphql: projectGraphQL.server, ctx, draining });
    },
  });

export interface ProjectOpening {
  readonly schemas: ProjectSchemas;
  readonly projectId: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Of a request that is one operation. */
  readonly idempotencyKey?: string | undefined;
}

/** Lets a caller in, and finds the schema that it sees. @throws ServiceError */
export async function openProject(
  ctx: Context,
  { schemas, projectId, path, headers, idempotencyKey }: ProjectOpening,
): Promise<ProjectRequest> {
  const caller = await authenticateGraph(ctx, projectId);
  try {
    return await ProjectRequest.open({ schemas, caller, settings: { path, headers }, idempotencyKey });
  } catch (error) {
    throw asServiceError(error);
  }
}

/** Undefined for what is refused in a moment, in the words of the protocol. */
function paramsOf(
  method: string,
  search: string,
  contentType: string | undefined,
  body: Buffer,
): GraphQLRequest | undefined {
  try {
    return method === 'POST' ? paramsOfBody(contentType, body) : paramsOfAddress(new URLSearchParams(search));
  } catch {
    return undefined;
  }
}
