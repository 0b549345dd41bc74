import { z } from 'zod';
import { onRoom } from '../../kernel/access/access.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { roomActions } from './shared/actions.ts';
import { ensureRoom } from './shared/ensure-room.ts';
import { join } from './shared/presence.ts';
import { presenceFields, roomAddress, sessionKey } from './shared/room-input.ts';
import { arrivalToWire, PresenceResultWire, roomPath } from './shared/wire.ts';

/** `POST /orgs/v1/:org_id/rooms/:room_key/presences`. Contract 02, section 2.3. */
export const joinRoom = mutation({
  name: 'rooms.join',
  tool: 'join_room',
  command: 'rooms join',
  summary: 'Register a presence in a room, or resume one by its session key.',
  access: onRoom(roomActions['room:write']),
  input: z.object({ ...roomAddress, ...presenceFields, session_key: sessionKey }),
  async handler(work, input) {
    await ensureRoom(work);
    return join(work, input);
  },
  audit: ({ presence, how }) => ({
    action: how === 'resumed' ? 'presence.resumed' : 'presence.registered',
    object: { kind: 'presence', id: presence.id },
  }),
  wire: PresenceResultWire.extend({
    next_actions: z.array(z.object({ type: z.string(), method: z.string(), path: z.string() })),
  }),
  toWire: (arrival) => {
    const path = `${roomPath(arrival.presence.orgId, arrival.presence.roomKey)}/messages`;
    return { ...arrivalToWire(arrival), next_actions: [{ type: 'poll', method: 'GET', path }] };
  },
});
