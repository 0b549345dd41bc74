import { sql } from '../../../db/drizzle.ts';
import { type Presence, roomPresences } from '../../../db/schema/rooms.ts';
import { pick, statement, typed } from '../../../db/sql.ts';
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
): Promise<Presence[]> =>
  services.db.rows(othersStatement.with({ orgId, roomKey: key, id: selfId ?? '', limit: liveShownMax }));

// Every sign of life prolongs a presence by the same hour: in the order in which they expire, they were last active.
const othersStatement = statement(
  'presences.others-live',
  {
    params: { ...pick(roomPresences, 'orgId', 'roomKey', 'id'), limit: typed<number>('bigint') },
    row: presenceColumns,
    pipelined: true,
  },
  ({ orgId, roomKey, id, limit }, row) => sql`select ${row} from ${roomPresences}
    where ${roomPresences.orgId} = ${orgId} and ${roomPresences.roomKey} = ${roomKey} and ${isLive()}
      and ${roomPresences.id} <> ${id}
    order by ${roomPresences.expiresAt} desc, ${roomPresences.id} limit ${limit}`,
);
