import { sql } from '../../db/drizzle.ts';
import { type Presence, roomMessages } from '../../db/schema/rooms.ts';
import { allOf, pick, statement, typed } from '../../db/sql.ts';
import { feedCursor } from '../../kernel/feeds/feeds.ts';
import type { Context } from '../../kernel/run/context.ts';
import { othersLive } from '../rooms/shared/live-presences.ts';
import { presenceStatement } from '../rooms/shared/presence.ts';
import { roomFeed } from '../rooms/shared/room-feed.ts';
import { messageToWire, presenceToWire } from '../rooms/shared/wire.ts';
import type { RedeemableInvite } from './redeemable-invite.ts';

/** Messages that whoever arrives is shown. Contract 02, section 2.8. */
const recentMax = 20;

/** What the room is like at the moment that somebody arrives: of that moment, so no part of what is kept. */
export async function arrivalOf(
  ctx: Context,
  { orgId, roomKey, inviterPresenceId }: RedeemableInvite,
  { id }: Pick<Presence, 'id'>,
) {
  const { db, keys } = ctx.services;
  const feed = roomFeed(orgId, roomKey);
  const [messages, { head }, live, [inviter]] = await Promise.all([
    db.rows(recentStatement.with({ orgId, roomKey, limit: recentMax })),
    feed.fetch(db, 0n, 0),
    othersLive(ctx, { orgId, key: roomKey }, id),
    inviterPresenceId === null
      ? Promise.resolve([])
      : db.rows(presenceStatement.with({ orgId, roomKey, id: inviterPresenceId })),
  ]);
  return {
    inviter: inviter === undefined ? null : presenceToWire(inviter),
    live_presences: live.map((presence) => presenceToWire(presence)),
    cursor: feedCursor(keys, feed, head),
    recent_messages: messages.map((message) => messageToWire(message, ctx)),
  };
}

const recentStatement = statement(
  'room-invites.recent-messages',
  { params: { ...pick(roomMessages, 'orgId', 'roomKey'), limit: typed<number>('bigint') }, row: allOf(roomMessages) },
  ({ orgId, roomKey, limit }, row) => sql`select ${row} from ${roomMessages}
    where ${roomMessages.orgId} = ${orgId} and ${roomMessages.roomKey} = ${roomKey}
    order by ${roomMessages.seq} desc limit ${limit}`,
);
