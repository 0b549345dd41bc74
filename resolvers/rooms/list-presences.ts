import { z } from 'zod';
import type { Presence } from '../../db/schema/rooms.ts';
import { onRoom } from '../access.ts';
import { query } from '../operation.ts';
import { livePresences } from './presence.ts';
import { roomAddress } from './room-input.ts';
import { PresenceWire, presenceToWire } from './wire.ts';

/** `GET /orgs/v1/:org_id/rooms/:room_key/presences`. Contract 02, section 2.3. */
export const listPresences = query({
  name: 'rooms.listPresences',
  summary: 'Who is live in a room, latest activity first.',
  access: onRoom('room:read'),
  input: z.object(roomAddress),
  handler: (ctx): Promise<Presence[]> => livePresences(ctx),
  wire: z.object({ presences: z.array(PresenceWire) }),
  toWire: (presences, ctx) => ({ presences: presences.map((presence) => presenceToWire(presence, ctx)) }),
});
