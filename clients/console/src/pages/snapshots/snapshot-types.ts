import type { SnapshotRowFragment } from './snapshots.graphql.ts';

export type Snapshot = SnapshotRowFragment;
export type SnapshotKind = Snapshot['kind'];

/** Why a snapshot was taken, in words. */
export const kindNames: Readonly<Record<SnapshotKind, string>> = {
  MANUAL: 'By hand',
  PRE_MIGRATION: 'Before migrations',
  PRE_RESTORE: 'Before a restore',
  SCHEDULED: 'Daily',
};

/** The kind that the address names; undefined: all. */
export const kindAsked = (text: string): SnapshotKind | null =>
  (Object.keys(kindNames) as SnapshotKind[]).find((kind) => kind === text) ?? null;
