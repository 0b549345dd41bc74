import { ackMessage } from '../resolvers/rooms/ack-message.ts';
import { getMessage } from '../resolvers/rooms/get-message.ts';
import { getPresence } from '../resolvers/rooms/get-presence.ts';
import { getRoom } from '../resolvers/rooms/get-room.ts';
import { joinRoom } from '../resolvers/rooms/join-room.ts';
import { leaveRoom } from '../resolvers/rooms/leave-room.ts';
import { listMessages } from '../resolvers/rooms/list-messages.ts';
import { listPresences } from '../resolvers/rooms/list-presences.ts';
import { type SentMessage, sendMessage } from '../resolvers/rooms/send-message.ts';
import type { PresenceResult } from '../resolvers/rooms/shared/presence.ts';
import { route } from './route.ts';

const room = '/orgs/v1/:org_id/rooms/:room_key';

/** Paths of rooms, their presences and messages. Contract 02, section 2. */
export const roomRoutes = [
  route('GET', room, 200, getRoom),
  route(
    'POST',
    `${room}/presences`,
    { usual: 201, of: ({ how }: PresenceResult) => (how === 'resumed' ? 200 : 201) },
    joinRoom,
  ),
  route('GET', `${room}/presences`, 200, listPresences),
  route('GET', `${room}/presences/:presence_id`, 200, getPresence),
  route('DELETE', `${room}/presences/:presence_id`, 200, leaveRoom),
  route(
    'POST',
    `${room}/messages`,
    { usual: 201, of: ({ deduplicated }: SentMessage) => (deduplicated ? 200 : 201) },
    sendMessage,
  ),
  route('GET', `${room}/messages`, 200, listMessages),
  route('POST', `${room}/messages/:message_id/ack`, 200, ackMessage),
  route('GET', `${room}/messages/:message_id`, 200, getMessage),
];
