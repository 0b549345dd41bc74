import type { AllOrganizationsQuery, OneOrganizationQuery } from './organizations.graphql.ts';

type Connection = NonNullable<NonNullable<AllOrganizationsQuery['installation']>['organizations']>;

/** An organization as the lists have it. */
export type ListedOrganization = Connection['edges'][number]['node'];

/** One that is open, with what takes longer to find out. */
export type OpenOrganization = NonNullable<NonNullable<OneOrganizationQuery['installation']>['organization']>;
