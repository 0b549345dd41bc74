import { columnsOf } from '../../db/columns-of.ts';
import type { Statement } from '../../db/pool.ts';
import { type Org, orgs, type Role } from '../../db/schema/orgs.ts';
import { notAuthorized, type OrgScope } from '../access.ts';
import { isPrincipal } from '../caller.ts';
import { refuseWhileClosed } from '../lifecycle.ts';
import { type Action, permissions, reaches } from '../permissions.ts';
import type { Work } from '../unit-of-work.ts';

/**
 * Lets changes to an organization's members, keys and vaults happen one after the other.
 *
 * @returns the organization as it is now; undefined for an absent one
 */
export async function lockOrg(work: Work, orgId: string): Promise<Org | undefined> {
  const [org] = await work.rows<Org>(lockStatement, [orgId]);
  return org;
}

/**
 * Locks an organization for a change by one of its members, and looks again whether the caller still is who it was at
 * the door: of two owners who remove each other one comes second, and is no owner by then.
 *
 * @param options.gated whether a lapsed lease refuses the change, as it did at the door
 * @throws NOT_AUTHORIZED, and what a lapsed lease answers
 */
export async function lockMembers(
  work: Work & OrgScope,
  action: Action,
  { gated = false }: { readonly gated?: boolean } = {},
): Promise<void> {
  const org = await lockOrg(work, work.org.id);
  const caller = await work.caller();
  // A statement of its own: what was read together with the lock is from before the wait for it.
  const [own] = isPrincipal(caller)
    ? await work.rows<{ role: Role }>(ownStatement, [work.org.id, caller.principal.id])
    : [];
  if (own === undefined) throw notAuthorized(action, 'member');
  if (!reaches(own.role, permissions[action].role)) throw notAuthorized(action, 'forbidden');
  if (gated) refuseWhileClosed(org);
}

const lockStatement: Statement = {
  name: 'orgs.lock',
  text: `select ${columnsOf(orgs, 'o')} from orgs o where o.id = $1 for no key update`,
};

const ownStatement: Statement = {
  name: 'members.own',
  text: `select role from memberships where org_id = $1 and principal_id = $2 and status = 'active'`,
};
