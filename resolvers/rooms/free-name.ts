import { checked } from '../../db/checked.ts';
import { type SQL, sql } from '../../db/drizzle.ts';
import { roomPresences } from '../../db/schema/rooms.ts';
import { computed, pick, statement } from '../../db/sql.ts';
import type { RoomScope } from '../../kernel/access/access.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';

/** A wanted name, or with the first number that is free in the room: `Atlas`, `Atlas-2`, `Atlas-3` and on. */
export async function freeName(work: Work & RoomScope, wanted: string): Promise<string> {
  const [found] = await work.rows(freeStatement.with({ orgId: work.org.id, roomKey: work.room.key, name: wanted }));
  return found === undefined ? wanted : `${wanted}-${found.number}`;
}

// Folded by the database, as the unique index does it: another notion of letter case would look for ever.
const taken = ({ orgId, roomKey }: { readonly orgId: SQL; readonly roomKey: SQL }, name: SQL): SQL =>
  sql`exists (select from ${roomPresences} where ${roomPresences.orgId} = ${orgId}
    and (lower(${roomPresences.name}) collate "C") = ${name} and ${checked(sql`${roomPresences.roomKey} = ${roomKey}`)})`;

/**
 * Looks a name up at a time, each in the unique index of names: however many are taken, a few dozen. `taken` is the last
 * number known to be taken (1 is the name alone), `free` the first known to be free. It doubles until it finds a free
 * one, and halves what is between: so it is the next number where all before are taken, and where somebody has taken a
 * higher one by its full name, some number whose forerunner is taken.
 */
export const freeStatement = statement(
  'presences.free-name',
  {
    params: pick(roomPresences, 'orgId', 'roomKey', 'name'),
    row: { number: computed<bigint>('bigint', sql`free`) },
  },
  ({ name, ...room }, row) => sql`with recursive search (taken, free) as (
      select 1::bigint, null::bigint where ${taken(room, sql`lower(${name})`)}
      union all
      select case when t.is then s.probe else s.taken end, case when t.is then s.free else s.probe end
      from (select *, coalesce((taken + free) / 2, taken * 2) as probe from search where free is null or free - taken > 1) s
      cross join lateral (select ${taken(room, sql`lower(${name}) || '-' || s.probe`)} as is) t
    )
    select ${row} from search where free - taken = 1`,
);
