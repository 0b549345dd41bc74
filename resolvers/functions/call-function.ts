import { ServiceError } from '../../core/errors.ts';
import { headersForFunction } from '../../engines/functions/call-headers.ts';
import type { ProjectTarget } from '../../kernel/access/project-target.ts';
import type { Context, Services } from '../../kernel/run/context.ts';
import type { ProjectCaller } from '../auth/shared/authenticate-project.ts';
import type { FunctionReply } from './function-host.ts';
import { passGate } from './gate.ts';

/** Largest body of a request to a function, in bytes. Contract 03, section 3.8. */
export const bodyBytesMax = 6 * 1024 * 1024;

/** What of a release answers requests. */
type Site = NonNullable<Awaited<ReturnType<Services['sites']['live']>>>;

/** What a caller sends to a function. */
export interface FunctionRequest {
  /** `req_…`: the id by which the call is known in the logs of the function. */
  readonly requestId: string;
  readonly method: string;
  /** Names and values by turns, as they came. */
  readonly rawHeaders: readonly string[];
  /** Read once it is known that there is a function for it. */
  readonly body: () => Promise<Buffer>;
}

/** A call, as it was found out before. */
export interface AskedFunction {
  readonly target: ProjectTarget;
  readonly site: Site;
  readonly name: string;
  /** The whole public address. */
  readonly url: string;
  /** What the platform says to the function, beside what it says of every call. */
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/**
 * Calls a function of a release.
 *
 * @throws FUNCTION_NOT_FOUND and what the function comes to
 */
export async function callFunction(
  ctx: Context,
  { target, site, name, url, headers }: AskedFunction,
  request: FunctionRequest,
): Promise<FunctionReply> {
  const fn = site.functions.get(name);
  if (fn === undefined) throw absent(name);
  const { requestId, method, rawHeaders } = request;
  const body = await request.body();
  const called = {
    orgId: target.orgId,
    projectId: target.projectId,
    createdAt: target.createdAt,
    transferredAt: target.transferredAt,
    releaseId: site.releaseId,
    name,
    timeoutSeconds: fn.timeoutSeconds,
    memoryMb: fn.memoryMb,
  };
  return ctx.services.functions.call(called, {
    requestId,
    method,
    url,
    headers: headersForFunction(rawHeaders, {
      'x-svc-project-id': target.projectId,
      'x-svc-release-id': site.releaseId,
      'x-svc-function-name': name,
      'x-svc-request-id': requestId,
      'x-svc-idempotency-key': ctx.request.idempotencyKey,
      ...headers,
    }),
    ...(body.length === 0 ? {} : { body }),
    signal: ctx.signal,
  });
}

/**
 * Calls a function by its name, with a key of its project. Contract 03, section 3.2.
 *
 * @param path of the request, with its query
 * @throws FUNCTION_NOT_FOUND, FORBIDDEN, authentication_required, ROLE_FORBIDDEN and what the function comes to
 */
export async function callDirectly(
  ctx: Context,
  { target, user, keyRole }: Pick<ProjectCaller, 'target' | 'user' | 'keyRole'>,
  { name, path }: { readonly name: string; readonly path: string },
  request: FunctionRequest,
): Promise<FunctionReply> {
  const { services } = ctx;
  const site = await services.sites.live(target.projectId);
  const fn = site?.functions.get(name);
  if (site === null || fn === undefined) throw absent(name);
  // The anon key is public: what costs something by its route is not to be had without.
  if (keyRole === 'anon' && site.routes.priced.has(name))
    throw new ServiceError('FORBIDDEN', {
      message: `The function ${name} is called by its route, which has a price, or with the service key.`,
      details: { function: name },
    });
  const gate = await passGate(services, target, fn, user?.sub);
  const url = `${services.settings.publicBaseUrl ?? ctx.request.baseUrl}${path}`;
  const headers = { 'x-svc-route-pattern': `function:${name}`, ...gate };
  return callFunction(ctx, { target, site, name, url, headers }, request);
}

const absent = (name: string) => new ServiceError('FUNCTION_NOT_FOUND', { details: { function: name } });
