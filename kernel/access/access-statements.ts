import { type SQL, sql } from '../../db/drizzle.ts';
import { memberships, orgs, type Role } from '../../db/schema/orgs.ts';
import { projectGrants, projects } from '../../db/schema/projects.ts';
import { rooms } from '../../db/schema/rooms.ts';
import { allOf, computed, orNull, partOf, prefixed, statement, typed } from '../../db/sql.ts';
import { projectColumns } from './project-columns.ts';
import { grantHolds, grantOpens, roomStands } from './rules.ts';

const orgColumns = allOf(orgs);

/** The organization, and the project, of a row. */
export const orgIn = partOf('org.', orgColumns);
export const projectIn = partOf('project.', projectColumns);

/** What each row says of the caller: its role, its membership, and what its grants allow. */
export interface OrgRow {
  readonly role: Role | null;
  readonly membershipId: string | null;
  readonly capabilities: readonly string[] | null;
}

// Each statement returns a row only when the caller may know of the target. Absent and foreign targets both return none.

const asked = {
  principal: typed<string | null>('text'),
  /** Whether the credential itself opens it. */
  admitted: typed<boolean>('boolean'),
};
const ofMember = orNull({ role: memberships.role, membershipId: memberships.id });
const granted = sql.identifier('granted');
const ofGrant = { capabilities: computed<readonly string[] | null>('text[]', sql`${granted}.capabilities`) };
const ofOrg = prefixed('org.', orgColumns);

const joinMembership = (principal: SQL): SQL =>
  sql`left join ${memberships} on ${memberships.orgId} = ${orgs.id} and ${memberships.principalId} = ${principal}
    and ${memberships.status} = 'active'`;

/** The capabilities of the principal's grants in the organization. @param on what else has to hold of a grant */
const joinGrants = (principal: SQL, on?: SQL): SQL =>
  sql`left join lateral (
      select array_agg(${projectGrants.capability}) as capabilities from ${projectGrants}
      where ${projectGrants.orgId} = ${orgs.id} and ${projectGrants.principalId} = ${principal}
        and ${grantHolds(projectGrants)}${on === undefined ? sql`` : sql` and ${on}`}
    ) ${granted} on true`;

const mayKnow = (admitted: SQL): SQL => sql`(${admitted}::boolean or ${memberships.id} is not null)`;
const mayKnowByGrant = (admitted: SQL): SQL =>
  sql`(${admitted}::boolean or ${memberships.id} is not null or ${granted}.capabilities is not null)`;

export const orgStatement = statement(
  'access.org',
  {
    params: { org: orgs.id, ...asked },
    row: { ...ofOrg, ...ofMember, capabilities: computed<null>('text', sql`null`) },
    pipelined: true,
  },
  ({ org, principal, admitted }, row) =>
    sql`select ${row} from ${orgs} ${joinMembership(principal)} where ${orgs.id} = ${org} and ${mayKnow(admitted)}`,
);

export const orgGrantStatement = statement(
  'access.org-by-grant',
  { params: { org: orgs.id, ...asked }, row: { ...ofOrg, ...ofMember, ...ofGrant }, pipelined: true },
  ({ org, principal, admitted }, row) =>
    sql`select ${row} from ${orgs} ${joinMembership(principal)} ${joinGrants(principal)}
      where ${orgs.id} = ${org} and ${mayKnowByGrant(admitted)}`,
);

export const projectStatement = statement(
  'access.project',
  {
    params: { project: projects.id, ...asked },
    row: { ...ofOrg, ...prefixed('project.', projectColumns), ...ofMember, ...ofGrant },
    pipelined: true,
  },
  ({ project, principal, admitted }, row) =>
    sql`select ${row} from ${projects} join ${orgs} on ${orgs.id} = ${projects.orgId} ${joinMembership(principal)}
      ${joinGrants(principal, sql`${projectGrants.projectId} = ${projects.id}`)}
      where ${projects.id} = ${project} and ${projects.deletedAt} is null and ${mayKnowByGrant(admitted)}`,
);

export const roomStatement = statement(
  'access.room',
  {
    params: { org: orgs.id, ...asked, room: rooms.key },
    row: {
      ...ofOrg,
      ...ofMember,
      ...ofGrant,
      used: computed<boolean>('boolean', sql`${rooms.key} is not null`),
    },
    pipelined: true,
  },
  ({ org, principal, admitted, room }, row) =>
    sql`select ${row} from ${orgs} ${joinMembership(principal)}
      ${joinGrants(principal, grantOpens(projectGrants, room))}
      left join ${rooms} on ${rooms.orgId} = ${orgs.id} and ${rooms.key} = ${room}
      where ${orgs.id} = ${org} and ${mayKnowByGrant(admitted)} and ${roomStands(orgs.id, room)}`,
);
