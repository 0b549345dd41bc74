import { ServiceError } from '../../core/errors.ts';
import type { Bound } from '../../db/statement.ts';
import { type Access, onProject, type ProjectScope } from './access.ts';
import { isForeign, isForOthers } from './foreign.ts';
import type { Action } from './permissions.ts';

/** How the project is found that something belongs to, and what is said where there is none. */
export interface Sought {
  readonly find: (id: string) => Bound<{ readonly projectId: string }>;
  readonly absent: (id: string) => ServiceError;
}

/**
 * An action on the project that something belongs to, which is addressed by its own id. What is absent and what is
 * another's are refused alike.
 *
 * @param of tells the id
 */
export const onProjectOf = <Input>(
  action: Action,
  { find, absent: refusal }: Sought,
  of: (input: Input) => string,
): Access<Input, ProjectScope> => ({
  action,
  async authorise(ctx, caller, input) {
    if (caller.kind === 'nobody') throw new ServiceError('AUTH_REQUIRED');
    const id = of(input);
    const [found] = await ctx.services.db.rows(find(id));
    if (found === undefined || isForOthers(caller, found.projectId)) throw refusal(id);
    ctx.onProjectResolved?.(found.projectId);
    try {
      return await onProject(action, () => found.projectId).authorise(ctx, caller, input);
    } catch (error) {
      throw isForeign(error) ? refusal(id) : error;
    }
  },
});
