import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../core/errors.ts';
import { networkOf } from '../core/network-of.ts';
import type { ProjectTarget } from '../kernel/access/addressed-project.ts';
import { findProjectTarget } from '../kernel/access/project-target.ts';
import { addressRate } from '../kernel/limits/limits.ts';
import { assertWithinRate } from '../kernel/limits/rate-limit.ts';
import type { Context } from '../kernel/run/context.ts';
import { findHost, type HostedProject } from '../resolvers/hosts/find-host.ts';
import { hostConfig, liveTables } from '../resolvers/hosts/host-config.ts';
import { answerHosted, matchHosted, openHost } from '../rest-compat/hosted/answer.ts';
import type { Host } from '../rest-compat/hosted/call.ts';
import { clientAddress } from './client-address.ts';
import { bodyOf, type Exchange, type HttpOptions, requireMethod } from './exchange.ts';
import { contextOf } from './exchange-context.ts';
import { sendAnswer } from './respond.ts';
import { answerTenantLive } from './tenant-live.ts';
import type { TenantName } from './tenant-name.ts';

/** Balancers and probes ask these under whatever name they have for the machine. */
export const healthPaths: ReadonlySet<string> = new Set(['/api/health', '/status', '/health', '/readyz']);

/** Answers a request to a project's host. */
export type TenantAnswer = () => Promise<void>;

/** The project that is served under a name; undefined when the name is nobody's. @throws RATE_LIMITED */
export const projectOfHost = (
  { services, trustedProxies }: Pick<HttpOptions, 'services' | 'trustedProxies'>,
  request: IncomingMessage,
  { name }: TenantName,
): Promise<HostedProject | undefined> =>
  findHost(services, name, () => {
    const network = networkOf(clientAddress(request, trustedProxies));
    assertWithinRate(services.rateLimiter.take(`address:${network}`, addressRate));
  });

/**
 * Opens the project that is served under a name; undefined for a name that is nobody's and this server's own.
 *
 * @throws HOST_NOT_FOUND, HOST_NOT_ALLOWED, RATE_LIMITED
 */
export async function openTenantHost(
  options: HttpOptions,
  exchange: Exchange,
  tenant: TenantName,
): Promise<TenantAnswer | undefined> {
  const { name, origin, reserved, foreign } = tenant;
  const project = await projectOfHost(options, exchange.request, tenant);
  if (project === undefined) {
    if (reserved) throw new ServiceError('HOST_NOT_FOUND', { details: { host: name } });
    if (foreign && !healthPaths.has(exchange.path))
      throw new ServiceError('HOST_NOT_ALLOWED', { details: { host: name } });
    return undefined;
  }
  const ctx = contextOf(options, exchange);
  ctx.onProjectResolved?.(project.projectId);
  const target = await targetOf(ctx, project.projectId, name);
  return () => answer(options, exchange, ctx, { target, projectName: project.name, origin });
}

/** @throws HOST_NOT_FOUND for a project that is gone, and as {@link findProjectTarget} */
async function targetOf({ services }: Context, projectId: string, host: string): Promise<ProjectTarget> {
  try {
    return await findProjectTarget(services, projectId);
  } catch (error) {
    const gone = error instanceof ServiceError && (error.code === 'INVALID_AUTH' || error.code === 'PROJECT_NOT_FOUND');
    throw gone ? new ServiceError('HOST_NOT_FOUND', { details: { host } }) : error;
  }
}

/** A proxy that is believed says by which host and scheme it was asked, so that a cache behind it has to know as well. */
const cached = ({ trustedProxies }: HttpOptions) => ({
  'cache-control': 'public, max-age=60',
  vary: trustedProxies === undefined ? 'Host' : 'Host, X-Forwarded-Host, X-Forwarded-Proto',
});

/** The paths of a project's host. Those of the API are not among them: their credentials are not for its pages. */
async function answer(options: HttpOptions, exchange: Exchange, ctx: Context, host: Host): Promise<void> {
  const { request, response, path, search } = exchange;
  switch (path) {
    case '/_svc/config.js': {
      openHost(ctx, host);
      requireMethod(exchange, 'GET');
      const body = `window.SVC = ${asScript(await hostConfig(ctx, host.target, host.origin))};\n`;
      return sendAnswer(response, {
        status: 200,
        headers: { 'content-type': 'text/javascript; charset=utf-8', ...cached(options) },
        body,
      });
    }
    case '/_svc/config.json': {
      openHost(ctx, host);
      requireMethod(exchange, 'GET');
      const [config, tables] = await Promise.all([
        hostConfig(ctx, host.target, host.origin),
        liveTables(ctx, host.target),
      ]);
      const live = tables.length === 0 ? null : { path: '/_svc/live', tables };
      return sendAnswer(response, {
        status: 200,
        headers: { 'content-type': 'application/json; charset=utf-8', ...cached(options) },
        body: JSON.stringify({ ...config, live, embedding: null }),
      });
    }
    case '/_svc/live':
    case '/_svc/live/changes':
      requireMethod(exchange, 'GET');
      return answerTenantLive(options, exchange, ctx, host);
  }
  const matched = match(ctx, host, request.method!, path);
  exchange.route = matched.entry.path;
  const body = await bodyOf(exchange);
  const asked = { method: request.method!, path, search, headers: request.headers, body };
  const answered = await answerHosted(matched, ctx, host, asked, (name, values) => {
    response.setHeader(name, values);
  });
  if (!response.destroyed) sendAnswer(response, answered);
}

/** What is nowhere is asked for like anything else. */
function match(ctx: Context, host: Host, method: string, path: string): ReturnType<typeof matchHosted> {
  try {
    return matchHosted(method, path);
  } catch (error) {
    openHost(ctx, host);
    throw error;
  }
}

/** JSON that may stand in a script, wherever that is written. */
const asScript = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
