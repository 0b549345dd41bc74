import type { Stage, Surfaces } from './surface.ts';

export const roomSurfaces = ({ service, params }: Stage): Surfaces => {
  const address = () => `org: "${params.org_id}", room: "${params.room_key}"`;
  const room = '/orgs/v1/:org_id/rooms/:room_key';
  /** Has the message name a presence of everybody's. */
  const naming = async () => {
    await service.control.sql(
      `insert into room_presences (org_id, id, room_key, principal_id, name, last_active, expires_at)
       select $1, 'prs_of_' || id, $2, id, 'Of ' || id, now(), now() + interval '1 hour' from principals
       on conflict do nothing`,
      [params.org_id, params.room_key],
    );
    await service.control.sql(
      `update room_messages set recipients = (select jsonb_agg(jsonb_build_object('presenceId', 'prs_of_' || id,
         'name', 'Of ' || id, 'kind', 'to', 'ackRequired', true, 'ackedAt', null)) from principals) where id = $1`,
      [params.message_id],
    );
    return undefined;
  };
  return {
    // A field of the organization, so it wants the right to that first.
    'GET /orgs/v1/:org_id/rooms': {
      cells: 'A + + + + + A F',
      field: () => `{ organization(id: "${params.org_id}") { rooms { edges { cursor } } } }`,
      fieldCells: 'A + + + N F A F',
    },
    [`GET ${room}`]: { cells: 'A + + + + + A F', field: () => `{ room(${address()}) { key } }` },
    [`POST ${room}/presences`]: {
      audited: {
        action: 'presence.registered',
        kind: 'presence',
        objectId: 'presence_id',
        written: 'select xmin::text from room_presences where id = $1',
      },
      cells: 'A + + F + F A F',
      field: () => `mutation { joinRoom(input: { ${address()} }) { name } }`,
    },
    [`GET ${room}/presences`]: {
      cells: 'A + + + + + A F',
      field: () => `{ room(${address()}) { presences { edges { node { name } } } } }`,
    },
    [`GET ${room}/presences/:presence_id`]: { cells: 'A + + + + + A F' },
    [`POST ${room}/messages`]: {
      audited: {
        action: 'message.sent',
        kind: 'message',
        objectId: 'message_id',
        written: 'select xmin::text from room_messages where id = $1',
      },
      cells: 'A + + F + F A F',
      body: () => ({ body: 'hello' }),
      field: () => `mutation { sendRoomMessage(input: { ${address()}, body: "hello" }) { body } }`,
    },
    [`GET ${room}/messages`]: {
      cells: 'A + + + + + A F',
      field: () => `{ roomMessages(${address()}) { edges { cursor } } }`,
    },
    [`POST ${room}/messages/:message_id/ack`]: {
      audited: {
        action: 'message.acknowledged',
        kind: 'message',
        objectId: 'message_id',
        written: 'select xmin::text from room_messages where id = $1',
      },
      cells: 'A + + F + F A F',
      prepare: naming,
      field: () => `mutation { ackRoomMessage(input: { ${address()}, message: "${params.message_id}" }) { body } }`,
    },
    [`GET ${room}/messages/:message_id`]: {
      cells: 'A + + + + + A F',
      field: () => `{ roomMessage(${address()}, message: "${params.message_id}") { body } }`,
    },
  };
};
