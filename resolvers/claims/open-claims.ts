import { z } from 'zod';
import { onRoom } from '../access.ts';
import type { ChangeRow } from '../changes.ts';
import { cursor } from '../fields.ts';
import { type Opened, openFeed } from '../open-feed.ts';
import { query } from '../operation.ts';
import { roomAddress } from '../rooms/room-input.ts';
import { type ClaimChange, claimFeed } from './claim-feed.ts';

/** What a subscription begins with: the right to the room, and the position of its cursor. */
export const openClaims = query({
  name: 'claims.open',
  summary: 'Begin to follow what is claimed in a room, and released.',
  access: onRoom('room:read'),
  input: z.object({ ...roomAddress, cursor: cursor.optional() }),
  handler: ({ services, org, room }, input): Promise<Opened<ChangeRow<ClaimChange>>> =>
    openFeed(services, claimFeed(org.id, room.key), input.cursor),
  wire: z.object({ reset: z.boolean() }),
  toWire: ({ reset }) => ({ reset }),
});
