import type { Stage, Surfaces } from './surface.ts';

export const roomSurfaces = ({ params }: Stage): Surfaces => {
  const address = () => `org: "${params.org_id}", room: "${params.room_key}"`;
  const room = '/orgs/v1/:org_id/rooms/:room_key';
  return {
    // A field of the organization, so it wants the right to that first.
    'GET /orgs/v1/:org_id/rooms': {
      cells: 'A + + + + + A F',
      field: () => `{ organization(id: "${params.org_id}") { rooms { edges { cursor } } } }`,
      fieldCells: 'A + + + N F A F',
    },
    [`GET ${room}`]: { cells: 'A + + + + + A F', field: () => `{ room(${address()}) { key } }` },
    [`POST ${room}/presences`]: {
      cells: 'A + + F + F A F',
      field: () => `mutation { joinRoom(input: { ${address()} }) { name } }`,
    },
    [`GET ${room}/presences`]: {
      cells: 'A + + + + + A F',
      field: () => `{ room(${address()}) { presences { edges { node { name } } } } }`,
    },
    [`GET ${room}/presences/:presence_id`]: { cells: 'A + + + + + A F' },
    [`POST ${room}/messages`]: {
      cells: 'A + + F + F A F',
      body: () => ({ body: 'hello' }),
      field: () => `mutation { sendRoomMessage(input: { ${address()}, body: "hello" }) { body } }`,
    },
    [`GET ${room}/messages`]: {
      cells: 'A + + + + + A F',
      field: () => `{ roomMessages(${address()}) { edges { cursor } } }`,
    },
    [`GET ${room}/messages/:message_id`]: {
      cells: 'A + + + + + A F',
      field: () => `{ roomMessage(${address()}, message: "${params.message_id}") { body } }`,
    },
  };
};
