import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import type { Presence } from '../../db/schema/rooms.ts';
import { onRoom } from '../../kernel/access/access.ts';
import { query } from '../../kernel/run/operation.ts';
import { roomActions } from './shared/actions.ts';
import { presenceStatement } from './shared/presence.ts';
import { roomAddress } from './shared/room-input.ts';
import { PresenceWire, presenceToWire } from './shared/wire.ts';

/** `GET /orgs/v1/:org_id/rooms/:room_key/presences/:presence_id`. Contract 02, section 2.3. */
export const getPresence = query({
  name: 'rooms.getPresence',
  tool: 'get_room_presence',
  command: 'rooms presence',
  summary: 'One presence of a room, also after it has expired.',
  access: onRoom(roomActions['room:read']),
  input: z.object({ ...roomAddress, presence: z.string().max(64).describe('Presence, `prs_…`.') }),
  async handler({ services, org, room }, { presence }): Promise<Presence> {
    const [found] = await services.db.rows(presenceStatement.with({ orgId: org.id, roomKey: room.key, id: presence }));
    if (found === undefined) throw new ServiceError('RESOURCE_NOT_FOUND', { details: { presence_id: presence } });
    return found;
  },
  wire: PresenceWire,
  toWire: presenceToWire,
});
