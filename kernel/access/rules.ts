// Who may see what, as conditions of SQL: the door (access.ts), the loaders and the watch over open subscriptions
// (subscriptions/authority.ts) decide alike because they say it with the same words. Arguments are SQL expressions.

/** A grant, or a delegate of one, that still holds: by the alias of its row. */
export const grantHolds = (alias: string): string =>
  `${alias}.revoked_at is null and (${alias}.expires_at is null or ${alias}.expires_at > now())`;

/** A principal is an active member of an organization. */
export const isMember = (orgId: string, principalId: string): string => `exists (
    select from memberships own where own.org_id = ${orgId} and own.principal_id = ${principalId} and own.status = 'active')`;

/** A principal is an active member of an organization in one of some roles, written `owner,admin`. */
export const isMemberIn = (orgId: string, principalId: string, roles: string): string => `exists (
    select from memberships own where own.org_id = ${orgId} and own.principal_id = ${principalId}
      and own.status = 'active' and own.role::text = any(string_to_array(${roles}, ',')))`;

/** The organizations that a principal is an active member of, found once for a whole statement: what lists begin with. */
export const memberOrgs = (principalId: string): string =>
  `array(select own.org_id from memberships own where own.principal_id = ${principalId} and own.status = 'active')`;

/** A project's default room is named by the project's id; any other key is a label. Contract 02, section 2.0. */
export const isProjectRoom = (key: string): string => `starts_with(${key}, 'prj_')`;

/**
 * A project's room is there as long as its project is; a named room always is. The offset keeps Postgres from reading
 * all projects into a hash instead of looking up the one.
 */
export const roomStands = (orgId: string, key: string): string => `(not ${isProjectRoom(key)} or exists (
    select from projects p where p.org_id = ${orgId} and p.id = ${key} and p.deleted_at is null offset 0))`;

/** A grant `alias` opens its own project's room, and the organization's named ones. */
export const grantOpens = (alias: string, key: string): string =>
  `(not ${isProjectRoom(key)} or ${alias}.project_id = ${key})`;

/** A principal holds a grant that opens a room. */
export const hasRoomGrant = (orgId: string, principalId: string, key: string): string => `exists (
    select from project_grants g where g.org_id = ${orgId} and g.principal_id = ${principalId}
      and ${grantHolds('g')} and ${grantOpens('g', key)})`;

/** A principal holds a grant on a project with one of some capabilities, written `read,deploy`. */
export const hasProjectGrant = (orgId: string, principalId: string, projectId: string, capabilities: string): string =>
  `exists (
    select from project_grants g where g.org_id = ${orgId} and g.principal_id = ${principalId}
      and g.project_id = ${projectId} and g.capability = any(string_to_array(${capabilities}, ',')) and ${grantHolds('g')})`;

/**
 * The rooms that a delegate or a service key names itself: rooms of its projects in its own organization, and that
 * organization's named ones for those who reach them.
 */
export const isClaimedRoom = (
  orgId: string,
  key: string,
  claim: { readonly orgId: string; readonly projectIds: string; readonly namedRooms: string },
): string => `(${orgId} = ${claim.orgId}
    and case when ${isProjectRoom(key)} then ${key} = any(${claim.projectIds}) else ${claim.namedRooms} end)`;
