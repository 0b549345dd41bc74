import type { Presence } from '../../db/schema/rooms.ts';
import type { FeedAppend } from '../../kernel/durability/unit-of-work.ts';
import { appendChange, changeFeed } from '../../kernel/feeds/changes.ts';
import type { FeedName } from '../../kernel/feeds/feeds.ts';

const nameOf = (orgId: string, feedId: string): FeedName => ({ orgId, kind: 'presences', feedId });

/** A presence as JSON keeps it. */
export type PresenceChange = Omit<Presence, 'lastActive' | 'expiresAt' | 'leftAt' | 'createdAt' | 'readSeq'> & {
  readonly lastActive: string;
  readonly expiresAt: string;
  readonly leftAt: string | null;
  readonly createdAt: string;
};

/** Presences that joined a room, resumed or left. Silence is no change: followers know when a presence expires. */
export const presenceFeed = (orgId: string, roomKey: string) =>
  changeFeed<PresenceChange>(nameOf(orgId, roomKey), 'pcr_');

/**
 * A presence that has come, come back or left. Its session key, and how far it has read, are its principal's alone and
 * stay out of the log.
 */
export function presenceChanged({ readSeq: _own, ...presence }: Presence): FeedAppend {
  const change = { ...presence, sessionKey: null };
  return appendChange(nameOf(presence.orgId, presence.roomKey), presence.id, change);
}

export const presenceOf = (change: PresenceChange): Presence => ({
  ...change,
  readSeq: 0n,
  lastActive: new Date(change.lastActive),
  expiresAt: new Date(change.expiresAt),
  leftAt: change.leftAt === null ? null : new Date(change.leftAt),
  createdAt: new Date(change.createdAt),
});
