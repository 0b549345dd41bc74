import { z } from 'zod';
import type { Statement } from '../../db/pool.ts';
import { rolesFrom } from '../../kernel/access/permissions.ts';
import { orgActions } from './shared/actions.ts';

/** Where an organization's earnings would go, and whether that is settled. */
export interface PayoutRecovery {
  readonly orgId: string;
  /** The wallet that an owner named; null for none. */
  readonly defaultWallet: string | null;
  readonly status: 'ready' | 'required' | 'ambiguous';
  /** Wallets of active members that may bill for it. */
  readonly activeWallets: number;
  /** How a wallet was found; null while none is. */
  readonly mode: 'default' | 'single_active_wallet' | null;
  readonly wallet: string | null;
}

interface WalletsRow {
  readonly orgId: string;
  readonly defaultWallet: string | null;
  readonly wallets: readonly string[];
}

/** Roles that see where earnings go: their wallets may be paid to when nobody named one. */
const payable = rolesFrom(orgActions['org:payout:read'].role);

/**
 * Where the earnings of organizations would go: to the wallet that was named, else to the only one there is among
 * the active members from billing upwards who have signed with theirs: naming somebody proves nothing. Contract 01, section 6.2.
 */
export async function payoutRecoveries(
  rows: <Row extends object>(statement: Statement, values: readonly unknown[]) => Promise<Row[]>,
  orgIds: readonly string[],
): Promise<PayoutRecovery[]> {
  const found = await rows<WalletsRow>(walletsStatement, [orgIds, payable]);
  return found.map(({ orgId, defaultWallet, wallets }) => {
    const base = { orgId, defaultWallet, activeWallets: wallets.length };
    if (defaultWallet !== null) return { ...base, status: 'ready', mode: 'default', wallet: defaultWallet };
    if (wallets.length === 1) return { ...base, status: 'ready', mode: 'single_active_wallet', wallet: wallets[0]! };
    return { ...base, status: wallets.length === 0 ? 'required' : 'ambiguous', mode: null, wallet: null };
  });
}

export const PayoutRecoveryWire = z.object({
  status: z.enum(['ready', 'required', 'ambiguous']),
  active_wallet_count: z.number(),
  mode: z.enum(['default', 'single_active_wallet']).optional(),
  wallet_address: z.string().optional(),
  code: z.enum(['PAYOUT_WALLET_REQUIRED', 'PAYOUT_WALLET_AMBIGUOUS']).optional(),
  next_actions: z.array(z.object({ type: z.string(), method: z.string(), path: z.string(), why: z.string() })),
});

export const payoutRecoveryToWire = ({ orgId, status, activeWallets, mode, wallet }: PayoutRecovery) => ({
  status,
  active_wallet_count: activeWallets,
  ...(mode === null || wallet === null
    ? {
        code: status === 'required' ? ('PAYOUT_WALLET_REQUIRED' as const) : ('PAYOUT_WALLET_AMBIGUOUS' as const),
        next_actions: [
          {
            type: 'edit_request',
            method: 'PATCH',
            path: `/orgs/v1/${orgId}/payout-wallet`,
            why: 'Name the wallet that earnings go to.',
          },
        ],
      }
    : { mode, wallet_address: wallet, next_actions: [] }),
});

const walletsStatement: Statement = {
  name: 'orgs.payout-wallets',
  text: `select o.id as "orgId", o.payout_wallet as "defaultWallet", array(
      select distinct a.public_subject from memberships m
      join principals p on p.id = m.principal_id and p.disabled_at is null
      join authenticators a on a.principal_id = p.id and a.kind = 'wallet'
        and a.verified_at is not null and a.revoked_at is null
      where m.org_id = o.id and m.status = 'active' and m.role = any($2::text[])
    ) as wallets
    from orgs o where o.id = any($1::uuid[])`,
};
