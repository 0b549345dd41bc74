import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { memberships, type Role } from '../../db/schema/orgs.ts';
import { delegates, projectGrants } from '../../db/schema/projects.ts';
import { pick, statement, typed } from '../../db/sql.ts';
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
  const held = await work.rows(holdRoleStatement.with({ orgId, principal: principalIdOf(await work.caller()) }));
  const role = held[0]?.role ?? null;
  requireRole(action, role, absent);
  return role;
}

async function holdGrant(work: Work & OrgScope, action: Action): Promise<void> {
  const principal = principalIdOf(await work.caller());
  const held = await work.rows(
    holdGrantStatement.with({ orgId: work.org.id, project: grantedProject(work), principal }),
  );
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
  if (caller.kind !== 'delegate') throw new ServiceError('INVALID_AUTH');
  const held = await work.rows(holdDelegateStatement.with({ orgId: caller.orgId, id: caller.delegateId }));
  if (held.length === 0) throw new ServiceError('INVALID_AUTH');
}

const principal = typed<string | null>('text');

const holdRoleStatement = statement(
  'access.hold-membership',
  { params: { orgId: memberships.orgId, principal }, row: pick(memberships, 'role') },
  (given, row) => sql`select ${row} from ${memberships} where ${memberships.orgId} = ${given.orgId}
    and ${memberships.principalId} = ${given.principal} and ${memberships.status} = 'active' for share`,
);

const holdGrantStatement = statement(
  'access.hold-grants',
  {
    params: { orgId: projectGrants.orgId, project: typed<string | null>('text'), principal },
    row: pick(projectGrants, 'capability'),
  },
  ({ orgId, project, principal }, row) => sql`select ${row} from ${projectGrants}
    where ${projectGrants.orgId} = ${orgId} and (${project}::text is null or ${projectGrants.projectId} = ${project})
      and ${projectGrants.principalId} = ${principal} and ${grantHolds(projectGrants)}
    order by ${projectGrants.id} for share`,
);

const holdDelegateStatement = statement(
  'access.hold-delegate',
  { params: pick(delegates, 'orgId', 'id'), row: pick(delegates, 'id') },
  ({ orgId, id }, row) => sql`select ${row} from ${delegates}
    join ${projectGrants} on ${projectGrants.orgId} = ${delegates.orgId} and ${projectGrants.id} = ${delegates.grantId}
    where ${delegates.orgId} = ${orgId} and ${delegates.id} = ${id} and ${grantHolds(delegates)}
      and ${grantHolds(projectGrants)} for share`,
);
