import { type Caller, principalIdOf } from './caller.ts';
import { openingCapabilities } from './permissions.ts';

/** What a caller may see, as parameters of a statement: its principal, projects its credential names, everything. */
export type Visibility = readonly [principalId: string | null, projectIds: readonly string[], everything: boolean];

/**
 * What a caller may see, for statements that load many things at once. A delegate and a service key see the projects
 * they name and nothing of the organization; an anon key sees nothing.
 */
export function visibilityOf(caller: Caller): Visibility {
  if (caller.kind === 'delegate') {
    const readable = openingCapabilities.some((one) => caller.scope.capabilities.includes(one));
    return [null, readable ? caller.projectIds : [], false];
  }
  if (caller.kind === 'project_key') return [null, caller.role === 'service_role' ? [caller.projectId] : [], false];
  return [principalIdOf(caller), [], caller.kind === 'admin'];
}
