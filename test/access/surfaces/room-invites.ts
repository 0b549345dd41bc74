import { createHash, randomUUID } from 'node:crypto';
import type { Stage, Surfaces } from './surface.ts';

const secret = Buffer.alloc(32, 7);
const authHash = createHash('sha256').update('svc/room-invite/auth-hash/v1').update(secret).digest('hex');

export const roomInviteSurfaces = ({ service, params }: Stage): Surfaces => {
  const address = () => `org: "${params.org_id}", room: "${params.room_key}"`;
  const invites = '/orgs/v1/:org_id/rooms/:room_key/invites';
  const fresh = async () => {
    // So many may be open, and no more.
    await service.control.sql('delete from room_invites where org_id = $1', [params.org_id]);
    return { new_invite_id: randomUUID() };
  };
  const open = async () => {
    const id = randomUUID();
    await service.control.sql(
      `insert into room_invites (org_id, id, room_key, auth_hash, created_by, expires_at)
       values ($1, $2, $3, $4, 'prn_somebody', now() + interval '1 hour')`,
      [params.org_id, id, params.room_key, authHash],
    );
    return { invite_id: id };
  };
  // Whoever holds the key is asked to pay, whatever else the request brings.
  const redeem = {
    cells: '$ $ $ $ $ $ $ $',
    prepare: open,
    body: () => ({ auth_secret: secret.toString('base64url') }),
  };
  return {
    [`POST ${invites}`]: {
      audited: {
        action: 'room_invite.minted',
        kind: 'room_invite',
        objectId: 'invite_id',
        written: 'select xmin::text from room_invites where id = $1',
      },
      cells: 'A + + F N F A F',
      prepare: fresh,
      body: () => ({ invite_id: params.new_invite_id, auth_hash: authHash }),
      field: () =>
        `mutation { mintRoomInvite(input: { ${address()}, inviteId: "${params.new_invite_id}", authHash: "${authHash}" }) { inviteId } }`,
    },
    [`GET ${invites}`]: {
      cells: 'A + + + N F A F',
      field: () => `{ roomInvites(${address()}) { edges { cursor } } }`,
    },
    [`DELETE ${invites}/:invite_id`]: {
      audited: {
        action: 'room_invite.revoked',
        kind: 'room_invite',
        objectId: 'invite_id',
        written: 'select xmin::text from room_invites where id = $1',
      },
      cells: 'A + + F N F A F',
      prepare: open,
      field: () => `mutation { revokeRoomInvite(input: { ${address()}, invite: "${params.invite_id}" }) { inviteId } }`,
    },
    'POST /rooms/v1/invites/:invite_id/claim': redeem,
    'POST /rooms/v1/invites/:invite_id/redeem': redeem,
  };
};
