import { alias, type Column, type SQL, sql } from '../../../db/drizzle.ts';
import { authenticators } from '../../../db/schema/identity.ts';
import { memberships } from '../../../db/schema/orgs.ts';
import { from } from '../../../db/sql.ts';

const wallet = alias(authenticators, 'wallet');

/** The wallet that a principal was first known by, as a subquery with the column `wallet`: one row or none. */
export const firstWallet = (principal: SQL | Column): SQL =>
  sql`select ${wallet.publicSubject} as wallet from ${from(wallet)}
    where ${wallet.principalId} = ${principal} and ${wallet.kind} = 'wallet' and ${wallet.revokedAt} is null
    order by ${wallet.createdAt} limit 1`;

/** Joins the verified mail addresses of members. */
export const joinVerifiedMail = sql`join ${authenticators} on ${authenticators.principalId} = ${memberships.principalId}
  and ${authenticators.kind} = 'email' and ${authenticators.verifiedAt} is not null
  and ${authenticators.revokedAt} is null`;
