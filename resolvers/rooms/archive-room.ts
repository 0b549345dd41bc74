import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { rooms } from '../../db/schema/rooms.ts';
import { pick, setOf, statement } from '../../db/sql.ts';
import { onRoom, type RoomScope } from '../../kernel/access/access.ts';
import { actions } from '../../kernel/access/permissions.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { appendEvent } from '../../kernel/feeds/append-event.ts';
import { event, events } from '../../kernel/feeds/event-types.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { readRoom } from './get-room.ts';
import { projectOfRoom, type RoomSummary, RoomSummaryWire, roomToWire, summaryOf } from './room-summary.ts';
import { archiveErrors, isArchived, lockForArchiving } from './shared/archived.ts';
import { ensureRoom } from './shared/ensure-room.ts';
import { principalOf } from './shared/presence.ts';
import { roomAddress } from './shared/room-input.ts';
import { roomPath } from './shared/wire.ts';

/** A room after a call that archives or unarchives it. */
export interface ArchivedRoom {
  readonly room: RoomSummary;
  /** False: the room already was in that state, and nothing was written. */
  readonly changed: boolean;
}

/** Both events name the room and the principal. */
const changeOfRoom = event({
  class: 'coordination',
  level: 'any',
  payload: z.object({ room_key: z.string(), principal_id: z.string() }),
  nextActions: ({ orgId, payload }) => [{ type: 'read_room', method: 'GET', path: roomPath(orgId, payload.room_key) }],
});

const archiveActions = actions({ 'room:archive': { role: 'developer' } });

const archiveEvents = events({ room_archived: changeOfRoom });
const unarchiveEvents = events({ room_unarchived: changeOfRoom });

/** What both operations have in common. */
const ofRoom = {
  effects: ['idempotent'],
  access: onRoom(archiveActions['room:archive']),
  input: z.object(roomAddress),
  wire: RoomSummaryWire,
  toWire: ({ room }: ArchivedRoom) => roomToWire(room),
} as const;

/** `POST /orgs/v1/:org_id/rooms/:room_key/archive`. */
export const archiveRoom = mutation({
  ...ofRoom,
  name: 'rooms.archive',
  tool: 'archive_room',
  command: 'rooms archive',
  path: 'POST /orgs/v1/:org_id/rooms/:room_key/archive',
  summary: 'Archive a room: it stays readable, and takes no messages and no claims until it is unarchived.',
  own: { actions: archiveActions, errors: archiveErrors, events: archiveEvents },
  async handler(work): Promise<ArchivedRoom> {
    await ensureRoom(work);
    // The lock holds up every send of the organization, so a repetition takes none.
    if (!(await isArchived(work))) await lockForArchiving(work);
    return changed(work, archiveStatement, archiveEvents.room_archived);
  },
  audit: ({ room, changed }) =>
    changed ? { action: 'room.archived', object: { kind: 'room', id: room.key } } : undefined,
});

/** `POST /orgs/v1/:org_id/rooms/:room_key/unarchive`. */
export const unarchiveRoom = mutation({
  ...ofRoom,
  name: 'rooms.unarchive',
  tool: 'unarchive_room',
  command: 'rooms unarchive',
  path: 'POST /orgs/v1/:org_id/rooms/:room_key/unarchive',
  summary: 'Unarchive a room: it takes messages and claims again.',
  own: { events: unarchiveEvents },
  handler: (work) => changed(work, unarchiveStatement, unarchiveEvents.room_unarchived),
  audit: ({ room, changed }) =>
    changed ? { action: 'room.unarchived', object: { kind: 'room', id: room.key } } : undefined,
});

/** Changes the room and appends the event. A room that is in that state already stays as it is. */
async function changed(
  work: Work & RoomScope,
  change: typeof archiveStatement,
  type: typeof archiveEvents.room_archived,
): Promise<ArchivedRoom> {
  const address = { orgId: work.org.id, key: work.room.key };
  const [room] = await work.rows(change.with(address));
  if (room === undefined) return { room: await readRoom(work.rows, address), changed: false };
  const payload = { room_key: room.key, principal_id: await principalOf(work) };
  work.append(appendEvent({ orgId: room.orgId, projectId: projectOfRoom(room.key), type, payload }));
  return { room, changed: true };
}

const archiveStatement = statement(
  'rooms.archive',
  { params: pick(rooms, 'orgId', 'key'), row: summaryOf() },
  ({ orgId, key }, row) => sql`update ${rooms} ${setOf(rooms, { archivedAt: sql`now()` })}
    where ${rooms.orgId} = ${orgId} and ${rooms.key} = ${key} and ${rooms.archivedAt} is null returning ${row}`,
);

const unarchiveStatement = statement(
  'rooms.unarchive',
  { params: pick(rooms, 'orgId', 'key'), row: summaryOf() },
  ({ orgId, key }, row) => sql`update ${rooms} ${setOf(rooms, { archivedAt: sql`null` })}
    where ${rooms.orgId} = ${orgId} and ${rooms.key} = ${key} and ${rooms.archivedAt} is not null returning ${row}`,
);
