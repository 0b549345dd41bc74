import { ServiceError } from '../core/errors.ts';
import type { RoomMessage } from '../db/schema/rooms.ts';
import { roomAuthority, roomAuthorityLost } from '../resolvers/authority.ts';
import type { Context } from '../resolvers/context.ts';
import { execute } from '../resolvers/execute.ts';
import { openRoom } from '../resolvers/rooms/open-room.ts';
import { messageCursor } from '../resolvers/rooms/wire.ts';
import { follow } from './follow.ts';

export interface FollowRoomOptions {
  readonly org: string;
  readonly room: string;
  /** Cursor to resume from. @default the beginning of the room */
  readonly after?: string | undefined;
  /** Ends after so many messages. @default never */
  readonly first?: number | undefined;
}

/** A message as it arrives, with the cursor to resume after it. */
export interface RoomEvent {
  readonly cursor: string;
  readonly message: RoomMessage;
  /** True on the first event when `after` could not be used: the room is read again from its beginning. */
  readonly reset: boolean;
}

/**
 * Yields a room's messages, oldest first, then waits for more. Resuming from a cursor leaves no gap and no repeat.
 * Ends when the caller loses its right to the room.
 *
 * @throws NOT_AUTHORIZED as the first act for absent and foreign rooms alike, or later, when the right has ended
 */
export async function* followRoom(
  ctx: Context,
  { org, room, after, first }: FollowRoomOptions,
): AsyncGenerator<RoomEvent> {
  if (first !== undefined && first < 1) {
    throw new ServiceError('VALIDATION_FAILED', { message: 'first: must be at least 1', details: { field: 'first' } });
  }
  const { feed, position, reset } = await execute(openRoom, ctx, { org, room, cursor: after });
  const lost = new AbortController();
  const caller = await ctx.caller();
  const unwatch = ctx.services.authority.watch(roomAuthority(caller, feed.name.orgId, room), (reason) =>
    lost.abort(reason),
  );
  let left = first ?? Number.POSITIVE_INFINITY;
  let restarted = reset;
  try {
    const signal = AbortSignal.any([ctx.signal, lost.signal]);
    for await (const messages of follow(ctx.services, feed, { after: position, signal })) {
      for (const message of messages) {
        yield { cursor: messageCursor(message, ctx), message, reset: restarted };
        restarted = false;
        if (--left === 0) return;
        if (lost.signal.aborted) break;
      }
    }
    if (lost.signal.aborted) throw lostAuthority(lost.signal.reason);
  } finally {
    unwatch();
  }
}

const lostAuthority = (reason: unknown): ServiceError =>
  reason === 'expired'
    ? new ServiceError('INVALID_AUTH', { message: 'The credential has expired.', details: { reason: 'expired' } })
    : roomAuthorityLost();
