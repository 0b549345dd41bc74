import type { Statement } from '../../db/pool.ts';
import { eventsFeedName } from '../../kernel/feeds/append-event.ts';
import type { Feed } from '../../kernel/feeds/feeds.ts';
import { type EventColumns, type EventRow, eventColumns, eventOf, standsAbove } from './read-events.ts';

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
    const rows = await db.rows<EventColumns & { head: bigint }>(sliceStatement, [orgId, after, limit]);
    return {
      head: rows[0]?.head ?? 0n,
      floor: rows[0]?.floor ?? 0n,
      rows: rows.flatMap((row) => eventOf(orgId, row) ?? []),
    };
  },
});

const sliceStatement: Statement = {
  name: 'events.slice',
  // All who follow the log on this node wait for one read.
  timeoutMs: 3_000,
  text: `select h.position as head, h.floor, coalesce(f.position, 0) as "longFloor", ${eventColumns}
    from feed_heads h left join event_floors f on f.org_id = h.org_id
    left join lateral (
      select * from events e where e.org_id = $1 and e.position > $2 and ${standsAbove('h.floor', 'coalesce(f.position, 0)')}
      order by e.position limit $3
    ) e on true
    where h.org_id = $1 and h.kind = 'events' and h.feed_id = 'all'
    order by e.position`,
};
