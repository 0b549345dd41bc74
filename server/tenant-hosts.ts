import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../core/errors.ts';
import { networkOf } from '../core/network-of.ts';
import type { ProjectTarget } from '../kernel/access/project-target.ts';
import { findProjectTarget } from '../kernel/access/project-target.ts';
import { addressRate } from '../kernel/limits/limits.ts';
import { assertWithinRate } from '../kernel/limits/rate-limit.ts';
import type { Context } from '../kernel/run/context.ts';
import { findHost, type HostedProject } from '../resolvers/hosts/shared/find-host.ts';
import type { Host } from '../rest-compat/hosted/call.ts';
import { clientAddress } from './client-address.ts';
import type { Exchange, HttpOptions } from './exchange.ts';
import { contextOf } from './exchange-context.ts';
import type { TenantName } from './tenant-name.ts';

/** The project that is served under a name; undefined when no project has it. @throws RATE_LIMITED */
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
 * The host of the project that is served under a name; undefined for a name that the API answers under.
 *
 * @param underAnyName whether the path is answered under a name that no project has claimed, too
 * @throws HOST_NOT_FOUND, HOST_NOT_ALLOWED, RATE_LIMITED
 */
export async function findTenantHost(
  options: HttpOptions,
  exchange: Exchange,
  tenant: TenantName,
  underAnyName: boolean,
): Promise<Host | undefined> {
  try {
    return await resolveTenantHost(options, exchange, tenant, underAnyName);
  } catch (error) {
    // With the database away, such paths say so under any name that is not reserved for projects.
    if (!tenant.reserved && underAnyName && !(error instanceof ServiceError)) return undefined;
    throw error;
  }
}

async function resolveTenantHost(
  options: HttpOptions,
  exchange: Exchange,
  tenant: TenantName,
  underAnyName: boolean,
): Promise<Host | undefined> {
  const { name, origin, reserved, foreign } = tenant;
  const project = await projectOfHost(options, exchange.request, tenant);
  if (project === undefined) {
    if (reserved) throw new ServiceError('HOST_NOT_FOUND', { details: { host: name } });
    if (foreign && !underAnyName) throw new ServiceError('HOST_NOT_ALLOWED', { details: { host: name } });
    return undefined;
  }
  const ctx = contextOf(options, exchange);
  ctx.onProjectResolved?.(project.projectId);
  return {
    target: await targetOf(ctx, project.projectId, name),
    projectName: project.name,
    origin,
    releaseId: project.releaseId,
  };
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
