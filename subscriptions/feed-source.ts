import { invalidField, ServiceError } from '../core/errors.ts';
import type { AuthorityEntry, AuthorityLoss } from '../resolvers/authority-watch.ts';
import type { Context } from '../resolvers/context.ts';
import type { Feed } from '../resolvers/feeds.ts';
import { concerning } from '../resolvers/incidents/correlation.ts';
import { projectOfRoom } from '../resolvers/rooms/room-summary.ts';
import { batchMax } from './audience.ts';
import { batches } from './batches.ts';

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
   * documents, variables and audiences share each execution. Fields that ask who the caller is are told apart by
   * themselves. Without an audience nothing is shared.
   */
  readonly audience?: string | undefined;
  /** By what right the subscriber goes on. */
  readonly authority: AuthorityEntry;
  /** The refusal of whoever has lost that right. */
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

/**
 * What a subscription field returns: events of a feed for one subscriber. Iterated, it follows the feed by itself; a
 * transport that serves many asks for it to be opened, and follows once for all.
 */
export class FeedSource<Row, Event> implements AsyncIterable<Event> {
  readonly #ctx: Context;
  readonly #first: number | undefined;
  readonly #open: () => Promise<Omit<OpenedFeed<Row, Event>, 'first'>>;

  /**
   * @param first ends it after so many events; undefined: never
   * @param open admits the caller; called once, when somebody begins to read
   */
  constructor(ctx: Context, first: number | undefined, open: () => Promise<Omit<OpenedFeed<Row, Event>, 'first'>>) {
    this.#ctx = ctx;
    this.#first = first;
    this.#open = open;
  }

  /** @throws VALIDATION_FAILED for a `first` below one, and the refusal of a caller that may not read the feed */
  async open(): Promise<OpenedFeed<Row, Event>> {
    const first = this.#first;
    if (first !== undefined && first < 1) throw invalidField('first', 'must be at least 1');
    return { ...(await this.#open()), first };
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Event, void, undefined> {
    const { services, signal } = this.#ctx;
    const { feed, position, reset, first, authority, revoked, selects, past, toEvent } = await this.open();
    const lost = new AbortController();
    const unwatch = services.authority.watch(authority, (reason) => lost.abort(reason));
    let left = first ?? Number.POSITIVE_INFINITY;
    let restarted = reset;
    try {
      const either = AbortSignal.any([signal, lost.signal]);
      for await (const { rows } of batches(services.feeds, feed, {
        after: position,
        past,
        signal: either,
        pageSize: batchMax,
      })) {
        for (const row of rows) {
          if (selects?.(row) === false) continue;
          yield toEvent(row, restarted);
          restarted = false;
          if (--left === 0) return;
          if (lost.signal.aborted) break;
        }
      }
      if (lost.signal.aborted) throw authorityLost(lost.signal.reason, revoked);
    } catch (error) {
      throw concerning(error, projectFollowed(authority));
    } finally {
      unwatch();
    }
  }
}

/** The project that is followed by a right, in its events or its room; a fault that ends it may be that project's. */
export const projectFollowed = ({ inProject, roomKey }: AuthorityEntry): string | undefined =>
  inProject?.id ?? (roomKey === undefined ? undefined : (projectOfRoom(roomKey) ?? undefined));

/** What a subscriber is told whose right has ended. */
export const authorityLost = (reason: AuthorityLoss, revoked: () => ServiceError): ServiceError =>
  reason === 'expired'
    ? new ServiceError('INVALID_AUTH', { message: 'The credential has expired.', details: { reason: 'expired' } })
    : revoked();
