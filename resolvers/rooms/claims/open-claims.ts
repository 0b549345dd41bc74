import { z } from 'zod';
import { onRoom } from '../../../kernel/access/access.ts';
import type { ChangeRow } from '../../../kernel/feeds/changes.ts';
import { type Opened, openFeed } from '../../../kernel/feeds/open-feed.ts';
import { cursor } from '../../../kernel/input/fields.ts';
import { query } from '../../../kernel/run/operation.ts';
import { roomActions } from '../shared/actions.ts';
import { roomAddress } from '../shared/room-input.ts';
import { type ClaimChange, claimFeed } from './claim-feed.ts';

/** What a subscription begins with: the right to the room, and the position of its cursor. */
export const openClaims = query({
  name: 'claims.open',
  command: 'claims list --watch',
  sdk: 'follow',
  follows: ['roomClaims'],
  summary: 'Begin to follow what is claimed in a room, and released.',
  access: onRoom(roomActions['room:read']),
  input: z.object({ ...roomAddress, cursor: cursor.optional() }),
  handler: ({ services, org, room }, input): Promise<Opened<ChangeRow<ClaimChange>>> =>
    openFeed(services, claimFeed(org.id, room.key), input.cursor),
  wire: z.object({ reset: z.boolean() }),
  toWire: ({ reset }) => ({ reset }),
});
