import { ServiceError } from '../../core/errors.ts';
import type { Statement } from '../../db/pool.ts';
import type { Role } from '../../db/schema/orgs.ts';
import type { Work } from '../durability/unit-of-work.ts';
import {
  grantSuffices,
  notAuthorized,
  type OrgScope,
  type ProjectScope,
  type RoomScope,
  requireRole,
} from './access.ts';
import { principalIdOf } from './caller.ts';
import type { Action } from './permissions.ts';
import { grantHolds } from './rules.ts';

/**
 * Looks once more at the right by which the caller was admitted, and holds it as it is until the change is committed:
 * who is being removed hands out and takes away nothing any more. Comes after the locks that the change waits for:
 * everywhere principals are locked first, then the organization, its project, the membership, and grants last.
 *
 * @throws NOT_AUTHORIZED, and INVALID_AUTH for a delegate that has ended
 */
export async function holdRight(work: Work & (OrgScope | ProjectScope), action: Action): Promise<void> {
  switch (work.authority.kind) {
    case 'membership':
      await holdRole(work, work.org.id, action, 'project' in work ? 'project_not_found' : 'member');
      return;
    case 'grant':
      return holdGrant(work, action);
    case 'delegate':
      return holdDelegate(work);
    default:
      // The key of a project ends with the project, whose row is locked; the platform admin's right does not end.
      return;
  }
}

/** Looks at the caller's membership of an organization and holds it. @returns its role @throws NOT_AUTHORIZED */
export async function holdRole(
  work: Work,
  orgId: string,
  action: Action,
  absent: 'member' | 'project_not_found' = 'member',
): Promise<Role> {
  const held = await work.rows<{ role: Role }>(holdRoleStatement, [orgId, principalIdOf(await work.caller())]);
  const role = held[0]?.role ?? null;
  requireRole(action, role, absent);
  return role;
}

async function holdGrant(work: Work & OrgScope, action: Action): Promise<void> {
  const values = [work.org.id, grantedProject(work), principalIdOf(await work.caller())];
  const held = await work.rows<{ capability: string }>(holdGrantStatement, values);
  const capabilities = held.map(({ capability }) => capability);
  if (!grantSuffices(action, capabilities))
    throw notAuthorized(action, held.length > 0 ? 'grant' : 'project_not_found');
}

/** The project that a grant has to be on; null where one on any of the organization's opens what is asked for. */
function grantedProject(work: OrgScope): string | null {
  const { project, room } = work as Partial<ProjectScope & RoomScope>;
  if (project !== undefined) return project.id;
  return room?.key.startsWith('prj_') === true ? room.key : null;
}

async function holdDelegate(work: Work): Promise<void> {
  const caller = await work.caller();
  const values = caller.kind === 'delegate' ? [caller.orgId, caller.delegateId] : [null, null];
  if ((await work.rows(holdDelegateStatement, values)).length === 0) throw new ServiceError('INVALID_AUTH');
}

const holdRoleStatement: Statement = {
  name: 'access.hold-membership',
  text: `select role from memberships where org_id = $1 and principal_id = $2 and status = 'active' for share`,
};

const holdGrantStatement: Statement = {
  name: 'access.hold-grants',
  text: `select g.capability from project_grants g
    where g.org_id = $1 and ($2::text is null or g.project_id = $2) and g.principal_id = $3 and ${grantHolds('g')}
    order by g.id for share`,
};

const holdDelegateStatement: Statement = {
  name: 'access.hold-delegate',
  text: `select 1 from delegates d join project_grants g on g.org_id = d.org_id and g.id = d.grant_id
    where d.org_id = $1 and d.id = $2 and ${grantHolds('d')} and ${grantHolds('g')} for share`,
};
