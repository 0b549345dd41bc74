import { alias, type SQL, sql } from '../../db/drizzle.ts';
import { principals } from '../../db/schema/identity.ts';
import { memberships, orgs } from '../../db/schema/orgs.ts';
import { computed, from, pick, statement } from '../../db/sql.ts';
import { Outdated, type Work } from '../../kernel/durability/unit-of-work.ts';
import { countsAsFree, refuseMoreFree } from '../orgs/shared/new-org.ts';

/** Has everybody wait who would change what free organizations the organization's owners have. */
export async function holdRoomForFree(work: Work, orgId: string): Promise<ReadonlySet<string>> {
  return new Set((await work.rows(lockStatement.with({ orgId }))).map(({ id }) => id));
}

/**
 * An organization that turns free counts for each of its owners, whoever turned it. Under its lock they stay who they
 * are; one who became an owner before it was locked has not been held yet.
 *
 * @throws FREE_ORG_OWNER_LIMIT_EXCEEDED when one of them has as many as it may, Outdated when one is not among `held`
 */
export async function refuseFullOwners(work: Work, orgId: string, held: ReadonlySet<string>): Promise<void> {
  const owners = await work.rows(ownersStatement.with({ orgId }));
  if (owners.some(({ id }) => !held.has(id))) throw new Outdated();
  const [fullest] = await work.rows(countStatement.with({ orgId }));
  refuseMoreFree(fullest?.owned ?? 0);
}

const owner = alias(memberships, 'owner');
const owns = ({ orgId }: { readonly orgId: SQL }): SQL =>
  sql`${owner.orgId} = ${orgId} and ${owner.role} = 'owner' and ${owner.status} = 'active'`;

// In one order everywhere, so that two who share owners cannot wait for each other.
const lockStatement = statement(
  'tiers.lock-owners',
  { params: pick(memberships, 'orgId'), row: pick(principals, 'id') },
  (given, row) => sql`select ${row} from ${principals}
    where ${principals.id} in (select ${owner.principalId} from ${from(owner)} where ${owns(given)})
    order by ${principals.id} for no key update`,
);

const ownersStatement = statement(
  'tiers.owners',
  { params: pick(memberships, 'orgId'), row: { id: owner.principalId } },
  (given, row) => sql`select ${row} from ${from(owner)} where ${owns(given)}`,
);

const countStatement = statement(
  'tiers.count-free',
  { params: pick(memberships, 'orgId'), row: { owned: computed<number>('integer', sql`count(*)::int`) } },
  (given, row) => sql`select ${row} from ${from(owner)}
    join ${memberships} on ${memberships.principalId} = ${owner.principalId}
    join ${orgs} on ${orgs.id} = ${memberships.orgId}
    where ${owns(given)} and ${orgs.id} <> ${given.orgId} and ${countsAsFree}
    group by ${owner.principalId} order by 1 desc limit 1`,
);
