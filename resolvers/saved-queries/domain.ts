import { sql } from '../../db/drizzle.ts';
import { savedQueries } from '../../db/schema/saved-queries.ts';
import { pick, statement } from '../../db/sql.ts';
import { domain } from '../../kernel/run/domain.ts';
import { onProjectDeletion } from '../projects/shared/deletion-hooks.ts';
import { deleteQuery } from './delete-query.ts';
import { savedQueryErrors } from './error-codes.ts';
import { listQueries } from './list-queries.ts';
import { saveQuery } from './save-query.ts';
import { savedQueryActions } from './shared/actions.ts';

// The queries of a project end with it.
onProjectDeletion(async (work, project) => void (await work.rows(forgetStatement.with(project))));

export const savedQueriesDomain = domain('saved-queries', {
  errors: savedQueryErrors,
  actions: savedQueryActions,
  operations: [listQueries, saveQuery, deleteQuery],
});

const forgetStatement = statement(
  'queries.forget',
  { params: pick(savedQueries, 'orgId', 'projectId') },
  ({ orgId, projectId }) => sql`delete from ${savedQueries}
    where ${savedQueries.orgId} = ${orgId} and ${savedQueries.projectId} = ${projectId}`,
);
