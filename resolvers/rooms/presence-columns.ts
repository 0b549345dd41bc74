import { type Column, type SQL, sql } from '../../db/drizzle.ts';
import { type Presence, roomPresences } from '../../db/schema/rooms.ts';
import { allOf, computed } from '../../db/sql.ts';

type Life = { readonly leftAt: Column; readonly expiresAt: Column };

/** Whether a presence is there: the database's clock decides, a node's own may be wrong. */
export const isLive = ({ leftAt, expiresAt }: Life = roomPresences): SQL =>
  sql`(${leftAt} is null and ${expiresAt} > now())`;

/** The columns of a {@link Presence}. */
export const presenceColumns = {
  ...allOf(roomPresences),
  state: computed<Presence['state']>(
    'text',
    sql`case when ${roomPresences.leftAt} is not null then 'left'
      when ${roomPresences.expiresAt} > now() then 'active' else 'expired' end`,
  ),
};
