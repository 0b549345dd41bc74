import { sql } from '../../../db/drizzle.ts';
import { rooms } from '../../../db/schema/rooms.ts';
import { insertInto, pick, statement } from '../../../db/sql.ts';
import type { RoomScope } from '../../../kernel/access/access.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';

/** Brings the authorised room into being: there is no call to create one, its first write does. Contract 02, 2.0. */
export async function ensureRoom(work: Work & RoomScope): Promise<void> {
  if (!work.room.used) await work.rows(insertStatement.with({ orgId: work.org.id, key: work.room.key }));
}

const insertStatement = statement(
  'rooms.insert',
  { params: pick(rooms, 'orgId', 'key') },
  (given) => sql`${insertInto(rooms, given)} on conflict do nothing`,
);
