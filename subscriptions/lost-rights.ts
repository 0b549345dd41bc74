import { type SQL, sql } from '../db/drizzle.ts';
import { principals, sessions } from '../db/schema/identity.ts';
import { orgs } from '../db/schema/orgs.ts';
import { projectCredentials } from '../db/schema/project-credentials.ts';
import { delegates, projectGrants, projects } from '../db/schema/projects.ts';
import { computed, statement, typed } from '../db/sql.ts';
import type { AuthorityEntry } from '../kernel/access/authority-watch.ts';
import { type Action, capabilities, rolesFrom } from '../kernel/access/permissions.ts';
import { grantHolds, hasProjectGrant, hasRoomGrant, isMember, isMemberIn, roomStands } from '../kernel/access/rules.ts';
import { sessionStands } from '../resolvers/identity/shared/session-stands.ts';

/** The parameters of {@link lostStatement}: one array per column. */
export const columnsOfEntries = (entries: readonly AuthorityEntry[]) => ({
  orgIds: entries.map(({ orgId }) => orgId),
  principalIds: entries.map(({ principalId }) => principalId),
  roomKeys: entries.map(({ roomKey }) => roomKey ?? null),
  sessionIds: entries.map(({ sessionId }) => sessionId),
  delegateIds: entries.map(({ delegateId }) => delegateId),
  keyProjectIds: entries.map(({ projectKeyProjectId }) => projectKeyProjectId),
  delegateTokenHashes: entries.map(({ delegateTokenHash }) => delegateTokenHash ?? null),
  credentialIds: entries.map(({ credentialId }) => credentialId ?? null),
  projectIds: entries.map(({ inProject }) => inProject?.id ?? null),
  // Arrays of arrays would have to be of one length.
  roles: entries.map(({ inProject }) => (inProject ? rolesFrom(inProject.action.role).join(',') : null)),
  capabilities: entries.map(({ inProject }) => (inProject ? capabilitiesFor(inProject.action) : null)),
});

/** Capabilities of a grant that suffice for an action, written `read,deploy`; null when none does. */
function capabilitiesFor({ grants }: Action): string | null {
  return grants === undefined ? null : (grants === 'any' ? capabilities : grants).join(',');
}

/** The columns of what is asked, one row for each entry. */
const asked = {
  orgId: sql`e.org_id`,
  principalId: sql`e.principal_id`,
  roomKey: sql`e.room_key`,
  sessionId: sql`e.session_id`,
  delegateId: sql`e.delegate_id`,
  keyProjectId: sql`e.key_project_id`,
  delegateTokenHash: sql`e.delegate_token_hash`,
  credentialId: sql`e.credential_id`,
  projectId: sql`e.project_id`,
  roles: sql`e.roles`,
  capabilities: sql`e.capabilities`,
};

const projectStands = (id: SQL): SQL => sql`exists (select from ${projects}
  where ${projects.orgId} = ${asked.orgId} and ${projects.id} = ${id} and ${projects.deletedAt} is null)`;

const delegateStands = sql`exists (select from ${delegates}
  join ${projectGrants} on ${projectGrants.orgId} = ${delegates.orgId} and ${projectGrants.id} = ${delegates.grantId}
  join ${projects} on ${projects.orgId} = ${delegates.orgId} and ${projects.id} = ${delegates.projectId}
  where ${delegates.orgId} = ${asked.orgId} and ${delegates.id} = ${asked.delegateId}
    and ${grantHolds(delegates)} and ${grantHolds(projectGrants)} and ${projects.deletedAt} is null
    and (${asked.delegateTokenHash} is null or ${delegates.tokenHash} = ${asked.delegateTokenHash}))`;

const credentialStands = sql`(${asked.credentialId} is null or exists (select from ${projectCredentials}
  where ${projectCredentials.orgId} = ${asked.orgId} and ${projectCredentials.id} = ${asked.credentialId}
    and ${grantHolds(projectCredentials)}))`;

const uuids = typed<readonly (string | null)[]>('uuid[]');
const texts = typed<readonly (string | null)[]>('text[]');

/**
 * Which of the entries are lost, each with the database's clock: one row at least, which names none when none is lost.
 * `is not true`: what cannot be decided is lost.
 */
export const lostStatement = statement(
  'authority.lost',
  {
    params: {
      orgIds: uuids,
      principalIds: texts,
      roomKeys: texts,
      sessionIds: texts,
      delegateIds: uuids,
      keyProjectIds: texts,
      delegateTokenHashes: texts,
      credentialIds: texts,
      projectIds: texts,
      roles: texts,
      capabilities: texts,
    },
    row: {
      index: computed<number | null>('integer', sql`lost.index`),
      now: computed<Date>('timestamp with time zone', sql`now()`),
    },
  },
  (given, row) => sql`select ${row} from (select) clock left join (
    select (e.number - 1)::int as index
    from unnest(${given.orgIds}::uuid[], ${given.principalIds}::text[], ${given.roomKeys}::text[],
        ${given.sessionIds}::text[], ${given.delegateIds}::uuid[], ${given.keyProjectIds}::text[],
        ${given.delegateTokenHashes}::text[], ${given.credentialIds}::text[], ${given.projectIds}::text[],
        ${given.roles}::text[], ${given.capabilities}::text[]) with ordinality
      as e (org_id, principal_id, room_key, session_id, delegate_id, key_project_id, delegate_token_hash,
        credential_id, project_id, roles, capabilities, number)
    where (
      exists (select from ${orgs} where ${orgs.id} = ${asked.orgId})
      and (${asked.principalId} is null or exists (
        select from ${principals} where ${principals.id} = ${asked.principalId} and ${principals.disabledAt} is null))
      and (${asked.sessionId} is null or exists (
        select from ${sessions} where ${sessions.id} = ${asked.sessionId} and ${sessionStands()}))
      and (${asked.projectId} is null or ${projectStands(asked.projectId)})
      and case
        when ${asked.delegateId} is not null then ${delegateStands}
        when ${asked.keyProjectId} is not null then ${projectStands(asked.keyProjectId)} and ${credentialStands}
        when ${asked.principalId} is not null and ${asked.roles} is not null
          then ${isMemberIn(asked.orgId, asked.principalId, asked.roles)}
            or (${asked.capabilities} is not null
              and ${hasProjectGrant(asked.orgId, asked.principalId, asked.projectId, asked.capabilities)})
        when ${asked.principalId} is not null then ${isMember(asked.orgId, asked.principalId)}
          or (${asked.roomKey} is not null and ${hasRoomGrant(asked.orgId, asked.principalId, asked.roomKey)})
        else true
      end
      and (${asked.roomKey} is null or ${roomStands(asked.orgId, asked.roomKey)})
    ) is not true
    ) lost on true`,
);
