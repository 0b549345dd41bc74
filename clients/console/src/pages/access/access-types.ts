import type { WhoMayQuery } from './access.graphql.ts';

/** A table or view with what each caller may do. */
export type Relation = NonNullable<NonNullable<WhoMayQuery['project']>['access']>['relations'][number];

export type Role = Relation['roles'][number]['role'];

/** A table with its columns. */
export interface TableColumns {
  readonly name: string;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
}
