import { type ErrorCode, ServiceError } from '../../../core/errors.ts';
import { sql } from '../../../db/drizzle.ts';
import { deployOperations, deployPlans, releases } from '../../../db/schema/releases.ts';
import { pick, statement } from '../../../db/sql.ts';
import type { Sought } from '../../../kernel/access/on-project-of.ts';

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
