import { defineErrors, type ErrorRow, row } from '../../../core/error-codes.ts';
import { ServiceError } from '../../../core/errors.ts';
import { type SQL, sql } from '../../../db/drizzle.ts';
import { rooms } from '../../../db/schema/rooms.ts';
import { pick, statement } from '../../../db/sql.ts';
import type { RoomScope } from '../../../kernel/access/access.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { sendsLock } from '../sends-of-day.ts';
import { roomPath } from './wire.ts';

export const archiveErrors = defineErrors({
  ROOM_ARCHIVED: row(
    409,
    'lifecycle',
    'The room is archived. It takes no messages and no claims: unarchive the room first.',
  ),
});

declare module '../../../core/error-codes.ts' {
  interface ErrorRows extends Record<keyof typeof archiveErrors, ErrorRow> {}
}

/**
 * Whether the room is archived. The answer holds until the transaction ends where the caller has asked for
 * {@link holdRoom} or counted its send before: a statement sees nothing of what it waited for, so this is one of its own.
 */
export async function isArchived({ org, room, rows }: Work & RoomScope): Promise<boolean> {
  const [found] = await rows(archivedStatement.with({ orgId: org.id, key: room.key }));
  return found !== undefined && found.archivedAt !== null;
}

/** Keeps the room from being archived until the transaction ends. Ask after `ensureRoom`, before a presence is locked. */
export const holdRoom = ({ org, rows }: Work & RoomScope): Promise<unknown> =>
  rows(holdStatement.with({ orgId: org.id }));

/** Waits for all that adds to rooms of the organization. What comes later waits until the transaction ends. */
export const lockForArchiving = ({ org, rows }: Work & RoomScope): Promise<unknown> =>
  rows(lockStatement.with({ orgId: org.id }));

/** The refusal of a change that would add to an archived room. */
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

const ofOrg = { params: pick(rooms, 'orgId') };
const holdStatement = statement(
  'rooms.hold',
  ofOrg,
  ({ orgId }: { readonly orgId: SQL }) => sql`select from pg_advisory_xact_lock_shared(${sendsLock(orgId)})`,
);
const lockStatement = statement(
  'rooms.lock-for-archiving',
  ofOrg,
  ({ orgId }: { readonly orgId: SQL }) => sql`select from pg_advisory_xact_lock(${sendsLock(orgId)})`,
);
