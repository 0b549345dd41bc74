import { sql } from '../../db/drizzle.ts';
import { isPast } from '../../db/intervals.ts';
import { roomInvites as kept } from '../../db/schema/room-invites.ts';
import { domain } from '../../kernel/run/domain.ts';
import { claimRoomInvite } from './claim-room-invite.ts';
import { roomInviteErrors } from './error-codes.ts';
import { listRoomInvites } from './list-room-invites.ts';
import { mintRoomInvite } from './mint-room-invite.ts';
import { revokeRoomInvite } from './revoke-room-invite.ts';
import { roomInviteActions } from './shared/actions.ts';

export const roomInvites = domain('room-invites', {
  errors: roomInviteErrors,
  actions: roomInviteActions,
  operations: [mintRoomInvite, listRoomInvites, revokeRoomInvite, claimRoomInvite],
  expires: [
    // Who comes late is told so for a while, rather than that there never was such a key.
    { table: kept, when: sql`${isPast(kept.expiresAt, '30 days')} and ${kept.claimedAt} is null` },
  ],
});
