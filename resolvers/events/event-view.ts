import { z } from 'zod';
import { type CursorView, openCursor, sealCursor } from '../../core/cursors.ts';
import { ServiceError } from '../../core/errors.ts';
import type { KeyRing } from '../../core/keys.ts';
import type { StoredEvent } from '../../db/partitioned/events.ts';
import { commaList, cursor } from '../../kernel/input/fields.ts';

/** What of an organization's log is read: a cursor is good for the view alone that gave it out. Contract 02, section 1.3. */
export interface EventView {
  readonly orgId: string;
  /** Null: all of the organization's, those of no project too. */
  readonly projectId: string | null;
  readonly source: StoredEvent['source'] | undefined;
  /** Sorted, each once; undefined: of every type. */
  readonly types: readonly string[] | undefined;
}

const typesMax = 100;

export const viewCursor = cursor.describe('Cursor from an earlier answer of the same view.');

/** What narrows a view. */
export const viewFilter = {
  source: z.string().optional().describe('`app` or `platform`; both when absent.'),
  event_type: commaList(z.string().min(1).max(64), typesMax, 'types')
    .optional()
    .describe(`Types of events, as a list with commas or as an array, at most ${typesMax}; all when absent.`),
  cursor: viewCursor.optional(),
};

/**
 * The view that somebody was admitted to. In which order types are named, and how often, makes no difference.
 *
 * @throws INVALID_QUERY_PARAM for a source that there is not
 */
export function viewOf(
  { org, project }: { readonly org: { readonly id: string }; readonly project?: { readonly id: string } | undefined },
  {
    source,
    event_type: types = [],
  }: { readonly source?: string | undefined; readonly event_type?: string[] | undefined },
): EventView {
  if (source !== undefined && source !== 'app' && source !== 'platform')
    throw new ServiceError('INVALID_QUERY_PARAM', {
      message: 'source: must be app or platform',
      details: { field: 'source', reason: 'must be app or platform' },
    });
  return {
    orgId: org.id,
    projectId: project?.id ?? null,
    source,
    types: types.length === 0 ? undefined : [...new Set(types)].sort(),
  };
}

/** All that happened in a project. */
export const wholeProject = (orgId: string, projectId: string): EventView => ({
  orgId,
  projectId,
  source: undefined,
  types: undefined,
});

/** One canonical text for each view. */
export const viewKey = ({ orgId, projectId, source, types }: EventView): string =>
  JSON.stringify(['events', orgId, projectId, source ?? null, types ?? null]);

const cursorView = (view: EventView): CursorView => ({ prefix: 'evc_', kind: 'feed', view: viewKey(view) });

/** Up to where a log has been thinned out by retention: of most events, and of those that are kept longest. */
export interface Floors {
  readonly floor: bigint;
  readonly longFloor: bigint;
}

/** What a cursor says: a place, and for one where the log was thinned out already, how far that had come. */
export interface EventPlace extends Floors {
  readonly position: bigint;
}

/**
 * The cursor that stands right after a position of a view. One below the floor is good as long as nothing more goes:
 * whoever reads what is left there has seen it all.
 */
export function eventCursor(keys: KeyRing, view: EventView, position: bigint, { floor, longFloor }: Floors): string {
  const seen = position < floor ? `.${floor}.${longFloor}` : '';
  return sealCursor(keys, cursorView(view), `${position}${seen}`);
}

/** What a cursor stands for, or undefined for one that this view did not give out. */
export function openEventCursor(keys: KeyRing, view: EventView, given: string): EventPlace | undefined {
  const [position, floor = '0', longFloor = '0'] = openCursor(keys, cursorView(view), given)?.split('.') ?? [];
  if (position === undefined) return undefined;
  return { position: BigInt(position), floor: BigInt(floor), longFloor: BigInt(longFloor) };
}
