import { claimRoomInvite } from '../resolvers/room-invites/claim-room-invite.ts';
import { listRoomInvites } from '../resolvers/room-invites/list-room-invites.ts';
import { mintRoomInvite } from '../resolvers/room-invites/mint-room-invite.ts';
import { revokeRoomInvite } from '../resolvers/room-invites/revoke-room-invite.ts';
import { type RestRequest, route } from './route.ts';

const invites = '/orgs/v1/:org_id/rooms/:room_key/invites';

const address = ({ params }: RestRequest) => ({ org: params.org_id, room: params.room_key });

/** Older clients say `claim`, newer ones `redeem`. */
const claim = (verb: 'claim' | 'redeem') =>
  route(
    'POST',
    `/rooms/v1/invites/:invite_id/${verb}`,
    200,
    claimRoomInvite,
    ({ params, body }) => ({
      invite: params.invite_id,
      auth_secret: body.auth_secret,
      requested_name: body.requested_name,
      task: body.task,
      program: body.program,
      model: body.model,
      session_key: body.session_key,
    }),
    { withoutCredential: true },
  );

/** Paths of the keys that rooms are joined by. Contract 02, section 2.8. */
export const roomInviteRoutes = [
  route('POST', invites, 201, mintRoomInvite, (request) => ({
    ...address(request),
    invite_id: request.body.invite_id,
    auth_hash: request.body.auth_hash,
    note: request.body.note,
    inviter_presence_id: request.body.inviter_presence_id,
    expires_in_seconds: request.body.expires_in_seconds,
  })),
  route('GET', invites, 200, listRoomInvites, address),
  route('DELETE', `${invites}/:invite_id`, 200, revokeRoomInvite, (request) => ({
    ...address(request),
    invite: request.params.invite_id,
  })),
  claim('claim'),
  claim('redeem'),
];
