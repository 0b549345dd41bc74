import type { Context } from '../kernel/run/context.ts';
import { execute } from '../kernel/run/execute.ts';
import { openPresences } from '../resolvers/rooms/open-presences.ts';
import type { PresenceChange } from '../resolvers/rooms/presence-feed.ts';
import { type ChangeEvent, type FollowChangesOptions, followChanges } from './room-changes.ts';

export type PresenceEvent = ChangeEvent<PresenceChange>;

/** Who comes to a room, comes back and leaves. @param name only the presence of exactly this name */
export const followPresences = (
  ctx: Context,
  { name, ...options }: FollowChangesOptions & { readonly name?: string | undefined },
) =>
  followChanges(
    ctx,
    options,
    () => execute(openPresences, ctx, { org: options.org, room: options.room, cursor: options.after }),
    name === undefined ? undefined : ({ change }) => change.name === name,
  );
