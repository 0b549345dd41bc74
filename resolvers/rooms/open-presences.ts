import { z } from 'zod';
import { onRoom } from '../../kernel/access/access.ts';
import type { ChangeRow } from '../../kernel/feeds/changes.ts';
import { type Opened, openFeed } from '../../kernel/feeds/open-feed.ts';
import { cursor } from '../../kernel/input/fields.ts';
import { query } from '../../kernel/run/operation.ts';
import { type PresenceChange, presenceFeed } from './presence-feed.ts';
import { roomActions } from './shared/actions.ts';
import { roomAddress } from './shared/room-input.ts';

/** What a subscription begins with: the right to the room, and the position of its cursor. */
export const openPresences = query({
  name: 'rooms.openPresences',
  command: 'rooms presences --watch',
  sdk: 'followPresences',
  follows: ['roomPresences'],
  summary: 'Begin to follow who comes to a room and leaves it.',
  access: onRoom(roomActions['room:read']),
  input: z.object({ ...roomAddress, cursor: cursor.optional() }),
  handler: ({ services, org, room }, input): Promise<Opened<ChangeRow<PresenceChange>>> =>
    openFeed(services, presenceFeed(org.id, room.key), input.cursor),
  wire: z.object({ reset: z.boolean() }),
  toWire: ({ reset }) => ({ reset }),
});
