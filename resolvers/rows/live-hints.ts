import type { Context } from '../context.ts';
import type { RowCaller } from './open-door.ts';

/** What changed in a live table: never the rows. Contract 01, section 4.4. */
export interface LiveHint {
  readonly table: string;
  readonly op: 'insert' | 'update' | 'delete';
  /** Primary keys; null when the hint is for the whole table. */
  readonly pk: readonly Readonly<Record<string, unknown>>[] | null;
  readonly n: number;
}

/** One thing that a follower is told: a change, or that it may have missed some and has to read anew. */
export interface LiveEvent {
  /** Where to resume. */
  readonly cursor: string;
  readonly hint: LiveHint | null;
  /** Why the follower has to read anew; null for a change. */
  readonly resync: string | null;
}

/** Whom hints are for, and of what. */
export interface LiveFollowing {
  readonly caller: RowCaller;
  readonly tables: readonly string[];
  /** Cursor to resume after; undefined: from now on. */
  readonly after: string | undefined;
}

/**
 * Follows the live tables of a project, for as long as `ctx.signal` lets it and the caller's right lasts.
 *
 * @throws TABLE_NOT_LIVE, AUTH_REQUIRED, LIVE_CONNECTION_LIMIT before the first event; the refusal of a right that ended
 */
export type LiveHints = (ctx: Context, following: LiveFollowing) => AsyncIterable<LiveEvent>;
