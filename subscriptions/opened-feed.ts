import type { ServiceError } from '../core/errors.ts';
import type { AuthorityEntry } from '../kernel/access/authority-watch.ts';
import type { Feed } from '../kernel/feeds/feeds.ts';

/** A feed that a subscriber was admitted to. */
export interface OpenedFeed<Row, Event> {
  readonly feed: Feed<Row>;
  /** Where following begins. */
  readonly position: bigint;
  /** Where the feed stood when it was opened. */
  readonly head: bigint;
  /** The first event has to say that the cursor could not be used. */
  readonly reset: boolean;
  /** Ends after so many events. @default never */
  readonly first: number | undefined;
  /**
   * Everything an event may depend on besides its row and the arguments, as one canonical string: subscribers with equal
   * documents, variables and audiences share each execution. Fields that depend on the caller are told apart by
   * themselves. Without an audience nothing is shared.
   */
  readonly audience?: string | undefined;
  /** By what right the subscriber goes on. */
  readonly authority: AuthorityEntry;
  /** The refusal for a subscriber that has lost that right. */
  readonly revoked: () => ServiceError;
  /**
   * Which rows are sent. What it depends on besides the row belongs to the audience, unless it is an argument.
   *
   * @default all of them
   */
  readonly selects?: ((row: Row) => boolean) | undefined;
  /**
   * Reads what is selected after a position, oldest first, without looking at all the rest: for who comes from far behind.
   * `upTo` is how far that reaches: the last row of a full page, and where the feed stood of any other.
   */
  readonly past?: ((after: bigint, limit: number) => Promise<PastPage<Row>>) | undefined;
  readonly toEvent: (row: Row, reset: boolean) => Event;
}

export interface PastPage<Row> {
  readonly rows: readonly Row[];
  readonly upTo: bigint;
}
