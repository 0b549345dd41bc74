import type { Context } from '../kernel/run/context.ts';
import { openGraphDoor } from '../resolvers/rows/open-door.ts';
import { asServiceError } from '../resolvers/rows/run-graph.ts';
import { rowBodyBytesMax, shown } from '../rest-compat/rows/answer.ts';
import type { GraphQLRequest } from '../schema/engine/engine.ts';
import { ProjectRequest } from '../schema/project/project-request.ts';
import type { ProjectSchemas } from '../schema/project/project-schemas.ts';
import { paramsOfAddress, paramsOfBody } from '../schema/request-params.ts';
import { bodyOf, type Exchange, type HttpOptions, requireMethod } from './exchange.ts';
import { contextOf } from './exchange-context.ts';
import { answerGraphQL } from './graphql-http.ts';

const pathPattern = /^\/projects\/v1\/([^/]+)\/graphql\/?$/;

/** The project whose GraphQL a path means; undefined when it is a path to something else. */
export const projectOfGraphQLPath = (path: string): string | undefined => pathPattern.exec(path)?.[1];

/** The pattern of the path, for metrics. */
const route = '/projects/v1/:id/graphql';

/** Answers a request over HTTP: the credentials of rows, and the protocol of the platform's own GraphQL. */
export async function answerProjectGraphQL(options: HttpOptions, exchange: Exchange, projectId: string): Promise<void> {
  const { projectGraphQL, draining } = options;
  const { request, response, search, path } = exchange;
  try {
    requireMethod(exchange, 'GET', 'POST');
  } finally {
    exchange.route = route;
  }
  const ctx = contextOf(options, exchange);
  ctx.onProjectResolved?.(projectId);
  // A body may be large here, and is not read for somebody who may not send it.
  const engine = await openProject(ctx, {
    schemas: projectGraphQL.schemas,
    projectId,
    path,
    headers: shown(request.headers),
  });
  const body = await bodyOf(exchange, rowBodyBytesMax);
  const params = paramsOf(request.method!, search, request.headers['content-type'], body);
  if (params !== undefined) await engine.renewFor(params, ctx.request.traceId);
  await answerGraphQL({ request, response, search, body, engine, graphql: projectGraphQL.server, ctx, draining });
}

export interface ProjectOpening {
  readonly schemas: ProjectSchemas;
  readonly projectId: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Lets a caller in, and finds the schema that it sees. @throws ServiceError */
export async function openProject(
  ctx: Context,
  { schemas, projectId, path, headers }: ProjectOpening,
): Promise<ProjectRequest> {
  const caller = await openGraphDoor(ctx, projectId);
  try {
    return await ProjectRequest.open({ schemas, caller, settings: { path, headers } });
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
