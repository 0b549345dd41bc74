import type { Statement } from '../../db/pool.ts';
import type { Context } from '../../kernel/run/context.ts';

/** Events deleted by one statement. */
const batchRows = 1_000;

/**
 * Erases the events of purged organizations, and what remembers them. Deleting a project keeps its events. Contract 02,
 * section 1.4.
 */
export async function erasePurgedEvents(ctx: Context): Promise<void> {
  const { db } = ctx.services;
  for (const { orgId, head } of await db.rows<{ orgId: string; head: bigint }>(purgedStatement, [])) {
    for (const statement of [eventsStatement, keysStatement, appKeysStatement]) {
      let erased: number;
      do {
        ctx.signal.throwIfAborted();
        erased = (await db.rows(statement, [orgId, batchRows])).length;
      } while (erased === batchRows);
    }
    // Last, since it is what tells that there is something to erase.
    await db.rows(floorStatement, [orgId, head]);
  }
}

const purgedStatement: Statement = {
  name: 'events.of-purged',
  text: `select o.id as "orgId", h.position as head from orgs o join feed_heads h on h.org_id = o.id and h.kind = 'events'
    where o.lifecycle_state = 'purged' and h.floor < h.position`,
};

const eventsStatement: Statement = {
  name: 'events.erase',
  text: `delete from events where org_id = $1 and position in (
      select position from events where org_id = $1 order by position limit $2) returning position`,
};

const keysStatement: Statement = {
  name: 'events.erase-keys',
  text: `delete from event_keys where org_id = $1 and key in (
      select key from event_keys where org_id = $1 limit $2) returning key`,
};

const appKeysStatement: Statement = {
  name: 'events.erase-app-keys',
  text: `delete from app_event_keys where (project_id, key) in (
      select project_id, key from app_event_keys where org_id = $1 limit $2) returning key`,
};

// The head stays for good, so that no position is given twice; what came meanwhile is erased the next time.
const floorStatement: Statement = {
  name: 'events.erase-floor',
  text: `with floors as (delete from event_floors where org_id = $1)
    update feed_heads set floor = greatest(floor, $2) where org_id = $1 and kind = 'events'`,
};
