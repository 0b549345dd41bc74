import { sql } from 'drizzle-orm';
import { ServiceError } from '../../../core/errors.ts';
import { advisoryLock, sharedAdvisoryLock } from '../../../db/advisory-lock.ts';
import { rooms } from '../../../db/schema/rooms.ts';
import { pick, statement } from '../../../db/sql.ts';
import type { RoomScope } from '../../../kernel/access/access.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { roomPath } from './wire.ts';

const lockKey = ({ org, room }: RoomScope) => ({ key: `room-archive:${org.id} ${room.key}` });

/**
 * Whether the room is archived. It stays as it is until the end of the transaction. Ask after `ensureRoom` and before a
 * presence is locked.
 */
export async function isArchived(work: Work & RoomScope): Promise<boolean> {
  // Two statements, since one sees nothing of what it waited for. They travel together.
  const [, [room]] = await Promise.all([
    work.rows(sharedAdvisoryLock.with(lockKey(work))),
    work.rows(archivedStatement.with({ orgId: work.org.id, key: work.room.key })),
  ]);
  return room !== undefined && room.archivedAt !== null;
}

/** Waits for those that add to the room, and has those wait that come later. */
export async function lockForArchiving(work: Work & RoomScope): Promise<void> {
  await work.rows(advisoryLock.with(lockKey(work)));
}

/** The refusal of what would add to an archived room. */
export const roomArchived = ({ org, room }: RoomScope) =>
  new ServiceError('ROOM_ARCHIVED', {
    details: { room_key: room.key },
    nextActions: [{ type: 'unarchive_room', method: 'POST', path: `${roomPath(org.id, room.key)}/unarchive` }],
  });

const archivedStatement = statement(
  'rooms.archived',
  { params: pick(rooms, 'orgId', 'key'), row: pick(rooms, 'archivedAt') },
  ({ orgId, key }, row) => sql`select ${row} from ${rooms} where ${rooms.orgId} = ${orgId} and ${rooms.key} = ${key}`,
);
