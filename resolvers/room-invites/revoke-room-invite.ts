import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { isUuid } from '../../core/ids.ts';
import { checked } from '../../db/checked.ts';
import { alias, sql } from '../../db/drizzle.ts';
import { roomInvites } from '../../db/schema/room-invites.ts';
import { computed, from, pick, setOf, statement } from '../../db/sql.ts';
import { onRoom } from '../../kernel/access/access.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { lockOrgFor } from '../orgs/shared/lock-org.ts';
import { roomAddress } from '../rooms/shared/room-input.ts';
import { roomInviteActions } from './shared/actions.ts';
import { inviteColumns, type ShownInvite } from './wire.ts';

/** `DELETE /orgs/v1/:org_id/rooms/:room_key/invites/:invite_id`. Contract 02, section 2.8. */
export const revokeRoomInvite = mutation({
  name: 'rooms.revokeInvite',
  tool: 'revoke_room_invite',
  command: 'rooms invite-revoke',
  effects: ['destructive', 'idempotent'],
  summary: 'Take back a key, also an expired one; again, it changes nothing.',
  access: onRoom(roomInviteActions['room:invite']),
  input: z.object({ ...roomAddress, invite: z.string().max(64).describe('Key, by its id.') }),
  async handler(work, { invite: id }): Promise<ShownInvite & { readonly changed: boolean }> {
    const { org, room } = work;
    await lockOrgFor(work, org.id, roomInviteActions['room:invite']);
    const named = { orgId: org.id, roomKey: room.key, id };
    const [invite] = isUuid(id) ? await work.rows(revokeStatement.with(named)) : [];
    if (invite === undefined) throw new ServiceError('RESOURCE_NOT_FOUND', { details: { invite_id: id } });
    return invite;
  },
  audit: ({ id, roomKey, changed }) =>
    changed
      ? { action: 'room_invite.revoked', object: { kind: 'room_invite', id }, details: { room_key: roomKey } }
      : undefined,
  wire: z.object({ invite_id: z.uuid(), revoked: z.literal(true) }),
  toWire: ({ id }) => ({ invite_id: id, revoked: true as const }),
});

const before = alias(roomInvites, 'before');

const revokeStatement = statement(
  'room-invites.revoke',
  {
    params: pick(roomInvites, 'orgId', 'roomKey', 'id'),
    row: { ...inviteColumns, changed: computed<boolean>('boolean', sql`${before.revokedAt} is null`) },
  },
  ({ orgId, roomKey, id }, row) => sql`update ${roomInvites}
    ${setOf(roomInvites, { revokedAt: sql`coalesce(${roomInvites.revokedAt}, now())` })} from ${from(before)}
    where ${roomInvites.orgId} = ${orgId} and ${roomInvites.id} = ${id}
      and ${checked(sql`${roomInvites.roomKey} = ${roomKey}`)} and ${before.orgId} = ${orgId} and ${before.id} = ${id}
    returning ${row}`,
);
