import type { Statement } from '../../db/pool.ts';
import { Outdated, type Work } from '../../kernel/durability/unit-of-work.ts';
import { countsAsFree, refuseMoreFree } from '../orgs/shared/new-org.ts';

/** Has everybody wait who would change what free organizations the organization's owners have. */
export async function holdRoomForFree(work: Work, orgId: string): Promise<ReadonlySet<string>> {
  return new Set((await work.rows<{ id: string }>(lockStatement, [orgId])).map(({ id }) => id));
}

/**
 * An organization that turns free counts for each of its owners, whoever turned it. Under its lock they stay who they
 * are; one who became an owner before it was locked has not been held yet.
 *
 * @throws FREE_ORG_OWNER_LIMIT_EXCEEDED when one of them has as many as it may, Outdated when one is not among `held`
 */
export async function refuseFullOwners(work: Work, orgId: string, held: ReadonlySet<string>): Promise<void> {
  const owners = await work.rows<{ id: string }>(ownersStatement, [orgId]);
  if (owners.some(({ id }) => !held.has(id))) throw new Outdated();
  const [fullest] = await work.rows<{ owned: number }>(countStatement, [orgId]);
  refuseMoreFree(fullest?.owned ?? 0);
}

// In one order everywhere, so that two who share owners cannot wait for each other.
const lockStatement: Statement = {
  name: 'tiers.lock-owners',
  text: `select id from principals where id in (
      select principal_id from memberships where org_id = $1 and role = 'owner' and status = 'active'
    ) order by id for no key update`,
};

const ownersStatement: Statement = {
  name: 'tiers.owners',
  text: `select principal_id as id from memberships where org_id = $1 and role = 'owner' and status = 'active'`,
};

const countStatement: Statement = {
  name: 'tiers.count-free',
  text: `select count(*)::int as owned from memberships owner
    join memberships m on m.principal_id = owner.principal_id join orgs o on o.id = m.org_id
    where owner.org_id = $1 and owner.role = 'owner' and owner.status = 'active' and o.id <> $1 and ${countsAsFree}
    group by owner.principal_id order by 1 desc limit 1`,
};
