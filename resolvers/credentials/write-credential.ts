import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { type CredentialKind, projectCredentials } from '../../db/schema/project-credentials.ts';
import { computed, insertInto, pick, setOf, statement } from '../../db/sql.ts';
import { ownerOf, type ProjectScope } from '../../kernel/access/access.ts';
import { principalIdOf } from '../../kernel/access/caller.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { forgetCredentials } from '../identity/shared/project-credentials.ts';
import { type KeyedProject, makeProjectKey, type ProjectKeyRole } from '../identity/shared/project-keys.ts';
import { type CredentialRecord, credentialColumns, type IssuedCredential } from './credential-wire.ts';

/** What a kind of credential is to the keys of a project. */
export const roleOf = (kind: CredentialKind): ProjectKeyRole => (kind === 'anon' ? 'anon' : 'service_role');

/** Writes a credential of the project, whose row is locked, and makes its secret. @throws CREDENTIAL_NAME_TAKEN */
export async function addCredential(
  work: Work & ProjectScope,
  project: KeyedProject,
  credential: Pick<CredentialRecord, 'kind' | 'name' | 'expiresAt' | 'replacementOf'>,
): Promise<IssuedCredential> {
  const place = ownerOf(work);
  const [taken] = await work.rows(nameStatement.with({ ...place, name: credential.name }));
  if (taken !== undefined) throw new ServiceError('CREDENTIAL_NAME_TAKEN');
  const id = work.services.newId('pcr');
  const inserted = insertStatement.with({
    ...place,
    ...credential,
    id,
    createdBy: principalIdOf(await work.caller()),
  });
  const [added] = await work.rows(inserted);
  const secret = await makeProjectKey(work.services.keys, project, roleOf(credential.kind), { credentialId: id });
  return { credential: added!, secret };
}

/**
 * Revokes a credential of the project, whose row is locked. Nothing is served under it from the commit on: on this node
 * at once, on others as soon as they look again.
 *
 * @throws CREDENTIAL_NOT_FOUND, CREDENTIAL_REVOKED
 */
export async function endCredential(
  work: Work & ProjectScope,
  id: string,
  reason: string | null,
): Promise<CredentialRecord> {
  const place = { ...ownerOf(work), id };
  const [revoked] = await work.rows(revokeStatement.with({ ...place, revokedReason: reason }));
  if (revoked === undefined) {
    const [found] = await work.rows(findStatement.with(place));
    throw new ServiceError(found === undefined ? 'CREDENTIAL_NOT_FOUND' : 'CREDENTIAL_REVOKED');
  }
  work.authorityChanged(work.org.id);
  work.afterCommit(() => forgetCredentials(work.services));
  return revoked;
}

const ofCredential = pick(projectCredentials, 'orgId', 'projectId', 'id');

/** How many credentials of a project are not revoked. */
export const countStatement = statement(
  'credentials.count',
  {
    params: pick(projectCredentials, 'orgId', 'projectId'),
    row: { used: computed<number>('integer', sql`count(*)::int`) },
  },
  ({ orgId, projectId }, row) => sql`select ${row} from ${projectCredentials}
    where ${projectCredentials.orgId} = ${orgId} and ${projectCredentials.projectId} = ${projectId}
      and ${projectCredentials.revokedAt} is null`,
);

const nameStatement = statement(
  'credentials.name',
  { params: pick(projectCredentials, 'orgId', 'projectId', 'name'), row: pick(projectCredentials, 'id') },
  ({ orgId, projectId, name }, row) => sql`select ${row} from ${projectCredentials}
    where ${projectCredentials.orgId} = ${orgId} and ${projectCredentials.projectId} = ${projectId}
      and ${projectCredentials.name} = ${name} and ${projectCredentials.revokedAt} is null`,
);

const insertStatement = statement(
  'credentials.insert',
  {
    params: pick(
      projectCredentials,
      'orgId',
      'projectId',
      'id',
      'kind',
      'name',
      'expiresAt',
      'replacementOf',
      'createdBy',
    ),
    row: credentialColumns,
  },
  (given, row) => sql`${insertInto(projectCredentials, given)} returning ${row}`,
);

const revokeStatement = statement(
  'credentials.revoke',
  { params: { ...ofCredential, ...pick(projectCredentials, 'revokedReason') }, row: credentialColumns },
  ({ orgId, projectId, id, revokedReason }, row) => sql`update ${projectCredentials}
    ${setOf(projectCredentials, { revokedAt: sql`now()`, revokedReason })}
    where ${projectCredentials.orgId} = ${orgId} and ${projectCredentials.projectId} = ${projectId}
      and ${projectCredentials.id} = ${id} and ${projectCredentials.revokedAt} is null returning ${row}`,
);

const findStatement = statement(
  'credentials.find',
  { params: ofCredential, row: pick(projectCredentials, 'id') },
  ({ orgId, projectId, id }, row) => sql`select ${row} from ${projectCredentials}
    where ${projectCredentials.orgId} = ${orgId} and ${projectCredentials.projectId} = ${projectId}
      and ${projectCredentials.id} = ${id}`,
);
