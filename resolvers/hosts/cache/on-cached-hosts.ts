import { ServiceError } from '../../../core/errors.ts';
import { type Access, onProject, type ProjectScope } from '../../../kernel/access/access.ts';
import { isForeign, isForOthers } from '../../../kernel/access/foreign.ts';
import type { Action } from '../../../kernel/access/permissions.ts';
import { findHost } from '../shared/find-host.ts';

/** Letter case and the final dot of a full name make no other host. */
export const hostNameOf = (host: string): string => host.toLowerCase().replace(/\.$/, '');

const forbidden = (host: string) =>
  new ServiceError('SVC_CACHE_INVALIDATION_HOST_FORBIDDEN', { details: { host }, extras: { host } });

/**
 * An action on the project that hosts are attached to, all of them to the same. A host that is nobody's and one that is another's
 * are refused alike.
 *
 * @param of tells the hosts; at least one
 */
export const onCachedHosts = <Input>(
  action: Action,
  of: (input: Input) => readonly string[],
): Access<Input, ProjectScope> => ({
  action,
  async authorise(ctx, caller, input) {
    const hosts = of(input);
    if (caller.kind === 'nobody') throw new ServiceError('AUTH_REQUIRED');
    let projectId: string | undefined;
    for (const host of hosts) {
      const found = await findHost(ctx.services, host, () => ctx.chargeAddress());
      if (
        found === undefined ||
        isForOthers(caller, found.projectId) ||
        found.projectId !== (projectId ?? found.projectId)
      )
        throw forbidden(host);
      projectId = found.projectId;
    }
    const target = projectId!;
    try {
      const scope = await onProject(action, () => target).authorise(ctx, caller, input);
      ctx.onProjectResolved?.(target);
      return scope;
    } catch (error) {
      throw isForeign(error) ? forbidden(hosts[0]!) : error;
    }
  },
});
