import { z } from 'zod';
import type { RoomMessage } from '../../db/schema/rooms.ts';
import { onRoom } from '../access.ts';
import { type Feed, readFeed } from '../feeds.ts';
import { cursor } from '../fields.ts';
import { query } from '../operation.ts';
import { roomFeed } from './room-feed.ts';
import { roomAddress } from './room-input.ts';

export interface OpenedRoom {
  readonly feed: Feed<RoomMessage>;
  /** Where following begins. */
  readonly position: bigint;
  /** Where the room stood at that moment. */
  readonly head: bigint;
  /** The cursor could not be used: following begins at the earliest message that is kept. */
  readonly reset: boolean;
}

/** What a subscription begins with: the right to the room, and the position of its cursor. */
export const openRoom = query({
  name: 'rooms.open',
  summary: 'Begin to follow a room.',
  access: onRoom('room:read'),
  input: z.object({ ...roomAddress, cursor: cursor.optional() }),
  async handler({ services, org, room }, input): Promise<OpenedRoom> {
    const feed = roomFeed(org.id, room.key);
    // A page of one row says where the cursor stands; the rows themselves come with the following.
    const { rows, position, head, reset } = await readFeed(services, feed, { cursor: input.cursor, limit: 1 });
    return { feed, position: rows.length === 0 ? position : position - 1n, head, reset };
  },
  wire: z.object({ reset: z.boolean() }),
  toWire: ({ reset }) => ({ reset }),
});
