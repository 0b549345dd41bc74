import { sql } from '../../../db/drizzle.ts';
import { authenticators } from '../../../db/schema/identity.ts';
import { computed, statement } from '../../../db/sql.ts';
import type { PrincipalBacked } from '../../../kernel/access/caller.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { firstWallet } from './known-addresses.ts';

/** The wallet that a caller signed with, else its principal's first; null for a person without one. */
export async function walletOf(
  { rows }: { readonly rows: Work['rows'] },
  caller: PrincipalBacked,
): Promise<string | null> {
  if (caller.kind === 'wallet') return caller.address;
  const [wallet] = await rows(walletStatement.with({ principal: caller.principal.id }));
  return wallet?.wallet ?? null;
}

const walletStatement = statement(
  'tiers.wallet',
  { params: { principal: authenticators.principalId }, row: { wallet: computed<string>('text', sql`wallet`) } },
  ({ principal }, row) => sql`select ${row} from (${firstWallet(principal)}) first`,
);
