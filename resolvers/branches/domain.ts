import { domain } from '../../kernel/run/domain.ts';
import { onProjectDeletion } from '../projects/shared/deletion-hooks.ts';
import { createBranch } from './create-branch.ts';
import { deleteBranch } from './delete-branch.ts';
import { branchErrors } from './error-codes.ts';
import { branchEventTypes } from './event-types.ts';
import { deleteExpired, forgetBranches } from './forget-branches.ts';
import { listBranches } from './list-branches.ts';
import { renewBranch } from './renew-branch.ts';
import { branchActions } from './shared/actions.ts';

onProjectDeletion(forgetBranches);

export const branches = domain('branches', {
  errors: branchErrors,
  actions: branchActions,
  events: branchEventTypes,
  operations: [createBranch, listBranches, renewBranch, deleteBranch],
  housekeeping: { 'delete expired branches': deleteExpired },
});
