import { sql } from '../../../db/drizzle.ts';
import { type Org, orgs, type Role } from '../../../db/schema/orgs.ts';
import { allOf, computed, pick, statement } from '../../../db/sql.ts';
import { holdRole } from '../../../kernel/access/hold-right.ts';
import type { Action } from '../../../kernel/access/permissions.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';

/** An organization as it stands under its lock. */
export interface LockedOrg extends Org {
  /** Whether its lease runs at this moment, by the database clock; a perpetual one always does. */
  readonly leaseRuns: boolean;
}

/**
 * Has everybody wait who would change the organization's own row, its members, keys or vaults: such changes happen one
 * after the other.
 *
 * @returns the organization as it is now; undefined for an absent one
 */
export async function lockOrg(work: Work, orgId: string): Promise<LockedOrg | undefined> {
  const [org] = await work.rows(lockStatement.with({ id: orgId }));
  return org;
}

/**
 * Locks an organization for a change by one of its members, and looks again whether the caller still is who it was at
 * the door: of two owners who remove each other one comes second, and is no owner by then.
 *
 * @throws NOT_AUTHORIZED
 */
export async function lockOrgFor(
  work: Work,
  orgId: string,
  action: Action,
): Promise<LockedOrg & { /** The caller's own. */ readonly role: Role }> {
  const org = await lockOrg(work, orgId);
  // A statement of its own: what was read together with the lock is from before the wait for it.
  const role = await holdRole(work, orgId, action);
  return { ...org!, role };
}

const lockStatement = statement(
  'orgs.lock',
  {
    params: pick(orgs, 'id'),
    row: {
      ...allOf(orgs),
      leaseRuns: computed<boolean>('boolean', sql`${orgs.leasePerpetual} or ${orgs.leaseExpiresAt} > now()`),
    },
  },
  ({ id }, row) => sql`select ${row} from ${orgs} where ${orgs.id} = ${id} for no key update`,
);
