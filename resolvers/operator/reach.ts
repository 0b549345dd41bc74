import { z } from 'zod';
import type { Statement } from '../../db/pool.ts';
import type { LifecycleState, Role, Tier } from '../../db/schema/orgs.ts';
import { notAuthorized } from '../../kernel/access/access.ts';
import type { Caller, PrincipalBacked } from '../../kernel/access/caller.ts';
import type { Action } from '../../kernel/access/permissions.ts';
import type { Context } from '../../kernel/run/context.ts';
import { joinVerifiedMail } from '../identity/shared/known-addresses.ts';
import { walletOf } from '../identity/shared/wallet-of.ts';
import { answeredFor, walletsOf } from '../sessions/shared/sessions.ts';

/** For whom it is looked: an operator by its address, and so for all who named that; anybody else for itself. */
export interface OperatorScope {
  readonly kind: 'email' | 'wallet' | 'principal';
  readonly principal: string;
}

export const OperatorScopeWire = z.object({ kind: z.enum(['email', 'wallet', 'principal']), principal: z.string() });

/** An organization, as one of the principals that are looked for sees it. */
export interface OperatedOrg {
  readonly orgId: string;
  readonly displayName: string | null;
  readonly tier: Tier;
  readonly lifecycleState: LifecycleState;
  /** The highest. */
  readonly role: Role;
  readonly projectCount: number;
  readonly memberCount: number;
  /** Whether an owner or admin has a mail address that is known to work. */
  readonly reachable: boolean;
}

export interface Advisory {
  readonly type: 'operator_unreachable' | 'lease_past_due';
  readonly orgId: string;
}

export interface Reach {
  readonly scope: OperatorScope;
  readonly organizations: readonly OperatedOrg[];
  readonly wallets: readonly string[];
  readonly advisories: readonly Advisory[];
}

/** The principals whose things a caller may look at: `$1` and, by address `$2`, those whose contact it is. */
export const lookedFor = (caller: PrincipalBacked): readonly [principalId: string, email: string | null] => [
  caller.principal.id,
  caller.kind === 'operator' ? caller.email : null,
];

/**
 * Whoever names something with a credential that answers for nothing is told what it is told everywhere.
 *
 * @throws NOT_AUTHORIZED
 */
export function refuseNarrow(caller: Caller, action: Action): void {
  const isServiceKey = caller.kind === 'project_key' && caller.role === 'service_role';
  if (caller.kind === 'delegate' || caller.kind === 'admin' || isServiceKey) throw notAuthorized(action, 'forbidden');
}

/** @returns who is looked for, as answers say it */
export async function scopeOf({ services }: Context, caller: PrincipalBacked): Promise<OperatorScope> {
  if (caller.kind === 'operator') return { kind: 'email', principal: caller.email! };
  const wallet = caller.kind === 'wallet' ? await walletOf(services.db, caller) : null;
  return wallet === null
    ? { kind: 'principal', principal: caller.principal.id }
    : { kind: 'wallet', principal: wallet };
}

/** Everything that a person or a wallet answers for, in counts and names. */
export async function reachOf(ctx: Context, caller: PrincipalBacked): Promise<Reach> {
  const { db } = ctx.services;
  const [principalId, email] = lookedFor(caller);
  const [organizations, wallets, scope] = await Promise.all([
    db.rows<OperatedOrg>(orgsStatement, [principalId, email]),
    walletsOf(db, principalId, email),
    scopeOf(ctx, caller),
  ]);
  const advisories = organizations.flatMap(({ orgId, reachable, lifecycleState }): Advisory[] => [
    ...(reachable ? [] : [{ type: 'operator_unreachable' as const, orgId }]),
    ...(lifecycleState === 'active' ? [] : [{ type: 'lease_past_due' as const, orgId }]),
  ]);
  return { scope, organizations, wallets, advisories };
}

/** Organizations that one of the principals is an active member of, as a subquery. */
export const operatedOrgs = `select m.org_id from memberships m where m.status = 'active' and m.principal_id in (${answeredFor})`;

const orgsStatement: Statement = {
  name: 'operator.organizations',
  text: `select o.id as "orgId", o.display_name as "displayName", o.tier, o.lifecycle_state as "lifecycleState",
      (select m.role from memberships m
        where m.org_id = o.id and m.status = 'active' and m.principal_id in (${answeredFor})
        order by array_position(array['owner', 'admin', 'developer', 'billing', 'viewer'], m.role) limit 1) as role,
      (select count(*)::int from projects p where p.org_id = o.id and p.deleted_at is null) as "projectCount",
      (select count(*)::int from memberships m where m.org_id = o.id and m.status = 'active') as "memberCount",
      exists (select from memberships m ${joinVerifiedMail}
        where m.org_id = o.id and m.status = 'active' and m.role in ('owner', 'admin'))
      or exists (select from memberships m join operator_contacts c on c.principal_id = m.principal_id
        where m.org_id = o.id and m.status = 'active' and m.role in ('owner', 'admin') and c.email_verified_at is not null)
      as reachable
    from orgs o where o.id in (${operatedOrgs}) and o.lifecycle_state <> 'purged' order by o.created_at, o.id`,
};
