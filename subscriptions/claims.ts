import type { Context } from '../kernel/run/context.ts';
import { execute } from '../kernel/run/execute.ts';
import type { ClaimChange } from '../resolvers/rooms/claims/claim-feed.ts';
import { openClaims } from '../resolvers/rooms/claims/open-claims.ts';
import { type ChangeEvent, type FollowChangesOptions, followChanges } from './room-changes.ts';

export type ClaimEvent = ChangeEvent<ClaimChange>;

/** What is claimed in a room, and released. @param holder only claims of the presence of exactly this name */
export const followClaims = (
  ctx: Context,
  { holder, ...options }: FollowChangesOptions & { readonly holder?: string | undefined },
) =>
  followChanges(
    ctx,
    options,
    () => execute(openClaims, ctx, { org: options.org, room: options.room, cursor: options.after }),
    holder === undefined ? undefined : ({ change }) => change.holder === holder,
  );
