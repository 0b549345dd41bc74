import { columnsOf } from '../../db/columns-of.ts';
import type { Statement } from '../../db/pool.ts';
import { type Org, orgs, type Role } from '../../db/schema/orgs.ts';
import { notAuthorized } from '../access.ts';
import { isPrincipal } from '../caller.ts';
import { type Action, permissions, reaches } from '../permissions.ts';
import type { Work } from '../unit-of-work.ts';

/** An organization as it stands under its lock. */
export interface LockedOrg extends Org {
  /** Whether its lease runs at this moment, by the database clock; a perpetual one always does. */
  readonly leaseRuns: boolean;
  /** The caller's own; null for one who needs no membership. */
  readonly role: Role | null;
}

/**
 * Has everybody wait who would change the organization's own row, and asks again whether the caller may: what was
 * decided at the door may have changed while this waited.
 *
 * @throws NOT_AUTHORIZED
 */
export async function lockOrg(work: Work, orgId: string, action: Action): Promise<LockedOrg> {
  const [org] = await work.rows<Omit<LockedOrg, 'role'>>(lockStatement, [orgId]);
  const caller = await work.caller();
  if (!isPrincipal(caller)) return { ...org!, role: null };
  // A statement of its own: what it sees was committed before the lock was given.
  const [member] = await work.rows<{ role: Role }>(roleStatement, [orgId, caller.principal.id]);
  if (member === undefined) throw notAuthorized(action, 'member');
  if (!reaches(member.role, permissions[action].role)) throw notAuthorized(action, 'forbidden');
  return { ...org!, role: member.role };
}

const lockStatement: Statement = {
  name: 'orgs.lock-standing',
  text: `select ${columnsOf(orgs, 'o')}, (o.lease_perpetual or o.lease_expires_at > now()) as "leaseRuns"
    from orgs o where o.id = $1 for no key update`,
};

const roleStatement: Statement = {
  name: 'orgs.standing-role',
  text: `select role from memberships where org_id = $1 and principal_id = $2 and status = 'active'`,
};
