import type { BranchesQuery, BranchRowFragment } from './branches.graphql.ts';

export type Branch = BranchRowFragment;

type Snapshots = NonNullable<NonNullable<BranchesQuery['project']>['snapshots']>;
export type SnapshotChoice = Snapshots['edges'][number]['node'];

/** The message of why a branch could not be made. */
export const messageOf = (error: unknown): string | undefined =>
  (error as { readonly message?: string } | null)?.message;
