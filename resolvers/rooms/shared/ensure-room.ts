import type { Statement } from '../../../db/pool.ts';
import type { RoomScope } from '../../../kernel/access/access.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';

/** Brings the authorised room into being: there is no call to create one, its first write does. Contract 02, 2.0. */
export async function ensureRoom(work: Work & RoomScope): Promise<void> {
  if (!work.room.used) await work.rows(insertStatement, [work.org.id, work.room.key]);
}

const insertStatement: Statement = {
  name: 'rooms.insert',
  text: 'insert into rooms (org_id, key) values ($1, $2) on conflict do nothing',
};
