import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { diagnose, type ObjectFacts } from '../../engines/hosting/diagnose.ts';
import { asSent } from '../../engines/hosting/request-path.ts';
import { resolve } from '../../engines/hosting/resolve.ts';
import { StorageUnavailableError } from '../../engines/objects/object-store.ts';
import type { StaticFile } from '../../engines/release/model.ts';
import { type Access, onProject, type ProjectScope } from '../../kernel/access/access.ts';
import { isForeign, isForOthers } from '../../kernel/access/foreign.ts';
import type { Context } from '../../kernel/run/context.ts';
import { query } from '../../kernel/run/operation.ts';
import { findHost, type HostedProject } from '../hosts/shared/find-host.ts';
import { type HostResolution, hostResolutionToWire, hostResolutionWire } from './host-resolution.ts';
import { deployActions } from './shared/actions.ts';

/** What a caller may be told of a host; nothing where it is nobody's, or the project of others. */
interface HostScope {
  readonly org?: ProjectScope['org'];
  readonly bound?: Pick<ProjectScope, 'org' | 'project'> & Pick<HostedProject, 'releaseId'>;
}

/** Letter case and the final dot of a full name make no other host. */
const nameOf = (host: string): string => host.toLowerCase().replace(/\.$/, '');

const onHost: Access<{ readonly host: string }, HostScope> = {
  action: deployActions['project:deploys:read'],
  async authorise(ctx, caller, { host }) {
    if (caller.kind === 'nobody') throw new ServiceError('AUTH_REQUIRED');
    const found = await findHost(ctx.services, nameOf(host), () => ctx.chargeAddress());
    if (found === undefined || isForOthers(caller, found.projectId)) return {};
    try {
      const scope = await onProject(deployActions['project:deploys:read'], () => found.projectId).authorise(
        ctx,
        caller,
        {},
      );
      ctx.onProjectResolved?.(found.projectId);
      return { org: scope.org, bound: { ...scope, ...(found.releaseId && { releaseId: found.releaseId }) } };
    } catch (error) {
      // Whose a host is, is nobody's business but its project's.
      if (isForeign(error)) return {};
      throw error;
    }
  },
};

/** `GET /apply/v1/resolve`. Contract 03, section 2.10. */
export const resolveUrl = query({
  name: 'deploys.resolve',
  tool: 'deploy_diagnose_url',
  command: 'deploy resolve',
  summary: 'What a public address answers, and why.',
  access: onHost,
  input: z.object({
    host: z
      .string()
      .regex(/^(?=.{1,254}$)[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?$/i, 'must be a host name, without a scheme and a port')
      .describe('Host name of the address, without a scheme and a port.')
      .meta({ examples: ['shop.example.com'] }),
    path: z
      .string()
      .max(8_192)
      .regex(/^\/[^?#]*$/, 'must begin with a slash, without a query')
      .default('/')
      .describe('Path of the address, without its query.')
      .meta({ examples: ['/about'] }),
    method: z
      .string()
      .regex(/^[A-Z]{1,32}$/, 'must be a method in capitals')
      .default('GET')
      .describe('Method of the request.')
      .meta({ examples: ['GET'] }),
  }),
  async handler(ctx, { host, path, method }): Promise<HostResolution> {
    const hostname = nameOf(host);
    const { bound } = ctx;
    if (bound === undefined) return { hostname };
    const { sites } = ctx.services;
    const sent = asSent(path);
    const { org, project, releaseId } = bound;
    const isArchived = project.archivedAt !== null;
    const site = await (releaseId === undefined ? sites.live(project.id) : sites.release(org.id, releaseId));
    const found = resolve(site === null ? null : await sites.filesFor(site, sent), method, sent);
    const object = found.file === null ? undefined : await factsOf(ctx, found.file);
    return {
      hostname,
      bound: {
        projectId: project.id,
        isPreview: releaseId !== undefined,
        isArchived,
        site,
        diagnosis: diagnose(found, { object, platform: sites.platformStatus(method, sent) }),
      },
    };
  },
  wire: hostResolutionWire,
  toWire: hostResolutionToWire,
});

/** What the store says of a file; a store that is away has none of it. */
async function factsOf({ services }: Pick<Context, 'services'>, { sha256 }: StaticFile): Promise<ObjectFacts> {
  try {
    return { actualSize: (await services.objects.size(sha256)) ?? null };
  } catch (error) {
    if (error instanceof StorageUnavailableError) return { actualSize: null };
    throw error;
  }
}
