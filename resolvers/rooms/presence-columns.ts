import { columnsOf } from '../../db/columns-of.ts';
import { roomPresences } from '../../db/schema/rooms.ts';

/** Whether a presence is there: the database's clock decides, a node's own may be wrong. */
export const isLive = (alias: string): string => `(${alias}.left_at is null and ${alias}.expires_at > now())`;

/** The select list of a `Presence`. */
export const presenceColumns = (alias: string): string => `${columnsOf(roomPresences, alias)},
  case when ${alias}.left_at is not null then 'left' when ${alias}.expires_at > now() then 'active' else 'expired' end as state`;
