import { openCursor, sealCursor } from '../../core/cursors.ts';
import type { KeyRing } from '../../core/keys.ts';
import { packSnapshot, type Snapshot, sameMoment, unpackSnapshot } from './snapshot.ts';

/**
 * The position of a reader: it was told of everything that a snapshot sees. In the middle of what lies between that and a
 * later one, also of the first so many hints of those.
 */
export interface LivePosition {
  /** Names the database and its history; a copy and a restored one have others. */
  readonly epoch: string;
  readonly from: Snapshot;
  readonly within?: { readonly to: Snapshot; readonly told: number } | undefined;
}

const viewOf = (projectId: string) =>
  // As many transactions may be under way as a server takes connections, and each is named.
  ({ prefix: 'lcr_', kind: 'feed', view: `live ${projectId}`, lengthMax: 8_192 }) as const;

/** Seals a position: for one project, and no client can make one. */
export function liveCursor(keys: KeyRing, projectId: string, { epoch, from, within }: LivePosition): string {
  const parts = [epoch, packSnapshot(from)];
  if (within !== undefined) parts.push(packSnapshot(within.to), within.told.toString(36));
  return sealCursor(keys, viewOf(projectId), parts.join('~'));
}

/** The position of a cursor; undefined for one that was not given out for this project. */
export function livePosition(keys: KeyRing, projectId: string, cursor: string): LivePosition | undefined {
  const text = openCursor(keys, viewOf(projectId), cursor);
  if (text === undefined) return undefined;
  const [epoch, from, to, told] = text.split('~');
  return {
    epoch: epoch!,
    from: unpackSnapshot(from!),
    ...(to === undefined ? {} : { within: { to: unpackSnapshot(to), told: Number.parseInt(told!, 36) } }),
  };
}

/** Whether a reader at one was told exactly what a reader at the other was. */
export function samePosition(one: LivePosition, other: LivePosition): boolean {
  if (one.epoch !== other.epoch || !sameMoment(one.from, other.from)) return false;
  if (one.within === undefined || other.within === undefined) return one.within === other.within;
  return one.within.told === other.within.told && sameMoment(one.within.to, other.within.to);
}
