import { z } from 'zod';
import { checked } from '../../db/checked.ts';
import { sql } from '../../db/drizzle.ts';
import { type Presence, roomPresences } from '../../db/schema/rooms.ts';
import { computed, pick, setOf, statement } from '../../db/sql.ts';
import { onRoom } from '../../kernel/access/access.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { freeClaims } from './claims/free-claims.ts';
import { presenceColumns } from './presence-columns.ts';
import { presenceChanged } from './presence-feed.ts';
import { roomActions } from './shared/actions.ts';
import { presenceStatement, principalOf } from './shared/presence.ts';
import { roomAddress } from './shared/room-input.ts';

export interface Leaving {
  readonly presenceId: string;
  /** The presence as it is now; null where the room has none of that id. */
  readonly presence: Presence | null;
  /** Whether it was there, and this call ended it. */
  readonly left: boolean;
  /** Whether anything was written: one that had expired is ended, too, so that nothing brings it back. */
  readonly changed: boolean;
}

/** `DELETE /orgs/v1/:org_id/rooms/:room_key/presences/:presence_id`. Contract 02, section 2.3. */
export const leaveRoom = mutation({
  name: 'rooms.leave',
  tool: 'leave_room',
  command: 'rooms leave',
  effects: ['destructive', 'idempotent'],
  summary: 'Leave a room for good: a presence of the caller ends, and its claims are free.',
  access: onRoom(roomActions['room:write']),
  input: z.object({ ...roomAddress, presence: z.string().max(64).describe('Presence that leaves, `prs_…`.') }),
  async handler(work, { presence: presenceId }): Promise<Leaving> {
    const named = { orgId: work.org.id, roomKey: work.room.key, id: presenceId };
    const [found] = await work.rows(leaveStatement.with({ ...named, principalId: await principalOf(work) }));
    if (found === undefined) {
      const [presence = null] = await work.rows(presenceStatement.with(named));
      return { presenceId, presence, left: false, changed: false };
    }
    const { wasLive, ...presence } = found;
    work.append(presenceChanged(presence));
    // Asked once the presence is locked, so that a claim which was being made by it meanwhile is seen.
    await freeClaims(work, presence);
    return { presenceId, presence, left: wasLive, changed: true };
  },
  audit: ({ presenceId, changed }) =>
    changed ? { action: 'presence.left', object: { kind: 'presence', id: presenceId } } : undefined,
  wire: z.object({ presence_id: z.string(), left: z.boolean() }),
  toWire: ({ presenceId, left }) => ({ presence_id: presenceId, left }),
});

// What it was prolonged to stays, so that it still tells when the presence was last active.
const leaveStatement = statement(
  'presences.leave',
  {
    params: pick(roomPresences, 'orgId', 'roomKey', 'id', 'principalId'),
    row: { ...presenceColumns, wasLive: computed<boolean>('boolean', sql`${roomPresences.expiresAt} > now()`) },
  },
  ({ orgId, roomKey, id, principalId }, row) =>
    sql`update ${roomPresences} ${setOf(roomPresences, { leftAt: sql`now()`, sessionKey: sql`null` })}
      where ${roomPresences.orgId} = ${orgId} and ${roomPresences.id} = ${id}
        and ${checked(sql`${roomPresences.roomKey} = ${roomKey} and ${roomPresences.principalId} = ${principalId}`)}
        and ${roomPresences.leftAt} is null
      returning ${row}`,
);
