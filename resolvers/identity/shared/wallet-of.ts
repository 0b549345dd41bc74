import type { Statement } from '../../../db/pool.ts';
import type { PrincipalBacked } from '../../../kernel/access/caller.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { firstWallet } from './known-addresses.ts';

/** The wallet that a caller signed with, else its principal's first; null for a person without one. */
export async function walletOf(
  { rows }: { readonly rows: Work['rows'] },
  caller: PrincipalBacked,
): Promise<string | null> {
  if (caller.kind === 'wallet') return caller.address;
  const [wallet] = await rows<{ public_subject: string }>(walletStatement, [caller.principal.id]);
  return wallet?.public_subject ?? null;
}

const walletStatement: Statement = {
  name: 'tiers.wallet',
  text: firstWallet('$1'),
};
