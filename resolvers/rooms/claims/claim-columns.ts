import { type Column, type SQL, sql } from '../../../db/drizzle.ts';
import { type Claim, roomClaims } from '../../../db/schema/claims.ts';
import { allOf, computed } from '../../../db/sql.ts';

type Life = { readonly releasedAt: Column; readonly expiresAt: Column };

/** Whether a claim is active, by the database's clock. */
export const isInForce = ({ releasedAt, expiresAt }: Life = roomClaims): SQL =>
  sql`(${releasedAt} is null and ${expiresAt} > now())`;

/** The columns of a {@link Claim}. */
export const claimColumns = {
  ...allOf(roomClaims),
  state: computed<Claim['state']>(
    'text',
    sql`case when ${roomClaims.releasedAt} is not null then 'released'
      when ${roomClaims.expiresAt} > now() then 'active' else 'expired' end`,
  ),
};
