import { useAsk } from '../graph/use-live-query.ts';
import type { Role } from '../session/may.ts';
import { NamedOrganizationDocument } from './org.graphql.ts';
import { ownerName } from './project-crumbs.ts';

/** The organization of a page. */
export interface OrgAround {
  /** The caller's role; null for a caller who is not a member, undefined until loaded. */
  readonly role: Role | null | undefined;
  /** Breadcrumbs of its pages. */
  readonly crumbs: readonly (readonly [name: string, to: string])[];
}

export function useOrg(org: string): OrgAround {
  const found = useAsk(NamedOrganizationDocument, { org }).data?.organization;
  const name = found === undefined || found === null ? 'Organization' : ownerName(found);
  return {
    role: found === undefined ? undefined : (found?.role ?? null),
    crumbs: [
      ['Organizations', '/orgs'],
      [name, `/orgs/${org}`],
    ],
  };
}
