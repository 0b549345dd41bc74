import { randomUUID } from 'node:crypto';
import { ServiceError } from '../../../core/errors.ts';
import { columnsOf } from '../../../db/columns-of.ts';
import type { Statement } from '../../../db/pool.ts';
import { type Org, orgs } from '../../../db/schema/orgs.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { freeOrgsPerOwner } from '../../../kernel/limits/limits.ts';
import { tiers } from '../../../kernel/limits/tier-table.ts';
import type { AuditEntry } from '../../../kernel/run/operation.ts';
import { newLeaseIsPerpetual } from './lease-mode.ts';

/**
 * Makes an organization on the lowest tier with the principal as its owner. Its lease is perpetual unless leases are on.
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
  await lockOwner(work, principalId);
  const [count] = await work.rows<{ owned: number }>(countStatement, [principalId]);
  refuseMoreFree(count!.owned);
  const values = [randomUUID(), displayName, tiers.prototype.leaseDays * 24, home ? principalId : null, principalId];
  const [org] = await work.rows<Org>(insertStatement, values);
  await work.rows(ownerStatement, [org!.id, principalId, randomUUID()]);
  return org!;
}

/** Has everybody wait who would change what free organizations the principal owns. */
export const lockOwner = (work: Work, principalId: string) => work.rows(lockStatement, [principalId]);

/** @throws FREE_ORG_OWNER_LIMIT_EXCEEDED when an owner of so many free organizations can have no further one */
export function refuseMoreFree(owned: number): void {
  if (owned < freeOrgsPerOwner) return;
  throw new ServiceError('FREE_ORG_OWNER_LIMIT_EXCEEDED', { details: { limit: freeOrgsPerOwner, owned } });
}

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

/**
 * A membership `m` that makes its principal the owner of a free organization `o` which it made itself: whoever is made
 * an owner by others has no say in that, and loses nothing by it.
 */
export const countsAsFree = `m.role = 'owner' and m.status = 'active' and o.created_by = m.principal_id
  and o.tier = 'prototype' and o.lifecycle_state <> 'purged'`;

const countStatement: Statement = {
  name: 'orgs.count-free',
  text: `select count(*)::int as owned from memberships m join orgs o on o.id = m.org_id
    where m.principal_id = $1 and ${countsAsFree}`,
};

const insertStatement: Statement = {
  name: 'orgs.insert',
  text: `insert into orgs as o
      (id, display_name, tier, lease_perpetual, lease_started_at, lease_expires_at, home_of, created_by)
    values ($1, $2, 'prototype', (${newLeaseIsPerpetual}), now(), now() + make_interval(hours => $3), $4, $5)
    returning ${columnsOf(orgs, 'o')}`,
};

const ownerStatement: Statement = {
  name: 'orgs.insert-owner',
  text: `insert into memberships (org_id, principal_id, id, role, status) values ($1, $2, $3, 'owner', 'active')`,
};
