import { sql } from '../../../db/drizzle.ts';
import { orgBalances } from '../../../db/schema/orgs.ts';
import { pick, setOf, statement } from '../../../db/sql.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { rechargeIfLow } from '../recharge.ts';

/** Takes one mail credit of an organization, and buys more where they run low. @returns false where there is none */
export async function spendEmailCredit(work: Work, orgId: string): Promise<boolean> {
  if ((await work.rows(spendStatement.with({ orgId }))).length === 0) return false;
  await rechargeIfLow(work, orgId);
  return true;
}

const spendStatement = statement(
  'checkouts.spend-email-credit',
  { params: pick(orgBalances, 'orgId'), row: pick(orgBalances, 'orgId') },
  (
    { orgId },
    row,
  ) => sql`update ${orgBalances} ${setOf(orgBalances, { emailCredits: sql`${orgBalances.emailCredits} - 1` })}
    where ${orgBalances.orgId} = ${orgId} and ${orgBalances.emailCredits} > 0 returning ${row}`,
);
