import { sql } from '../../db/drizzle.ts';
import { computed, from, statement, typed } from '../../db/sql.ts';
import { eventsFeedName } from '../../kernel/feeds/append-event.ts';
import type { Feed } from '../../kernel/feeds/feeds.ts';
import { type EventRow, e, eventColumns, eventOf, f, h, isLog, standsAbove } from './read-events.ts';

/** What an event takes in memory besides its payload; bytes, roughly. */
const rowBytes = 1_024;

/**
 * All events of an organization as a feed: whatever its followers view, they are read once. What is left below the floor
 * is read, too, and is not dense there.
 */
export const eventsFeed = (orgId: string): Feed<EventRow> => ({
  name: eventsFeedName(orgId),
  cursorPrefix: 'evc_',
  positionOf: ({ position }) => position,
  sizeOf: ({ payload }) => rowBytes + 2 * JSON.stringify(payload).length,
  fetch: async (db, after, limit) => {
    const rows = await db.rows(sliceStatement.with({ orgId, after, limit }));
    return {
      head: rows[0]?.head ?? 0n,
      floor: rows[0]?.floor ?? 0n,
      rows: rows.flatMap((row) => eventOf(orgId, row) ?? []),
    };
  },
});

const longFloor = sql`coalesce(${f.position}, 0)`;

const sliceStatement = statement(
  'events.slice',
  {
    params: { orgId: h.orgId, after: e.position, limit: typed<number>('bigint') },
    row: { head: h.position, floor: h.floor, longFloor: computed<bigint>('bigint', longFloor), ...eventColumns },
    // All who follow the log on this node wait for one read.
    timeoutMs: 3_000,
  },
  ({ orgId, after, limit }, row) => sql`select ${row}
    from ${from(h)} left join ${from(f)} on ${f.orgId} = ${h.orgId}
    left join lateral (
      select * from ${from(e)} where ${e.orgId} = ${orgId} and ${e.position} > ${after}
        and ${standsAbove(sql`${h.floor}`, longFloor)}
      order by ${e.position} limit ${limit}
    ) e on true
    where ${isLog(orgId)}
    order by ${e.position}`,
);
