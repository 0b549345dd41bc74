import type { PrincipalLike } from '../../design/principal.tsx';
import type { DeployProjectFragment, DeploySummaryFragment } from './deploys.graphql.ts';

export type DeployProject = DeployProjectFragment;
export type DeploySummary = DeploySummaryFragment;

/** Who began a deploy, as the gateway noted it then. */
interface Actor {
  readonly principal?: { readonly principal_id?: string; readonly display_name_at_capture?: string | null } | null;
  readonly authority?: { readonly kind?: string };
}

/** The principal that began a deploy, with its name at that time; undefined where none was noted. */
export function principalOf({ actor }: Pick<DeploySummary, 'actor'>): PrincipalLike | undefined {
  const { principal } = (actor ?? {}) as Actor;
  if (principal?.principal_id === undefined) return undefined;
  return { principalId: principal.principal_id, displayName: principal.display_name_at_capture ?? null };
}

/** What let a deploy begin that no principal began. */
export const authorityOf = ({ actor }: Pick<DeploySummary, 'actor'>): string | undefined =>
  ((actor ?? {}) as Actor).authority?.kind?.replaceAll('_', ' ');

/** An id that is long, with its end left out. */
export const shortened = (id: string): string => (id.length > 16 ? `${id.slice(0, 14)}…` : id);

/** The release that a deploy made, or is about to make live. */
export const releaseOf = ({ releaseId, targetReleaseId }: DeploySummary): string | null => releaseId ?? targetReleaseId;

/** Whether a release can be made live: it was live once, and is not now. */
export const canPromote = ({ status, releaseId }: DeploySummary, { activeRelease }: DeployProject): boolean =>
  status === 'ready' && releaseId !== null && releaseId !== activeRelease?.releaseId;

/** What kinds of deploys are called. */
export const kindNames: Readonly<Record<string, string>> = {
  deploy: 'Deploy',
  promote: 'Promotion',
  rehearsal: 'Rehearsal',
};
