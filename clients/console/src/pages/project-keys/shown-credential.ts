import type { CredentialsQuery, ProjectCredentialKind } from './keys.graphql.ts';

export type Credential = NonNullable<NonNullable<CredentialsQuery['project']>['credentials']>['edges'][number]['node'];

/** What each kind is called. */
export const kindNames: Readonly<Record<ProjectCredentialKind, string>> = {
  ANON: 'Anon',
  SERVICE: 'Service',
};

/** The kinds in the order in which they are offered. */
export const kinds = ['SERVICE', 'ANON'] as const satisfies readonly ProjectCredentialKind[];
