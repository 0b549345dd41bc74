import { ackMessage } from '../resolvers/rooms/ack-message.ts';
import { getMessage } from '../resolvers/rooms/get-message.ts';
import { getPresence } from '../resolvers/rooms/get-presence.ts';
import { getRoom } from '../resolvers/rooms/get-room.ts';
import { joinRoom } from '../resolvers/rooms/join-room.ts';
import { leaveRoom } from '../resolvers/rooms/leave-room.ts';
import { listMessages } from '../resolvers/rooms/list-messages.ts';
import { listPresences } from '../resolvers/rooms/list-presences.ts';
import { listRooms } from '../resolvers/rooms/list-rooms.ts';
import { type SentMessage, sendMessage } from '../resolvers/rooms/send-message.ts';
import type { Arrival } from '../resolvers/rooms/shared/presence.ts';
import { type RestRequest, route } from './route.ts';

const room = '/orgs/v1/:org_id/rooms/:room_key';

const address = ({ params }: RestRequest) => ({ org: params.org_id, room: params.room_key });

/** Paths of rooms, their presences and messages. Contract 02, section 2. */
export const roomRoutes = [
  route('GET', '/orgs/v1/:org_id/rooms', 200, listRooms, ({ params }) => ({ org: params.org_id })),
  route('GET', room, 200, getRoom, address),
  route(
    'POST',
    `${room}/presences`,
    { usual: 201, of: ({ how }: Arrival) => (how === 'resumed' ? 200 : 201) },
    joinRoom,
    (request) => ({
      ...address(request),
      requested_name: request.body.requested_name,
      task: request.body.task,
      program: request.body.program,
      model: request.body.model,
      session_key: request.body.session_key,
    }),
  ),
  route('GET', `${room}/presences`, 200, listPresences, (request) => ({
    ...address(request),
    include_expired: request.query.include_expired,
    name: request.query.name,
  })),
  route('GET', `${room}/presences/:presence_id`, 200, getPresence, (request) => ({
    ...address(request),
    presence: request.params.presence_id,
  })),
  route('DELETE', `${room}/presences/:presence_id`, 200, leaveRoom, (request) => ({
    ...address(request),
    presence: request.params.presence_id,
  })),
  route(
    'POST',
    `${room}/messages`,
    { usual: 201, of: ({ deduplicated }: SentMessage) => (deduplicated ? 200 : 201) },
    sendMessage,
    (request) => ({
      ...address(request),
      body: request.body.body,
      to: request.body.to,
      cc: request.body.cc,
      thread_id: request.body.thread_id,
      importance: request.body.importance,
      ack_required: request.body.ack_required,
      idempotency_key: request.body.idempotency_key,
      presence_id: request.body.presence_id,
      session_key: request.body.session_key,
      requested_name: request.body.requested_name,
      task: request.body.task,
      program: request.body.program,
      model: request.body.model,
    }),
  ),
  route('GET', `${room}/messages`, 200, listMessages, (request) => ({
    ...address(request),
    cursor: request.query.cursor,
    limit: request.query.limit,
    order: request.query.order,
    before: request.query.before,
    wait: request.query.wait,
    thread_id: request.query.thread_id,
    unread: request.query.unread,
    addressed_to: request.query.addressed_to,
    presence_id: request.query.presence_id,
    session_key: request.query.session_key,
  })),
  route('POST', `${room}/messages/:message_id/ack`, 200, ackMessage, (request) => ({
    ...address(request),
    message: request.params.message_id,
    presence_id: request.body.presence_id,
    session_key: request.body.session_key,
  })),
  route('GET', `${room}/messages/:message_id`, 200, getMessage, (request) => ({
    ...address(request),
    message: request.params.message_id,
  })),
];
