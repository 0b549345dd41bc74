import { z } from 'zod';
import { sql } from '../../../db/drizzle.ts';
import { authenticators, principals } from '../../../db/schema/identity.ts';
import { memberships, orgs } from '../../../db/schema/orgs.ts';
import { computed, statement, typed } from '../../../db/sql.ts';
import type { Rows } from '../../../db/statement.ts';
import { rolesFrom } from '../../../kernel/access/permissions.ts';
import { orgActions } from './actions.ts';

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

/** Roles that see where earnings go: their wallets may be paid to when nobody named one. */
const payable = rolesFrom(orgActions['org:payout:read'].role);

/**
 * Where the earnings of organizations would go: to the wallet that was named, else to the only one there is among
 * the active members from billing upwards who have signed with theirs: naming somebody proves nothing. Contract 01, section 6.2.
 */
export async function payoutRecoveries(rows: Rows, orgIds: readonly string[]): Promise<PayoutRecovery[]> {
  const found = await rows(walletsStatement.with({ orgIds, payable }));
  return found.map(({ orgId, defaultWallet, wallets }) => {
    const base = { orgId, defaultWallet, activeWallets: wallets.length };
    if (defaultWallet !== null) return { ...base, status: 'ready', mode: 'default', wallet: defaultWallet };
    if (wallets.length === 1) return { ...base, status: 'ready', mode: 'single_active_wallet', wallet: wallets[0]! };
    return { ...base, status: wallets.length === 0 ? 'required' : 'ambiguous', mode: null, wallet: null };
  });
}

/** Why nobody can be paid. */
export const payoutRefusal = ({ status }: Pick<PayoutRecovery, 'status'>) =>
  status === 'ambiguous' ? ('PAYOUT_WALLET_AMBIGUOUS' as const) : ('PAYOUT_WALLET_REQUIRED' as const);

export const PayoutRecoveryWire = z
  .object({
    status: z.enum(['ready', 'required', 'ambiguous']),
    active_wallet_count: z.number(),
    mode: z.enum(['default', 'single_active_wallet']).optional(),
    wallet_address: z.string().optional(),
    code: z.enum(['PAYOUT_WALLET_REQUIRED', 'PAYOUT_WALLET_AMBIGUOUS']).optional(),
    next_actions: z.array(z.object({ type: z.string(), method: z.string(), path: z.string(), why: z.string() })),
  })
  .meta({ id: 'PayoutRecovery' });

export const payoutRecoveryToWire = ({ orgId, status, activeWallets, mode, wallet }: PayoutRecovery) => ({
  status,
  active_wallet_count: activeWallets,
  ...(mode === null || wallet === null
    ? {
        code: payoutRefusal({ status }),
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

const walletsStatement = statement(
  'orgs.payout-wallets',
  {
    params: { orgIds: typed<readonly string[]>('uuid[]'), payable: typed<readonly string[]>('text[]') },
    row: {
      orgId: orgs.id,
      defaultWallet: orgs.payoutWallet,
      wallets: computed<readonly string[]>('text[]', sql`paid.wallets`),
    },
  },
  ({ orgIds, payable: roles }, row) => sql`select ${row} from ${orgs} cross join lateral (
      select array(
        select distinct ${authenticators.publicSubject} from ${memberships}
        join ${principals} on ${principals.id} = ${memberships.principalId} and ${principals.disabledAt} is null
        join ${authenticators} on ${authenticators.principalId} = ${principals.id} and ${authenticators.kind} = 'wallet'
          and ${authenticators.verifiedAt} is not null and ${authenticators.revokedAt} is null
        where ${memberships.orgId} = ${orgs.id} and ${memberships.status} = 'active'
          and ${memberships.role} = any(${roles}::text[])
      ) as wallets
    ) paid where ${orgs.id} = any(${orgIds}::uuid[])`,
);
