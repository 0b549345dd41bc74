import { sql } from '../../db/drizzle.ts';
import { events } from '../../db/partitioned/events.ts';
import { appEventKeys, eventFloors, eventKeys } from '../../db/schema/events.ts';
import { orgs } from '../../db/schema/orgs.ts';
import { feedHeads } from '../../db/schema/rooms.ts';
import { pick, setOf, statement, typed } from '../../db/sql.ts';
import type { Context } from '../../kernel/run/context.ts';

/** Events deleted by one statement. */
const batchRows = 1_000;

/**
 * Erases the events of purged organizations, and what remembers them. Deleting a project keeps its events. Contract 02,
 * section 1.4.
 */
export async function erasePurgedEvents(ctx: Context): Promise<void> {
  const { db } = ctx.services;
  for (const { orgId, head } of await db.rows(purgedStatement.with({}))) {
    for (const statement of [eventsStatement, keysStatement, appKeysStatement]) {
      let erased: number;
      do {
        ctx.signal.throwIfAborted();
        erased = (await db.rows<object>(statement.with({ orgId, limit: batchRows }))).length;
      } while (erased === batchRows);
    }
    // Last, since it is what tells that there is something to erase.
    await db.rows(floorStatement.with({ orgId, head }));
  }
}

const purgedStatement = statement(
  'events.of-purged',
  { row: { orgId: orgs.id, head: feedHeads.position } },
  (_none, row) => sql`select ${row} from ${orgs}
    join ${feedHeads} on ${feedHeads.orgId} = ${orgs.id} and ${feedHeads.kind} = 'events'
    where ${orgs.lifecycleState} = 'purged' and ${feedHeads.floor} < ${feedHeads.position}`,
);

const limit = typed<number>('bigint');

const eventsStatement = statement(
  'events.erase',
  { params: { ...pick(events, 'orgId'), limit }, row: pick(events, 'position') },
  ({ orgId, limit }, row) => sql`delete from ${events} where ${events.orgId} = ${orgId} and ${events.position} in (
      select ${events.position} from ${events} where ${events.orgId} = ${orgId} order by ${events.position} limit ${limit})
    returning ${row}`,
);

const keysStatement = statement(
  'events.erase-keys',
  { params: { ...pick(eventKeys, 'orgId'), limit }, row: pick(eventKeys, 'key') },
  ({ orgId, limit }, row) => sql`delete from ${eventKeys} where ${eventKeys.orgId} = ${orgId} and ${eventKeys.key} in (
      select ${eventKeys.key} from ${eventKeys} where ${eventKeys.orgId} = ${orgId} limit ${limit}) returning ${row}`,
);

const appKeysStatement = statement(
  'events.erase-app-keys',
  { params: { ...pick(appEventKeys, 'orgId'), limit }, row: pick(appEventKeys, 'key') },
  ({ orgId, limit }, row) => sql`delete from ${appEventKeys} where (${appEventKeys.projectId}, ${appEventKeys.key}) in (
      select ${appEventKeys.projectId}, ${appEventKeys.key} from ${appEventKeys}
      where ${appEventKeys.orgId} = ${orgId} limit ${limit}) returning ${row}`,
);

// The head stays for good, so that no position is given twice; what came meanwhile is erased the next time.
const floorStatement = statement(
  'events.erase-floor',
  { params: { orgId: feedHeads.orgId, head: feedHeads.position } },
  ({ orgId, head }) => sql`with floors as (delete from ${eventFloors} where ${eventFloors.orgId} = ${orgId})
    update ${feedHeads} ${setOf(feedHeads, { floor: sql`greatest(${feedHeads.floor}, ${head})` })}
    where ${feedHeads.orgId} = ${orgId} and ${feedHeads.kind} = 'events'`,
);
