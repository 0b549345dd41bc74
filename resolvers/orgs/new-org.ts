import { randomUUID } from 'node:crypto';
import { ServiceError } from '../../core/errors.ts';
import { columnsOf } from '../../db/columns-of.ts';
import type { Statement } from '../../db/pool.ts';
import { type Org, orgs, type Role } from '../../db/schema/orgs.ts';
import { notAuthorized, type OrgScope } from '../access.ts';
import { writeAudit } from '../audit.ts';
import { freeOrgsPerOwner, leaseDays } from '../limits.ts';
import type { AuditEntry } from '../operation.ts';
import { permissions, reaches } from '../permissions.ts';
import type { Work } from '../unit-of-work.ts';

/**
 * Makes an organization on the free tier with the principal as its owner.
 *
 * @param home whether it is the wallet's own organization, of which there is one at most
 * @throws FREE_ORG_OWNER_LIMIT_EXCEEDED
 */
export async function newOrg(
  work: Work,
  principalId: string,
  { displayName, home }: { displayName: string | null; home: boolean },
): Promise<Org> {
  // The owner's row is locked while its free organizations are counted, so that callers who race cannot pass the cap.
  await work.rows(lockStatement, [principalId]);
  const [count] = await work.rows<{ owned: number }>(countStatement, [principalId]);
  if (count!.owned >= freeOrgsPerOwner) {
    throw new ServiceError('FREE_ORG_OWNER_LIMIT_EXCEEDED', {
      details: { limit: freeOrgsPerOwner, owned: count!.owned },
    });
  }
  const values = [randomUUID(), displayName, leaseDays.prototype, home ? principalId : null, principalId];
  const [org] = await work.rows<Org>(insertStatement, values);
  await work.rows(ownerStatement, [org!.id, principalId, randomUUID()]);
  return org!;
}

/**
 * The wallet's own organization, made when it is first needed.
 *
 * @throws NOT_AUTHORIZED when the wallet no longer has the right to create projects there
 */
export async function findOrCreateHomeOrg(work: Work, principalId: string): Promise<OrgScope> {
  await work.rows(lockStatement, [principalId]);
  let [found] = await work.rows<HomeRow>(homeStatement, [principalId]);
  if (found === undefined) {
    const org = await newOrg(work, principalId, { displayName: null, home: true });
    await writeAudit(work.client, work, await work.caller(), {}, orgCreated(org));
    [found] = await work.rows<HomeRow>(homeStatement, [principalId]);
  }
  const { role, membershipId, ...org } = found!;
  if (role !== null && reaches(role, permissions['project:create'].role)) {
    return { org, authority: { kind: 'membership', membershipId: membershipId!, role } };
  }
  throw notAuthorized('project:create', role === null ? 'member' : 'forbidden');
}

type HomeRow = Org & { readonly role: Role | null; readonly membershipId: string | null };

/** What the audit says of a new organization. */
export const orgCreated = ({ id }: Org): AuditEntry => ({
  action: 'org.created',
  object: { kind: 'organization', id },
  orgId: id,
});

const lockStatement: Statement = {
  name: 'orgs.lock-owner',
  text: 'select 1 from principals where id = $1 for no key update',
};

const countStatement: Statement = {
  name: 'orgs.count-free',
  text: `select count(*)::int as owned from memberships m join orgs o on o.id = m.org_id
    where m.principal_id = $1 and m.role = 'owner' and m.status = 'active' and o.tier = 'prototype'`,
};

const insertStatement: Statement = {
  name: 'orgs.insert',
  text: `insert into orgs as o (id, display_name, tier, lease_started_at, lease_expires_at, home_of, created_by)
    values ($1, $2, 'prototype', now(), now() + make_interval(days => $3), $4, $5) returning ${columnsOf(orgs, 'o')}`,
};

const ownerStatement: Statement = {
  name: 'orgs.insert-owner',
  text: `insert into memberships (org_id, principal_id, id, role, status) values ($1, $2, $3, 'owner', 'active')`,
};

const homeStatement: Statement = {
  name: 'orgs.home',
  text: `select ${columnsOf(orgs, 'o')}, m.role, m.id as "membershipId" from orgs o
    left join memberships m on m.org_id = o.id and m.principal_id = o.home_of and m.status = 'active'
    where o.home_of = $1`,
};
