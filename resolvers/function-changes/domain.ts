import { domain } from '../../kernel/run/domain.ts';
import { deleteFunction } from './delete-function.ts';
import { rebuildFunctions } from './rebuild-functions.ts';
import { updateFunction } from './update-function.ts';

/** What changes functions between deploys: it stands above releases, which stand above functions. */
export const functionChanges = domain('function-changes', {
  operations: [updateFunction, deleteFunction, rebuildFunctions],
});
