import { sql } from '../../db/drizzle.ts';
import { isPast } from '../../db/intervals.ts';
import { projectCredentials } from '../../db/schema/project-credentials.ts';
import { pick, statement } from '../../db/sql.ts';
import { domain } from '../../kernel/run/domain.ts';
import { forgetCredentials } from '../identity/shared/project-credentials.ts';
import { onProjectDeletion } from '../projects/shared/deletion-hooks.ts';
import { createToken } from './create-token.ts';
import { credentialErrors } from './error-codes.ts';
import { issueCredential } from './issue-credential.ts';
import { getCredentialStatus, listCredentials } from './read-credentials.ts';
import { revokeCredential } from './revoke-credential.ts';
import { rotateCredential } from './rotate-credential.ts';
import { credentialActions } from './shared/actions.ts';

onProjectDeletion(async (work, project) => {
  await work.rows(forgetStatement.with(project));
  work.afterCommit(() => forgetCredentials(work.services));
});

export const credentialsDomain = domain('credentials', {
  errors: credentialErrors,
  actions: credentialActions,
  operations: [issueCredential, listCredentials, getCredentialStatus, rotateCredential, revokeCredential, createToken],
  // A key without its row is refused as one that was revoked.
  expires: [{ table: projectCredentials, when: isPast(projectCredentials.revokedAt, '90 days') }],
});

const forgetStatement = statement(
  'credentials.forget',
  { params: pick(projectCredentials, 'orgId', 'projectId') },
  ({ orgId, projectId }) => sql`delete from ${projectCredentials}
    where ${projectCredentials.orgId} = ${orgId} and ${projectCredentials.projectId} = ${projectId}`,
);
