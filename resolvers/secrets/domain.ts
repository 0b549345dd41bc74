import { sql } from '../../db/drizzle.ts';
import { projectSecrets } from '../../db/schema/secrets.ts';
import { pick, statement } from '../../db/sql.ts';
import { domain } from '../../kernel/run/domain.ts';
import { onProjectDeletion } from '../projects/shared/deletion-hooks.ts';
import { deleteSecret } from './delete-secret.ts';
import { secretErrors } from './error-codes.ts';
import { listSecrets } from './list-secrets.ts';
import { setSecret } from './set-secret.ts';
import { secretActions } from './shared/actions.ts';

// The secrets of a project end with it.
onProjectDeletion(async (work, project) => void (await work.rows(forgetStatement.with(project))));

export const secrets = domain('secrets', {
  errors: secretErrors,
  actions: secretActions,
  operations: [listSecrets, setSecret, deleteSecret],
});

const forgetStatement = statement(
  'secrets.forget',
  { params: pick(projectSecrets, 'orgId', 'projectId') },
  ({ orgId, projectId }) => sql`delete from ${projectSecrets}
    where ${projectSecrets.orgId} = ${orgId} and ${projectSecrets.projectId} = ${projectId}`,
);
