import type { PlaceOrganizationFragment } from './frame.graphql.ts';

/** The name of an organization for people; one that has no name is told by the beginning of its id. */
export const organizationName = ({
  displayName,
  orgId,
}: Pick<PlaceOrganizationFragment, 'displayName' | 'orgId'>): string =>
  displayName ?? `Unnamed organization ${orgId.slice(0, 8)}`;
