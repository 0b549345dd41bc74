import { invalidField, ServiceError } from '../core/errors.ts';
import type { AuthorityEntry, AuthorityLoss } from '../kernel/access/authority-watch.ts';
import type { Context } from '../kernel/run/context.ts';
import { concerning } from '../kernel/run/correlation.ts';
import { projectOfRoom } from '../resolvers/rooms/room-summary.ts';
import { batches } from './batches.ts';
import { batchMax } from './event-source.ts';
import type { OpenedFeed } from './opened-feed.ts';

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
   * @param open admits the caller; called once, when the first reader begins
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
    let last = position;
    try {
      const either = AbortSignal.any([signal, lost.signal]);
      for await (const { rows } of batches(services.feeds, feed, {
        after: position,
        past,
        signal: either,
        pageSize: batchMax,
      })) {
        // Set back, or in another epoch: what was told before belongs to another past.
        if (rows.length > 0 && feed.positionOf(rows[0]!) <= last) restarted = true;
        if (rows.length > 0) last = feed.positionOf(rows.at(-1)!);
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

/** The refusal for a subscriber whose right has ended. */
export const authorityLost = (reason: AuthorityLoss, revoked: () => ServiceError): ServiceError =>
  reason === 'expired'
    ? new ServiceError('INVALID_AUTH', {
        message: 'The credential has expired.',
        details: { reason: 'token_expired' },
        nextActions: [{ type: 'authenticate', why: 'Refresh the session, and go on from the last cursor.' }],
      })
    : revoked();
