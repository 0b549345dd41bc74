import { z } from 'zod';
import { type Column, type SQL, sql } from '../../db/drizzle.ts';
import { roomMessages, roomPresences, rooms } from '../../db/schema/rooms.ts';
import { computed } from '../../db/sql.ts';

/** A room as seen from outside. Contract 02, section 2.1. */
export interface RoomSummary {
  readonly orgId: string;
  readonly key: string;
  readonly livePresences: number;
  /** Newest of presence and message activity; null for an unused room. */
  readonly lastActivityAt: Date | null;
  /** Null for a room that takes messages and claims. */
  readonly archivedAt: Date | null;
}

/** The summary of an unused room. */
export const unusedRoom = (address: Pick<RoomSummary, 'orgId' | 'key'>): RoomSummary => ({
  ...address,
  livePresences: 0,
  lastActivityAt: null,
  archivedAt: null,
});

export const RoomSummaryWire = z
  .object({
    org_id: z.uuid(),
    room_key: z.string(),
    project_id: z.string().nullable(),
    live_presences: z.number().int(),
    last_activity_at: z.iso.datetime().nullable(),
    archived_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Room' });

/** The project whose default room it is, or null for a named room. */
export const projectOfRoom = (key: string): string | null => (key.startsWith('prj_') ? key : null);

export const roomToWire = (room: RoomSummary) => ({
  org_id: room.orgId,
  room_key: room.key,
  project_id: projectOfRoom(room.key),
  live_presences: room.livePresences,
  last_activity_at: room.lastActivityAt?.toISOString() ?? null,
  archived_at: room.archivedAt?.toISOString() ?? null,
});

/** Where a statement has the organization and the key of a room. */
export interface RoomPlace {
  readonly orgId: SQL | Column;
  readonly key: SQL | Column;
}

/** How many are live in a room. */
export const liveIn = ({ orgId, key }: RoomPlace) =>
  computed<number>(
    'integer',
    sql`(select count(*)::int from ${roomPresences} where ${roomPresences.orgId} = ${orgId}
      and ${roomPresences.roomKey} = ${key} and ${roomPresences.leftAt} is null and ${roomPresences.expiresAt} > now())`,
  );

/**
 * The newest sign of life in a room. Every one prolongs a presence by the same hour, so the presence that expires last
 * was the last to be active, and the index on that finds it at once.
 */
export const activityIn = ({ orgId, key }: RoomPlace) =>
  computed<Date | null>(
    'timestamp with time zone',
    sql`greatest(
      (select ${roomPresences.lastActive} from ${roomPresences}
        where ${roomPresences.orgId} = ${orgId} and ${roomPresences.roomKey} = ${key}
        order by ${roomPresences.expiresAt} desc limit 1),
      (select ${roomMessages.createdAt} from ${roomMessages}
        where ${roomMessages.orgId} = ${orgId} and ${roomMessages.roomKey} = ${key}
        order by ${roomMessages.seq} desc limit 1))`,
  );

/** Whether a room is archived or not, as is asked for; every room when null is. No index knows: it only sorts out rows. */
export const isArchivedAs = (archived: SQL): SQL =>
  sql`coalesce((${rooms.archivedAt} is not null) = ${archived}::boolean, true)`;

/** The columns of a {@link RoomSummary}, of a statement that has the room's row where there is one. */
export const summaryOf = (place: RoomPlace = rooms) => ({
  orgId: computed<string>('uuid', sql`${place.orgId}`),
  key: computed<string>('text', sql`${place.key}`),
  livePresences: liveIn(place),
  lastActivityAt: activityIn(place),
  archivedAt: rooms.archivedAt,
});
