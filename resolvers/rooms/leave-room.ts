import { z } from 'zod';
import { checked } from '../../db/checked.ts';
import type { Statement } from '../../db/pool.ts';
import type { Presence } from '../../db/schema/rooms.ts';
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
    const values = [work.org.id, work.room.key, presenceId];
    const [found] = await work.rows<Presence & { readonly wasLive: boolean }>(leaveStatement, [
      ...values,
      await principalOf(work),
    ]);
    if (found === undefined) {
      const [presence = null] = await work.rows<Presence>(presenceStatement, values);
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
const leaveStatement: Statement = {
  name: 'presences.leave',
  text: `update room_presences p set left_at = now(), session_key = null
    where org_id = $1 and id = $3 and ${checked('room_key = $2 and principal_id = $4')} and left_at is null
    returning ${presenceColumns('p')}, expires_at > now() as "wasLive"`,
};
