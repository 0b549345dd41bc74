import type { Pages } from '../parts/more-pages.tsx';
import type { OrganizationQuery } from './organization.graphql.ts';

export type Organization = NonNullable<OrganizationQuery['organization']>;

export interface ListedProps {
  readonly organization: Organization;
  /** The current position in the list. */
  readonly pages: Pages;
}
