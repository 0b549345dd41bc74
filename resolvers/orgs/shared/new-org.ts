import { randomUUID } from 'node:crypto';
import { ServiceError } from '../../../core/errors.ts';
import { sql } from '../../../db/drizzle.ts';
import { principals } from '../../../db/schema/identity.ts';
import { memberships, type Org, orgs } from '../../../db/schema/orgs.ts';
import { allOf, computed, insertInto, pick, statement, typed } from '../../../db/sql.ts';
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
  await holdRoomForFreeOrg(work, principalId);
  const inserted = insertStatement.with({
    id: randomUUID(),
    displayName,
    leaseHours: tiers.prototype.leaseDays * 24,
    homeOf: home ? principalId : null,
    createdBy: principalId,
  });
  const [org] = await work.rows(inserted);
  await work.rows(ownerStatement.with({ orgId: org!.id, principalId, id: randomUUID() }));
  return org!;
}

/**
 * Whether the principal may own one more free organization. Its row is locked while they are counted, so that callers who
 * race cannot pass the cap.
 *
 * @param leaving one that does not count
 * @throws FREE_ORG_OWNER_LIMIT_EXCEEDED
 */
export async function holdRoomForFreeOrg(
  work: Work,
  principalId: string,
  { leaving = null }: { readonly leaving?: string | null } = {},
): Promise<void> {
  await lockOwner(work, principalId);
  const [count] = await work.rows(countStatement.with({ principalId, leaving }));
  refuseMoreFree(count!.owned);
}

/** Has everybody wait who would change what free organizations the principal owns. */
export const lockOwner = (work: Work, principalId: string) => work.rows(lockStatement.with({ id: principalId }));

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

const lockStatement = statement(
  'orgs.lock-owner',
  { params: pick(principals, 'id') },
  ({ id }) => sql`select from ${principals} where ${principals.id} = ${id} for no key update`,
);

/**
 * A membership that makes its principal the owner of a free organization which it made itself: a principal that others
 * made an owner has no say in that, and loses nothing by it.
 */
export const countsAsFree = sql`${memberships.role} = 'owner' and ${memberships.status} = 'active'
  and ${orgs.createdBy} = ${memberships.principalId} and ${orgs.tier} = 'prototype' and ${orgs.lifecycleState} <> 'purged'`;

const countStatement = statement(
  'orgs.count-free',
  {
    params: { ...pick(memberships, 'principalId'), leaving: typed<string | null>('uuid') },
    row: { owned: computed<number>('integer', sql`count(*)::int`) },
  },
  (
    { principalId, leaving },
    row,
  ) => sql`select ${row} from ${memberships} join ${orgs} on ${orgs.id} = ${memberships.orgId}
    where ${memberships.principalId} = ${principalId} and ${countsAsFree} and ${orgs.id} is distinct from ${leaving}::uuid`,
);

const insertStatement = statement(
  'orgs.insert',
  {
    params: { ...pick(orgs, 'id', 'displayName', 'homeOf', 'createdBy'), leaseHours: typed<number>('integer') },
    row: allOf(orgs),
  },
  ({ leaseHours, ...given }, row) =>
    sql`${insertInto(orgs, {
      ...given,
      tier: sql`'prototype'`,
      leasePerpetual: sql`(${newLeaseIsPerpetual})`,
      leaseStartedAt: sql`now()`,
      leaseExpiresAt: sql`now() + make_interval(hours => ${leaseHours})`,
    })} returning ${row}`,
);

const ownerStatement = statement(
  'orgs.insert-owner',
  { params: pick(memberships, 'orgId', 'principalId', 'id') },
  (given) => insertInto(memberships, { ...given, role: sql`'owner'`, status: sql`'active'` }),
);
