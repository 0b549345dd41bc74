import { columnsOf } from '../../../db/columns-of.ts';
import { roomClaims } from '../../../db/schema/claims.ts';

/** Whether a claim stands, as the database's clock says. */
export const isStanding = (alias: string): string => `(${alias}.released_at is null and ${alias}.expires_at > now())`;

/** The select list of a `Claim`. */
export const claimColumns = (alias: string): string => `${columnsOf(roomClaims, alias)},
  case when ${alias}.released_at is not null then 'released' when ${alias}.expires_at > now() then 'active' else 'expired' end as state`;
