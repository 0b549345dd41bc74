import { ServiceError } from '../../core/errors.ts';
import type { Bound } from '../../db/statement.ts';
import { type Access, type OrgScope, onOrg } from './access.ts';
import type { Caller } from './caller.ts';
import type { Action } from './permissions.ts';

/** How the organization is found that something belongs to, and what is said where there is none. */
export interface SoughtOfOrg {
  readonly find: (id: string) => Bound<{ readonly orgId: string }>;
  readonly absent: (id: string) => ServiceError;
}

/** Whether a credential is for another organization alone. */
const isElsewhere = (caller: Caller, orgId: string): boolean =>
  (caller.kind === 'project_key' || caller.kind === 'delegate') && caller.orgId !== orgId;

const isStranger = (error: unknown): boolean =>
  error instanceof ServiceError && error.code === 'NOT_AUTHORIZED' && error.details.reason === 'member';

/**
 * An action on the organization that something belongs to, which is addressed by its own id. What is absent and what is
 * another's are refused alike.
 *
 * @param of tells the id
 */
export const onOrgOf = <Input>(
  action: Action,
  { find, absent: refusal }: SoughtOfOrg,
  of: (input: Input) => string,
): Access<Input, OrgScope> => ({
  action,
  async authorise(ctx, caller, input) {
    if (caller.kind === 'nobody') throw new ServiceError('AUTH_REQUIRED');
    const id = of(input);
    const [found] = await ctx.services.db.rows(find(id));
    if (found === undefined || isElsewhere(caller, found.orgId)) throw refusal(id);
    try {
      return await onOrg(action, () => found.orgId).authorise(ctx, caller, input);
    } catch (error) {
      throw isStranger(error) ? refusal(id) : error;
    }
  },
});
