import type { BranchesQuery, BranchRowFragment } from './branches.graphql.ts';

export type Branch = BranchRowFragment;

type Snapshots = NonNullable<NonNullable<BranchesQuery['project']>['snapshots']>;
export type SnapshotChoice = Snapshots['edges'][number]['node'];
