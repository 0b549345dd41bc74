import type { Statement } from '../db/pool.ts';
import type { Role } from '../db/schema/orgs.ts';
import { notAuthorized, type OrgScope } from './access.ts';
import { isPrincipal } from './caller.ts';
import { type Action, permissions, reaches } from './permissions.ts';
import type { Work } from './unit-of-work.ts';

/**
 * Looks at the caller's membership once more, and holds it as it is until the change is committed: who is being removed
 * hands out nothing any more. For changes that outlive their maker's own right.
 *
 * @throws NOT_AUTHORIZED
 */
export async function holdRight(work: Work & OrgScope, action: Action): Promise<void> {
  const caller = await work.caller();
  if (work.authority.kind !== 'membership' || !isPrincipal(caller)) return;
  const [held] = await work.rows<{ role: Role }>(holdStatement, [work.org.id, caller.principal.id]);
  if (held === undefined) throw notAuthorized(action, 'project' in work ? 'project_not_found' : 'member');
  if (!reaches(held.role, permissions[action].role)) throw notAuthorized(action, 'forbidden');
}

const holdStatement: Statement = {
  name: 'access.hold-membership',
  text: `select role from memberships where org_id = $1 and principal_id = $2 and status = 'active' for share`,
};
