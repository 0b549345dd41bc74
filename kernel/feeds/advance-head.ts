import { type SQL, sql } from '../../db/drizzle.ts';
import { feedHeads } from '../../db/schema/rooms.ts';
import { excluded, insertInto, namesOf, setOf } from '../../db/sql.ts';

/**
 * Takes positions of a feed, for a `with` of the statement that fills them; it answers the newest as `position`. The head is
 * locked until the commit, so positions become visible in order and none is skipped.
 *
 * @param count how many. @default one
 */
export const advanceHead = (name: Readonly<Record<'orgId' | 'kind' | 'feedId', SQL>>, count = sql`1`): SQL =>
  sql`${insertInto(feedHeads, { ...name, position: count })}
      on conflict (${namesOf(feedHeads.orgId, feedHeads.kind, feedHeads.feedId)})
        do update ${setOf(feedHeads, { position: sql`${feedHeads.position} + ${excluded(feedHeads.position)}` })}
      returning ${feedHeads.position}`;
