import { claimRoomInvite } from '../resolvers/room-invites/claim-room-invite.ts';
import { listRoomInvites } from '../resolvers/room-invites/list-room-invites.ts';
import { mintRoomInvite } from '../resolvers/room-invites/mint-room-invite.ts';
import { revokeRoomInvite } from '../resolvers/room-invites/revoke-room-invite.ts';
import { route } from './route.ts';

const invites = '/orgs/v1/:org_id/rooms/:room_key/invites';

/** Older clients say `claim`, newer ones `redeem`. */
const claim = (verb: 'claim' | 'redeem') =>
  route('POST', `/rooms/v1/invites/:invite_id/${verb}`, 200, claimRoomInvite, {}, { withoutCredential: true });

/** Paths of the keys that rooms are joined by. Contract 02, section 2.8. */
export const roomInviteRoutes = [
  route('POST', invites, 201, mintRoomInvite),
  route('GET', invites, 200, listRoomInvites),
  route('DELETE', `${invites}/:invite_id`, 200, revokeRoomInvite),
  claim('claim'),
  claim('redeem'),
];
