import type { Statement } from '../../db/pool.ts';
import { countsAsFree, refuseMoreFree } from '../orgs/new-org.ts';
import type { Work } from '../unit-of-work.ts';

/** Has everybody wait who would change what free organizations the organization's owners have. */
export const holdRoomForFree = (work: Work, orgId: string) => work.rows(lockStatement, [orgId]);

/**
 * An organization that turns free counts for each of its owners, whoever turned it.
 *
 * @throws FREE_ORG_OWNER_LIMIT_EXCEEDED when one of them has as many as it may
 */
export async function refuseFullOwners(work: Work, orgId: string): Promise<void> {
  const [fullest] = await work.rows<{ owned: number }>(countStatement, [orgId]);
  refuseMoreFree(fullest?.owned ?? 0);
}

// In one order everywhere, so that two who share owners cannot wait for each other.
const lockStatement: Statement = {
  name: 'tiers.lock-owners',
  text: `select 1 from principals where id in (
      select principal_id from memberships where org_id = $1 and role = 'owner' and status = 'active'
    ) order by id for no key update`,
};

const countStatement: Statement = {
  name: 'tiers.count-free',
  text: `select count(*)::int as owned from memberships owner
    join memberships m on m.principal_id = owner.principal_id join orgs o on o.id = m.org_id
    where owner.org_id = $1 and owner.role = 'owner' and owner.status = 'active' and o.id <> $1 and ${countsAsFree}
    group by owner.principal_id order by 1 desc limit 1`,
};
