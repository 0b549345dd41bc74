import type { Statement } from '../../db/pool.ts';
import type { PrincipalBacked } from '../caller.ts';
import type { Work } from '../unit-of-work.ts';

/** The wallet that a caller signed with, else its principal's first; null for a person without one. */
export async function walletOf(
  { rows }: { readonly rows: Work['rows'] },
  caller: PrincipalBacked,
): Promise<string | null> {
  if (caller.kind === 'wallet') return caller.address;
  const [wallet] = await rows<{ address: string }>(walletStatement, [caller.principal.id]);
  return wallet?.address ?? null;
}

const walletStatement: Statement = {
  name: 'tiers.wallet',
  text: `select public_subject as address from authenticators
    where principal_id = $1 and kind = 'wallet' and revoked_at is null order by created_at limit 1`,
};
