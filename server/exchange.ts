import type { IncomingMessage } from 'node:http';
import type { Context, Services } from '../kernel/run/context.ts';
import type { Subject } from '../kernel/traffic/subject.ts';
import type { Host } from '../rest-compat/hosted/call.ts';
import type { Engine } from '../schema/engine/engine.ts';
import type { ProjectSchemas } from '../schema/project/project-schemas.ts';
import type { GraphQLServer } from '../schema/yoga.ts';
import type { Signals } from '../subscriptions/signals.ts';
import { readBody, refuseLargeBody, refuseOddBody } from './body.ts';
import type { TrustedProxies } from './client-address.ts';
import type { ConnectionLimit } from './connection-limit.ts';
import type { Health } from './health.ts';
import type { Metrics } from './metrics.ts';
import type { Answer } from './respond.ts';
import type { TenantName } from './tenant-name.ts';

export interface HttpOptions {
  readonly services: Services;
  readonly engine: Engine;
  readonly graphql: GraphQLServer;
  readonly projectGraphQL: ProjectGraphQL;
  readonly health: Health;
  readonly metrics: Metrics;
  readonly connections: ConnectionLimit;
  readonly trustedProxies: TrustedProxies | undefined;
  /** Which project's host a request may be for, by its name alone. */
  readonly tenantName: (request: IncomingMessage) => TenantName | undefined;
  /** The configured address to listen at. */
  readonly host: string;
  /** Whether `/metrics` is for the platform admin alone. */
  readonly guardMetrics: boolean;
  /** Whether sites of projects are also below a path of the gateway, where they share its origin. */
  readonly sitesByPath: boolean;
  /** Whether the console offers keys that a page makes for itself. */
  readonly throwAwayKeys: boolean;
  /** Of the gateway, for cards and lists that name it. */
  readonly version: string;
  /** Origins of pages that may speak MCP; undefined: any. */
  readonly mcpOrigins: readonly string[] | undefined;
  /** What nodes tell each other. */
  readonly signals: Signals;
  /** Aborted when the server stops: event streams are cut then, so that their readers resume elsewhere. */
  readonly draining: AbortSignal;
}

/** A request on its way through the server. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: Answer;
  readonly path: string;
  readonly search: string;
  /** The client waits for a word before it sends the body. */
  readonly asksFirst: boolean;
  /** Set as soon as the trace has begun. */
  traceId: string;
  /** Pattern of the route, for metrics. */
  route: string;
  /** The project that it is counted for. */
  readonly subject: Subject;
  /** Made once, when something first needs it. */
  ctx: Context | undefined;
  /** The project's host that is asked; undefined under a name of the API. */
  project: Host | undefined;
  /** The project that is addressed, once that is known. */
  projectId?: string;
}

const noBody = Promise.resolve(Buffer.alloc(0));

/**
 * The request's body. Under `/api` it may call itself what it likes: it is JSON or it is refused as none.
 *
 * @throws BODY_TOO_LARGE or UNSUPPORTED_MEDIA_TYPE, where possible before the client has sent any of it
 */
export function bodyOf({ request, response, asksFirst }: Exchange, limit?: number): Promise<Buffer> {
  const { headers } = request;
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return noBody;
  refuseLargeBody(request, limit);
  if (!response.underApi) refuseOddBody(request);
  if (asksFirst) response.writeContinue();
  return readBody(request, limit);
}

/** What answers GraphQL inside projects. */
export interface ProjectGraphQL {
  readonly schemas: ProjectSchemas;
  /** For what is not plain: streams, and types of answers that it knows how to speak. */
  readonly server: GraphQLServer;
}
