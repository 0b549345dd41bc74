import { ServiceError } from '../../core/errors.ts';
import { alias, type SQL, sql } from '../../db/drizzle.ts';
import { authenticators } from '../../db/schema/identity.ts';
import { ledgerEntries, memberships, orgs } from '../../db/schema/orgs.ts';
import { projects } from '../../db/schema/projects.ts';
import { from, pick, setOf, statement, typed } from '../../db/sql.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { activateMember } from '../members/shared/add-member.ts';
import { findOwnOrg } from '../orgs/shared/own-org.ts';

/**
 * The principal that an organization waits for, under the organization's lock: of a mail address that nobody has signed in
 * with.
 *
 * @returns undefined for an organization that somebody has, or that holds anything
 */
export async function unclaimedOwner(work: Work, orgId: string): Promise<string | undefined> {
  const [owner] = await work.rows(unclaimedStatement.with({ id: orgId }));
  return owner?.principalId;
}

/**
 * Puts a wallet in the place of an address. What the wallet had for its own is no longer that.
 *
 * @throws RELINK_SOURCE_ORG_NOT_EMPTY when its own organization holds anything
 */
export async function handOver(work: Work, { orgId, from: owner, to }: Handover): Promise<void> {
  const own = await findOwnOrg(work, to);
  if (own !== undefined && own.lifecycleState !== 'purged') {
    const [holding] = await work.rows(holdsStatement.with({ id: own.id }));
    if (holding !== undefined) throw new ServiceError('RELINK_SOURCE_ORG_NOT_EMPTY', { details: { org_id: own.id } });
  }
  await work.rows(leaveHomeStatement.with({ principal: to }));
  await work.rows(endStatement.with({ orgId, principalId: owner }));
  await activateMember(work, orgId, to, 'owner');
  await work.rows(homeStatement.with({ id: orgId, principal: to }));
}

interface Handover {
  readonly orgId: string;
  readonly from: string;
  readonly to: string;
}

const holdsAnything = (id: SQL): SQL => sql`(
  exists (select from ${projects} where ${projects.orgId} = ${id} and ${projects.deletedAt} is null)
  or exists (select from ${ledgerEntries} where ${ledgerEntries.orgId} = ${id}))`;

const other = alias(memberships, 'other');

const unclaimedStatement = statement(
  'billing.unclaimed',
  { params: pick(orgs, 'id'), row: pick(memberships, 'principalId') },
  ({ id }, row) => sql`select ${row} from ${orgs}
    join ${memberships} on ${memberships.orgId} = ${orgs.id} and ${memberships.principalId} = ${orgs.homeOf}
      and ${memberships.role} = 'owner' and ${memberships.status} = 'active'
    where ${orgs.id} = ${id} and ${orgs.lifecycleState} <> 'purged'
      and exists (select from ${authenticators} where ${authenticators.principalId} = ${orgs.homeOf}
        and ${authenticators.kind} = 'email' and ${authenticators.revokedAt} is null)
      and not exists (select from ${authenticators} where ${authenticators.principalId} = ${orgs.homeOf}
        and (${authenticators.kind} <> 'email' or ${authenticators.verifiedAt} is not null))
      and not exists (select from ${from(other)} where ${other.orgId} = ${orgs.id}
        and ${other.principalId} <> ${orgs.homeOf} and ${other.status} <> 'revoked')
      and not ${holdsAnything(id)}`,
);

const holdsStatement = statement(
  'billing.holds-anything',
  { params: pick(orgs, 'id'), row: pick(orgs, 'id') },
  ({ id }, row) => sql`select ${row} from ${orgs} where ${orgs.id} = ${id} and ${holdsAnything(id)}`,
);

const leaveHomeStatement = statement(
  'billing.leave-home',
  { params: { principal: typed<string>('text') } },
  ({ principal }) => sql`update ${orgs} ${setOf(orgs, { homeOf: sql`null` })} where ${orgs.homeOf} = ${principal}`,
);

const endStatement = statement(
  'billing.end-unclaimed',
  { params: pick(memberships, 'orgId', 'principalId') },
  ({ orgId, principalId }) => sql`update ${memberships} ${setOf(memberships, { status: sql`'revoked'` })}
    where ${memberships.orgId} = ${orgId} and ${memberships.principalId} = ${principalId}`,
);

const homeStatement = statement(
  'billing.home',
  { params: { id: orgs.id, principal: typed<string>('text') } },
  ({ id, principal }) => sql`update ${orgs} ${setOf(orgs, { homeOf: principal, createdBy: principal })}
    where ${orgs.id} = ${id}`,
);
