import { z } from 'zod';

/** A room as seen from outside. Contract 02, section 2.1. */
export interface RoomSummary {
  readonly orgId: string;
  readonly key: string;
  readonly livePresences: number;
  /** Newest of presence and message activity; null for a room nobody has used. */
  readonly lastActivityAt: Date | null;
}

export const RoomSummaryWire = z.object({
  org_id: z.uuid(),
  room_key: z.string(),
  project_id: z.string().nullable(),
  live_presences: z.number().int(),
  last_activity_at: z.iso.datetime().nullable(),
});

/** The project whose default room it is, or null for a named room. */
export const projectOfRoom = (key: string): string | null => (key.startsWith('prj_') ? key : null);

export const roomToWire = (room: RoomSummary) => ({
  org_id: room.orgId,
  room_key: room.key,
  project_id: projectOfRoom(room.key),
  live_presences: room.livePresences,
  last_activity_at: room.lastActivityAt?.toISOString() ?? null,
});

/** Who is live in rooms `r (org_id, key)`. */
export const liveColumn = `(
    select count(*)::int from room_presences p
    where p.org_id = r.org_id and p.room_key = r.key and p.left_at is null and p.expires_at > now()
  ) as "livePresences"`;

/**
 * The newest sign of life in rooms `r (org_id, key)`. Every one prolongs a presence by the same hour, so the presence
 * that expires last was the last to be active, and the index on that finds it at once.
 */
export const activityColumn = `greatest(
    (select p.last_active from room_presences p where p.org_id = r.org_id and p.room_key = r.key
      order by p.expires_at desc limit 1),
    (select m.created_at from room_messages m where m.org_id = r.org_id and m.room_key = r.key order by m.seq desc limit 1)
  ) as "lastActivityAt"`;

/** Summaries of rooms `r (org_id, key)`. */
export const summaryColumns = `r.org_id as "orgId", r.key, ${liveColumn}, ${activityColumn}`;
