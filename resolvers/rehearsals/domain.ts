import { domain } from '../../kernel/run/domain.ts';
import { onProjectDeletion } from '../projects/shared/deletion-hooks.ts';
import { rehearsalErrors } from './error-codes.ts';
import { forgetStatement } from './rehearsal-row.ts';
import { rehearseDeploy } from './rehearse-deploy.ts';

// A rehearsal ends with its project. Its branch does so by itself.
onProjectDeletion(async (work, { projectId }) => {
  const ended = await work.rows(forgetStatement.with({ projectId }));
  work.afterCommit(() => {
    for (const { id } of ended) work.services.rehearsalWork.abort(id);
  });
});

export const rehearsals = domain('rehearsals', { errors: rehearsalErrors, operations: [rehearseDeploy] });
