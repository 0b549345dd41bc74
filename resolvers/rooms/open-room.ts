import { z } from 'zod';
import type { RoomMessage } from '../../db/schema/rooms.ts';
import { onRoom } from '../../kernel/access/access.ts';
import { type Opened, openFeed } from '../../kernel/feeds/open-feed.ts';
import { cursor } from '../../kernel/input/fields.ts';
import { query } from '../../kernel/run/operation.ts';
import type { MessageFilter } from './message-filter.ts';
import { roomActions } from './shared/actions.ts';
import { roomFeed } from './shared/room-feed.ts';
import { messageFilter, roomAddress } from './shared/room-input.ts';
import { resolveSelf } from './shared/self.ts';

export interface OpenedRoom extends Opened<RoomMessage> {
  /** Which of its messages are meant. */
  readonly filter: MessageFilter;
}

/** What a subscription begins with: the right to the room, and the position of its cursor. */
export const openRoom = query({
  name: 'rooms.open',
  command: 'messages list --watch',
  sdk: 'follow',
  follows: ['roomMessages'],
  summary: 'Begin to follow a room.',
  access: onRoom(roomActions['room:read']),
  input: z.object({ ...roomAddress, cursor: cursor.optional(), ...messageFilter }),
  async handler(ctx, { thread_id: threadId, addressed_to, ...input }): Promise<OpenedRoom> {
    const { services, org, room } = ctx;
    const leavesTrace = (await ctx.caller()).kind !== 'operator';
    const self = addressed_to === undefined ? undefined : await resolveSelf(ctx, services.db.rows, input, leavesTrace);
    const opened = await openFeed(services, roomFeed(org.id, room.key), input.cursor);
    return { ...opened, filter: { threadId, addressedTo: self?.id } };
  },
  wire: z.object({ reset: z.boolean() }),
  toWire: ({ reset }) => ({ reset }),
});
