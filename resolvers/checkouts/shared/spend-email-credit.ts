import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { changeEmailCredits } from '../../ledger/shared/email-credits.ts';
import { rechargeIfLow } from '../recharge.ts';

/** Takes one mail credit of an organization, and buys more where they run low. @returns false where there is none */
export async function spendEmailCredit(work: Work, orgId: string): Promise<boolean> {
  if ((await changeEmailCredits(work, orgId, -1n)) === 0n) return false;
  await rechargeIfLow(work, orgId);
  return true;
}
