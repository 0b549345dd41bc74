// Visibility of rows, as conditions of SQL: the access rules (access.ts), the loaders and the watch over open subscriptions
// (subscriptions/authority.ts) decide alike because they say it with the same words. Arguments are SQL expressions.
import { alias, type Column, type SQL, sql } from '../../db/drizzle.ts';
import { memberships } from '../../db/schema/orgs.ts';
import { projectGrants, projects } from '../../db/schema/projects.ts';
import { from } from '../../db/sql.ts';

type Expression = SQL | Column;

/** A grant, or a delegate of one, that still holds: by the row of its table or of an alias. */
export const grantHolds = (row: { readonly revokedAt: Column; readonly expiresAt: Column }): SQL =>
  sql`${row.revokedAt} is null and (${row.expiresAt} is null or ${row.expiresAt} > now())`;

const own = alias(memberships, 'own');
const isOwn = (orgId: Expression, principalId: Expression): SQL =>
  sql`${own.orgId} = ${orgId} and ${own.principalId} = ${principalId} and ${own.status} = 'active'`;

/** A principal is an active member of an organization. */
export const isMember = (orgId: Expression, principalId: Expression): SQL =>
  sql`exists (select from ${from(own)} where ${isOwn(orgId, principalId)})`;

/** A principal is an active member of an organization in one of some roles, written `owner,admin`. */
export const isMemberIn = (orgId: Expression, principalId: Expression, roles: Expression): SQL =>
  sql`exists (select from ${from(own)} where ${isOwn(orgId, principalId)}
    and ${own.role}::text = any(string_to_array(${roles}, ',')))`;

/** The organizations that a principal is an active member of, found once for a whole statement: what lists begin with. */
export const memberOrgs = (principalId: Expression): SQL =>
  sql`array(select ${own.orgId} from ${from(own)} where ${own.principalId} = ${principalId} and ${own.status} = 'active')`;

/** A project's default room is named by the project's id; any other key is a label. Contract 02, section 2.0. */
export const isProjectRoom = (key: Expression): SQL => sql`starts_with(${key}, 'prj_')`;

const roomProject = alias(projects, 'p');

/**
 * A project's room is there as long as its project is; a named room always is. The offset keeps Postgres from reading
 * all projects into a hash instead of looking up the one.
 */
export const roomStands = (orgId: Expression, key: Expression): SQL =>
  sql`(not ${isProjectRoom(key)} or exists (
    select from ${from(roomProject)} where ${roomProject.orgId} = ${orgId} and ${roomProject.id} = ${key}
      and ${roomProject.deletedAt} is null offset 0))`;

/** A grant opens its own project's room, and the organization's named ones. */
export const grantOpens = (grant: { readonly projectId: Column }, key: Expression): SQL =>
  sql`(not ${isProjectRoom(key)} or ${grant.projectId} = ${key})`;

const held = alias(projectGrants, 'g');
const isHeld = (orgId: Expression, principalId: Expression): SQL =>
  sql`${held.orgId} = ${orgId} and ${held.principalId} = ${principalId} and ${grantHolds(held)}`;

/** A principal holds a grant that opens a room. */
export const hasRoomGrant = (orgId: Expression, principalId: Expression, key: Expression): SQL =>
  sql`exists (select from ${from(held)} where ${isHeld(orgId, principalId)} and ${grantOpens(held, key)})`;

/** A principal holds a grant on a project with one of some capabilities, written `read,deploy`. */
export const hasProjectGrant = (
  orgId: Expression,
  principalId: Expression,
  projectId: Expression,
  capabilities: Expression,
): SQL =>
  sql`exists (select from ${from(held)} where ${isHeld(orgId, principalId)} and ${held.projectId} = ${projectId}
    and ${held.capability} = any(string_to_array(${capabilities}, ',')))`;

/**
 * The rooms that a delegate or a service key names itself: rooms of its projects in its own organization, and that
 * organization's named ones for those who reach them.
 */
export const isClaimedRoom = (
  orgId: Expression,
  key: Expression,
  claim: { readonly orgId: SQL; readonly projectIds: SQL; readonly namedRooms: SQL },
): SQL => sql`(${orgId} = ${claim.orgId}
  and case when ${isProjectRoom(key)} then ${key} = any(${claim.projectIds}) else ${claim.namedRooms} end)`;
