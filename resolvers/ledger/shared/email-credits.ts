import { sql } from '../../../db/drizzle.ts';
import { orgBalances } from '../../../db/schema/orgs.ts';
import { pick, setOf, statement, typed } from '../../../db/sql.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { lockBalance } from './ledger.ts';

/** Mail credits that an organization has, on the connection of a change. */
export async function emailCreditsOf(work: Work, orgId: string): Promise<bigint> {
  const [credits] = await work.rows(creditsStatement.with({ orgId }));
  return credits?.emailCredits ?? 0n;
}

/**
 * Adds mail credits to an organization, or takes them, as many as there are.
 *
 * @returns by how many they have changed
 */
export async function changeEmailCredits(work: Work, orgId: string, by: bigint): Promise<bigint> {
  if (by === 0n) return 0n;
  await lockBalance(work, orgId);
  const before = await emailCreditsOf(work, orgId);
  const changed = by < -before ? -before : by;
  if (changed !== 0n) await work.rows(changeStatement.with({ orgId, by: changed }));
  return changed;
}

const creditsStatement = statement(
  'ledger.email-credits',
  { params: pick(orgBalances, 'orgId'), row: pick(orgBalances, 'emailCredits') },
  ({ orgId }, row) => sql`select ${row} from ${orgBalances} where ${orgBalances.orgId} = ${orgId}`,
);

const changeStatement = statement(
  'ledger.change-email-credits',
  { params: { ...pick(orgBalances, 'orgId'), by: typed<bigint>('bigint') } },
  ({ orgId, by }) => sql`update ${orgBalances}
    ${setOf(orgBalances, { emailCredits: sql`${orgBalances.emailCredits} + ${by}::bigint` })}
    where ${orgBalances.orgId} = ${orgId}`,
);
