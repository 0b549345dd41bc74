import { sql } from '../../db/drizzle.ts';
import { isPast } from '../../db/intervals.ts';
import { feedChanges } from '../../db/schema/changes.ts';
import { feedHeads } from '../../db/schema/rooms.ts';
import { computed, namesOf, orNull, pick, type RowOf, setOf, statement, typed } from '../../db/sql.ts';
import { untilNotFull } from '../durability/housekeeping.ts';
import type { FeedAppend } from '../durability/unit-of-work.ts';
import type { Context } from '../run/context.ts';
import { advanceHead } from './advance-head.ts';
import type { Feed, FeedName, FeedSlice } from './feeds.ts';

/** One change of a thing that others may follow. `Change` is plain JSON: the thing as it stood right after. */
export interface ChangeRow<Change> {
  readonly position: bigint;
  readonly objectId: string;
  readonly change: Change;
  readonly createdAt: Date;
}

/** What a row takes in memory besides its JSON; bytes, roughly. */
const rowBytes = 512;

/** Changes of one kind of thing, as a feed. They are kept for {@link changesKeptDays} days. */
export const changeFeed = <Change>(name: FeedName, cursorPrefix: string): Feed<ChangeRow<Change>> => ({
  name,
  cursorPrefix,
  positionOf: ({ position }) => position,
  sizeOf: ({ change }) => rowBytes + 2 * JSON.stringify(change).length,
  fetch: async (db, after, limit) => {
    const rows = await db.rows(sliceStatement.with({ ...name, after, limit }));
    return toSlice<Change>(rows);
  },
});

/** How long changes are kept, in days: as long as a follower may have been away. */
export const changesKeptDays = 7;

/** A change that waits for its position. Give it to `work.append` in the transaction that made the change. */
export const appendChange = (name: FeedName, objectId: string, change: object): FeedAppend => ({
  name,
  ...appendStatement.with({ ...name, objectId, change: JSON.stringify(change) }),
});

// A feed without a change to tell yields its head alone.
const sliceRow = {
  head: feedHeads.position,
  floor: feedHeads.floor,
  ...orNull(pick(feedChanges, 'position', 'objectId', 'change', 'createdAt')),
};

function toSlice<Change>(rows: readonly RowOf<typeof sliceRow>[]): FeedSlice<ChangeRow<Change>> {
  return {
    head: rows[0]?.head ?? 0n,
    floor: rows[0]?.floor ?? 0n,
    rows: rows.filter(({ position }) => position !== null) as unknown as readonly ChangeRow<Change>[],
  };
}

const appendStatement = statement(
  'changes.append',
  {
    params: pick(feedChanges, 'orgId', 'kind', 'feedId', 'objectId', 'change'),
    row: pick(feedChanges, 'position'),
  },
  ({ orgId, kind, feedId, objectId, change }, row) => sql`with head as (
      ${advanceHead({ orgId, kind, feedId })}
    )
    insert into ${feedChanges}
      (${namesOf(...Object.values(pick(feedChanges, 'orgId', 'kind', 'feedId', 'position', 'objectId', 'change')))})
    select ${orgId}, ${kind}, ${feedId}, head.position, ${objectId}, ${change}::jsonb from head
    returning ${row}`,
);

const sliceStatement = statement(
  'changes.slice',
  {
    timeoutMs: 3_000,
    params: {
      ...pick(feedHeads, 'orgId', 'kind', 'feedId'),
      after: typed<bigint>('bigint'),
      limit: typed<number>('bigint'),
    },
    row: sliceRow,
  },
  ({ orgId, kind, feedId, after, limit }, row) => sql`select ${row}
    from ${feedHeads}
    left join lateral (
      select ${feedChanges}.* from ${feedChanges}
      where ${feedChanges.orgId} = ${orgId} and ${feedChanges.kind} = ${kind} and ${feedChanges.feedId} = ${feedId}
        and ${feedChanges.position} > greatest(${after}, ${feedHeads.floor})
      order by ${feedChanges.position} limit ${limit}
    ) ${feedChanges} on true
    where ${feedHeads.orgId} = ${orgId} and ${feedHeads.kind} = ${kind} and ${feedHeads.feedId} = ${feedId}
    order by ${feedChanges.position}`,
);

/** Old changes that one statement looks at. */
const changesBatch = 1_000;

const c = feedChanges;
const h = feedHeads;

const pruneStatement = statement(
  'changes.prune',
  {
    row: {
      looked: computed<number>(
        'integer',
        sql`case when exists (select from gone) then (select count(*) from oldest) else 0 end::int`,
      ),
    },
  },
  (_none, row) => sql`with oldest as materialized (
      select ${namesOf(c.orgId, c.kind, c.feedId, c.position)} from ${c}
      where ${isPast(c.createdAt, `${changesKeptDays} days`)}
      order by ${c.createdAt} limit ${sql.raw(String(changesBatch))}
    ), old as (
      select org_id, kind, feed_id, max(position) as upto from oldest group by 1, 2, 3
    ), heads as materialized (
      select old.*, at.ctid from old cross join lateral (
        select ctid from ${h} where ${h.orgId} = old.org_id and ${h.kind} = old.kind and ${h.feedId} = old.feed_id limit 1
        for update skip locked
      ) at
    ), floors as (
      update ${h} ${setOf(h, { floor: sql`greatest(${h.floor}, heads.upto)` })} from heads
      where ${h}.ctid = heads.ctid returning ${h.orgId}, ${h.kind}, ${h.feedId}, ${h.floor}
    ), gone as (
      delete from ${c} using floors f
      where ${c.orgId} = f.org_id and ${c.kind} = f.kind and ${c.feedId} = f.feed_id and ${c.position} <= f.floor
      returning 1
    )
    select ${row}`,
);

/**
 * Removes changes that are older than {@link changesKeptDays} days, in batches, and raises the floors of their feeds in the
 * same statement, so that a caller with an older cursor learns to begin anew. Positions follow the commits, moments the
 * beginnings of transactions: the floor is the highest position looked at, and all below it goes.
 *
 * Each head is looked up by itself: reading all heads would cost more as an installation grows. Appenders wait for a batch
 * at most, and a batch waits for no appender: it leaves out what is being appended to, so that the two never wait for each
 * other.
 */
export const pruneChanges = (ctx: Context): Promise<void> =>
  untilNotFull({ ctx }, changesBatch, async () => (await ctx.services.db.rows(pruneStatement.with({})))[0]!.looked);
