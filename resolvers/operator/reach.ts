import { z } from 'zod';
import { type SQL, sql } from '../../db/drizzle.ts';
import { operatorContacts } from '../../db/schema/operator-contacts.ts';
import { type LifecycleState, memberships, orgs, type Role, type Tier } from '../../db/schema/orgs.ts';
import { projects } from '../../db/schema/projects.ts';
import { computed, pick, statement } from '../../db/sql.ts';
import { notAuthorized } from '../../kernel/access/access.ts';
import type { Caller, PrincipalBacked } from '../../kernel/access/caller.ts';
import type { Action } from '../../kernel/access/permissions.ts';
import type { Context } from '../../kernel/run/context.ts';
import { joinVerifiedMail } from '../identity/shared/known-addresses.ts';
import { walletOf } from '../identity/shared/wallet-of.ts';
import { answeredFor, answering, lookedFor, walletsOf } from '../sessions/shared/sessions.ts';

/** For whom it is looked: an operator by its address, and so for all who named that; anybody else for itself. */
export interface OperatorScope {
  readonly kind: 'email' | 'wallet' | 'principal';
  readonly principal: string;
}

export const OperatorScopeWire = z
  .object({ kind: z.enum(['email', 'wallet', 'principal']), principal: z.string() })
  .meta({ id: 'OperatorScope' });

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
  const asked = lookedFor(caller);
  const [organizations, wallets, scope] = await Promise.all([
    db.rows(orgsStatement.with(asked)),
    walletsOf(db, asked.principal, asked.email),
    scopeOf(ctx, caller),
  ]);
  const advisories = organizations.flatMap(({ orgId, reachable, lifecycleState }): Advisory[] => [
    ...(reachable ? [] : [{ type: 'operator_unreachable' as const, orgId }]),
    ...(lifecycleState === 'active' ? [] : [{ type: 'lease_past_due' as const, orgId }]),
  ]);
  return { scope, organizations, wallets, advisories };
}

/** Organizations that one of the principals is an active member of, as a subquery. */
export const operatedOrgs = (given: Parameters<typeof answeredFor>[0]): SQL =>
  sql`select ${memberships.orgId} from ${memberships}
    where ${memberships.status} = 'active' and ${memberships.principalId} in (${answeredFor(given)})`;

const ofOrg = sql`${memberships.orgId} = ${orgs.id} and ${memberships.status} = 'active'`;
const leads = sql`${memberships.role} in ('owner', 'admin')`;

const orgsStatement = statement(
  'operator.organizations',
  {
    params: answering,
    row: {
      orgId: orgs.id,
      ...pick(orgs, 'displayName', 'tier', 'lifecycleState'),
      role: computed<Role>('text', sql`own.role`),
      projectCount: computed<number>(
        'integer',
        sql`(select count(*)::int from ${projects}
          where ${projects.orgId} = ${orgs.id} and ${projects.deletedAt} is null)`,
      ),
      memberCount: computed<number>('integer', sql`(select count(*)::int from ${memberships} where ${ofOrg})`),
      reachable: computed<boolean>(
        'boolean',
        sql`exists (select from ${memberships} ${joinVerifiedMail} where ${ofOrg} and ${leads})
          or exists (select from ${memberships}
            join ${operatorContacts} on ${operatorContacts.principalId} = ${memberships.principalId}
            where ${ofOrg} and ${leads} and ${operatorContacts.emailVerifiedAt} is not null)`,
      ),
    },
  },
  (given, row) => sql`select ${row} from ${orgs} cross join lateral (
      select ${memberships.role} from ${memberships}
      where ${ofOrg} and ${memberships.principalId} in (${answeredFor(given)})
      order by array_position(array['owner', 'admin', 'developer', 'billing', 'viewer'], ${memberships.role}) limit 1
    ) own
    where ${orgs.id} in (${operatedOrgs(given)}) and ${orgs.lifecycleState} <> 'purged'
    order by ${orgs.createdAt}, ${orgs.id}`,
);
