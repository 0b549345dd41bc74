import type { Stage, Surfaces } from './surface.ts';

/** What is claimed in rooms, and who leaves them. */
export const claimSurfaces = ({ service, params }: Stage): Surfaces => {
  const address = () => `org: "${params.org_id}", room: "${params.room_key}"`;
  const room = '/orgs/v1/:org_id/rooms/:room_key';
  /** A claim of the owner's presence, which is there. */
  const claimed = async () => {
    await service.control.sql('update room_presences set left_at = null where id = $1', [params.presence_id]);
    const [claim] = await service.control.sql<{ id: string }>(
      `insert into room_claims (org_id, id, room_key, presence_id, principal_id, holder, resource, mode, expires_at)
       select org_id, 'clm_' || gen_random_uuid(), room_key, id, principal_id, name, 'deploy', 'shared', now() + interval '1 hour'
       from room_presences where id = $1 returning id`,
      [params.presence_id],
    );
    return { claim_id: claim!.id };
  };
  return {
    [`DELETE ${room}/presences/:presence_id`]: {
      audited: {
        action: 'presence.left',
        kind: 'presence',
        objectId: 'presence_id',
        written: 'select xmin::text from room_presences where id = $1',
      },
      cells: 'A + + F + F A F',
      prepare: claimed,
      field: () => `mutation { leaveRoom(input: { ${address()}, presence: "${params.presence_id}" }) { name } }`,
    },
    [`POST ${room}/claims`]: {
      audited: {
        action: 'claim.created',
        kind: 'claim',
        objectId: 'claim_id',
        written: 'select xmin::text from room_claims where id = $1',
      },
      cells: 'A + + F + F A F',
      body: () => ({ resource: 'deploy', mode: 'shared' }),
      field: () => `mutation { createRoomClaim(input: { ${address()}, resource: "deploy", mode: SHARED }) { holder } }`,
    },
    [`GET ${room}/claims`]: {
      cells: 'A + + + + + A F',
      field: () => `{ room(${address()}) { claims { edges { node { resource } } } } }`,
    },
    [`DELETE ${room}/claims/:claim_id`]: {
      audited: {
        action: 'claim.released',
        kind: 'claim',
        objectId: 'claim_id',
        written: 'select xmin::text from room_claims where id = $1',
      },
      // A delegate is a principal of its own.
      cells: 'A + + F F F A F',
      prepare: claimed,
      field: () => `mutation { releaseRoomClaim(input: { ${address()}, claim: "${params.claim_id}" }) { state } }`,
    },
  };
};
