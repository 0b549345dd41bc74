import { type ErrorCode, ServiceError } from '../../../core/errors.ts';
import { sql } from '../../../db/drizzle.ts';
import { deployOperations, deployPlans, releases } from '../../../db/schema/releases.ts';
import { pick, statement } from '../../../db/sql.ts';
import type { Bound } from '../../../db/statement.ts';
import { type Access, onProject, type ProjectScope } from '../../../kernel/access/access.ts';
import { isForeign, isForOthers } from '../../../kernel/access/foreign.ts';
import type { Action } from '../../../kernel/access/permissions.ts';

/** How the project is found that something belongs to, and what is said where there is none. */
interface Sought {
  readonly find: (id: string) => Bound<{ readonly projectId: string }>;
  readonly absent: (id: string) => ServiceError;
}

const absent =
  (code: ErrorCode, member: string) =>
  (id: string): ServiceError =>
    new ServiceError(code, { details: { [member]: id } });

const planStatement = statement(
  'deploys.project-of-plan',
  { params: pick(deployPlans, 'id'), row: pick(deployPlans, 'projectId') },
  ({ id }, row) => sql`select ${row} from ${deployPlans} where ${deployPlans.id} = ${id}`,
);

const operationStatement = statement(
  'deploys.project-of-operation',
  { params: pick(deployOperations, 'id'), row: pick(deployOperations, 'projectId') },
  ({ id }, row) => sql`select ${row} from ${deployOperations} where ${deployOperations.id} = ${id}`,
);

const releaseStatement = statement(
  'deploys.project-of-release',
  { params: pick(releases, 'id'), row: pick(releases, 'projectId') },
  ({ id }, row) => sql`select ${row} from ${releases} where ${releases.id} = ${id}`,
);

/** What belongs to a project and is addressed by its own id. */
export const sought = {
  plan: {
    find: (id: string) => planStatement.with({ id }),
    // What somebody has put together from the answer of a preview, whose plan has no id.
    absent: (id: string) =>
      id === 'null' || id === 'undefined'
        ? new ServiceError('DRY_RUN_PLAN_NOT_COMMITTABLE', { details: { plan_id: null } })
        : absent('PLAN_NOT_FOUND', 'plan_id')(id),
  },
  operation: {
    find: (id: string) => operationStatement.with({ id }),
    absent: absent('OPERATION_NOT_FOUND', 'operation_id'),
  },
  release: { find: (id: string) => releaseStatement.with({ id }), absent: absent('RELEASE_NOT_FOUND', 'release_id') },
} satisfies Record<string, Sought>;

/**
 * An action on the project that something belongs to. What is absent and what is another's are refused alike.
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
