import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { deployOperations } from '../../db/schema/releases.ts';
import { computed, pick, statement } from '../../db/sql.ts';
import { onProjectOf } from '../../kernel/access/on-project-of.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { lockProjectFor } from '../projects/shared/lock-project.ts';
import { applyTask } from './apply/task.ts';
import { type DeployOperation, DeployOperationWire, operationColumns, operationToWire } from './deploy-operation.ts';
import { operationId } from './read-operations.ts';
import { deployActions } from './shared/actions.ts';
import { sought } from './shared/on-deploy.ts';

/** `POST /apply/v1/operations/:operation_id/resume`. Contract 03, section 2.6. */
export const resumeDeploy = mutation({
  name: 'deploys.resume',
  tool: 'deploy_resume',
  command: 'deploy resume',
  effects: ['idempotent'],
  summary: 'Try again to bring a deploy to its end that waits after its migrations.',
  path: 'POST /apply/v1/operations/:operation_id/resume',
  access: onProjectOf(
    deployActions['project:deploys:write'],
    sought.operation,
    ({ operation }: { readonly operation: string }) => operation,
  ),
  lifecycle: 'owned',
  writeApproval: { action: 'project.deploy', field: 'project_id', target: (_input, scope) => scope?.project?.id },
  input: z.object({ operation: operationId }),
  async handler(work, { operation: id }): Promise<DeployOperation> {
    await lockProjectFor(work, deployActions['project:deploys:write']);
    const [found] = await work.rows(findStatement.with({ orgId: work.org.id, id }));
    const { leased, ...operation } = found!;
    if (operation.status !== 'schema_settling' && operation.status !== 'activation_pending')
      throw new ServiceError('NOT_RESUMABLE', { details: { status: operation.status } });
    if (leased) throw new ServiceError('INVALID_STATE', { details: { status: operation.status } });
    await work.addJob(applyTask, { operation: id, resumed: true }, { key: id });
    return operation;
  },
  audit: ({ id }, _input, { project }) => ({
    action: 'deploy.resumed',
    object: { kind: 'deploy', id },
    details: { project_id: project.id },
  }),
  wire: DeployOperationWire,
  toWire: operationToWire,
});

const findStatement = statement(
  'deploys.find-to-resume',
  {
    params: pick(deployOperations, 'orgId', 'id'),
    row: {
      ...operationColumns,
      leased: computed<boolean>('boolean', sql`coalesce(${deployOperations.leaseUntil} > now(), false)`),
    },
  },
  (given, row) => sql`select ${row} from ${deployOperations}
    where ${deployOperations.orgId} = ${given.orgId} and ${deployOperations.id} = ${given.id} for update`,
);
