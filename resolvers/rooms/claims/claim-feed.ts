import type { Claim } from '../../../db/schema/claims.ts';
import type { FeedAppend } from '../../../kernel/durability/unit-of-work.ts';
import { appendChange, changeFeed } from '../../../kernel/feeds/changes.ts';
import type { FeedName } from '../../../kernel/feeds/feeds.ts';

const nameOf = (orgId: string, feedId: string): FeedName => ({ orgId, kind: 'claims', feedId });

/** A claim as JSON keeps it. */
export type ClaimChange = Omit<Claim, 'expiresAt' | 'releasedAt' | 'createdAt'> & {
  readonly expiresAt: string;
  readonly releasedAt: string | null;
  readonly createdAt: string;
};

/** What is claimed in a room, and released. Expiry is no change: followers know when a claim expires. */
export const claimFeed = (orgId: string, roomKey: string) => changeFeed<ClaimChange>(nameOf(orgId, roomKey), 'ccr_');

/** A claim that was made or released. */
export const claimChanged = (claim: Claim): FeedAppend =>
  appendChange(nameOf(claim.orgId, claim.roomKey), claim.id, claim);

export const claimOf = (change: ClaimChange): Claim => ({
  ...change,
  expiresAt: new Date(change.expiresAt),
  releasedAt: change.releasedAt === null ? null : new Date(change.releasedAt),
  createdAt: new Date(change.createdAt),
});
