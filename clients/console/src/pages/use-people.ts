import type { PrincipalLike } from '../design/principal.tsx';
import { useAsk } from '../graph/use-live-query.ts';
import { OrganizationPeopleDocument } from './org.graphql.ts';

/** Members of an organization by principal, for pages that know ids alone. One who is no member has an id and no name. */
export function usePeople(org: string | undefined): (principalId: string) => PrincipalLike {
  const answer = useAsk(OrganizationPeopleDocument, org === undefined ? undefined : { org });
  const known = new Map(answer.data?.organization?.members.edges.map(({ node }) => [node.principalId, node]));
  return (principalId) => known.get(principalId) ?? { principalId };
}
