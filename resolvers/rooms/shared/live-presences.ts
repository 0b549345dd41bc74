import type { Statement } from '../../../db/pool.ts';
import type { Presence } from '../../../db/schema/rooms.ts';
import type { Context } from '../../../kernel/run/context.ts';
import type { RoomAddress } from '../load-rooms.ts';
import { isLive, presenceColumns } from '../presence-columns.ts';

/** How many of those who are live an answer about something else shows, the latest; their own list has all. */
export const liveShownMax = 200;

/** Those who are live in a room besides one of them, latest first, at most {@link liveShownMax}. */
export const othersLive = (
  { services }: Pick<Context, 'services'>,
  { orgId, key }: RoomAddress,
  selfId: string | undefined,
): Promise<Presence[]> => services.db.rows<Presence>(othersStatement, [orgId, key, selfId ?? '', liveShownMax]);

// Every sign of life prolongs a presence by the same hour: in the order in which they expire, they were last active.
const othersStatement: Statement = {
  name: 'presences.others-live',
  pipelined: true,
  text: `select ${presenceColumns('p')} from room_presences p
    where org_id = $1 and room_key = $2 and ${isLive('p')} and id <> $3
    order by expires_at desc, id limit $4`,
};
