import type { OrganizationQuery } from './organization.graphql.ts';

export type Organization = NonNullable<OrganizationQuery['organization']>;

/** What each tab is given. */
export interface OrganizationProps {
  readonly organization: Organization;
}
