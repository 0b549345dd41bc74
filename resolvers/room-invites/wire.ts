import { z } from 'zod';
import { type SQL, sql } from '../../db/drizzle.ts';
import { type RoomInvite, roomInvites } from '../../db/schema/room-invites.ts';
import { allOf } from '../../db/sql.ts';

/** A key as it is shown: by what it leads to, never by what opens it. */
export type ShownInvite = Omit<RoomInvite, 'authHash'>;

/** The columns of a {@link ShownInvite}. */
export const inviteColumns = allOf(roomInvites, ['authHash']);

/** The keys of a room that can still be redeemed. */
export const isOpen = ({ orgId, roomKey }: { readonly orgId: SQL; readonly roomKey: SQL }): SQL =>
  sql`${roomInvites.orgId} = ${orgId} and ${roomInvites.roomKey} = ${roomKey} and ${roomInvites.revokedAt} is null
    and ${roomInvites.claimedAt} is null and ${roomInvites.expiresAt} > now()`;

export const inviteKind = 'room';
export const inviteRole = 'viewer';

/** Contract 02, section 2.8. */
export const RoomInviteWire = z
  .object({
    invite_id: z.uuid(),
    kind: z.literal('room'),
    role: z.literal('viewer'),
    room: z.object({ org_id: z.uuid(), room_key: z.string() }),
    note: z.string().nullable(),
    expires_at: z.iso.datetime(),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'RoomInvite' });

export const roomInviteToWire = (invite: ShownInvite): z.infer<typeof RoomInviteWire> => ({
  invite_id: invite.id,
  kind: inviteKind,
  role: inviteRole,
  room: { org_id: invite.orgId, room_key: invite.roomKey },
  note: invite.note,
  expires_at: invite.expiresAt.toISOString(),
  created_at: invite.createdAt.toISOString(),
});
