import { sql } from '../../db/drizzle.ts';
import { deployOperations } from '../../db/schema/releases.ts';
import { pick, setOf, statement, typed } from '../../db/sql.ts';
import type { ProjectScope } from '../../kernel/access/access.ts';
import { actorOf } from '../../kernel/durability/audit-log.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { applyTask } from './apply/task.ts';
import type { ComputedPlan } from './computed-plan.ts';
import { type DeployOperation, operationColumns } from './deploy-operation.ts';
import { urlsOf } from './deploy-urls.ts';
import { findRelease } from './release-store.ts';
import { refuseRunning } from './running-deploy.ts';

/** Has the deploy begin; one that would change nothing is done with that. @throws BASE_RELEASE_CONFLICT */
export async function beginDeploy(
  work: Work & ProjectScope,
  operation: DeployOperation,
  { plan, base, live }: ComputedPlan,
): Promise<DeployOperation> {
  const { services, org, project } = work;
  const owner = { orgId: org.id, projectId: project.id };
  const actor = JSON.stringify(actorOf(await work.caller(), work, services.now()));
  if (plan.isNoop && base !== null && base.releaseId === live.releaseId) {
    const release = (await findRelease(work.rows, owner, base.releaseId))!;
    const urls = JSON.stringify(await urlsOf(work, owner, project.publicId, release.deploymentId));
    const [done] = await work.rows(
      doneStatement.with({
        ...owner,
        id: operation.id,
        releaseId: base.releaseId,
        generation: live.generation,
        urls,
        actor,
      }),
    );
    return done!;
  }
  await refuseRunning(work.rows, owner);
  const [begun] = await work.rows(
    beginStatement.with({
      ...owner,
      id: operation.id,
      targetReleaseId: services.newId('rel'),
      urls: JSON.stringify({ deployment_id: services.newId('dpl') }),
      actor,
    }),
  );
  await work.addJob(applyTask, { operation: operation.id }, { key: operation.id });
  return begun!;
}

const ofOne = pick(deployOperations, 'orgId', 'projectId', 'id');

const beginStatement = statement(
  'deploys.begin',
  { params: { ...ofOne, ...pick(deployOperations, 'targetReleaseId', 'urls', 'actor') }, row: operationColumns },
  ({ orgId, projectId, id, ...set }, row) => sql`update ${deployOperations}
    ${setOf(deployOperations, { ...set, status: sql`'committing'`, updatedAt: sql`now()` })}
    where ${deployOperations.orgId} = ${orgId} and ${deployOperations.projectId} = ${projectId}
      and ${deployOperations.id} = ${id} returning ${row}`,
);

const doneStatement = statement(
  'deploys.done',
  {
    params: {
      ...ofOne,
      releaseId: typed<string>('text'),
      generation: typed<bigint>('bigint'),
      ...pick(deployOperations, 'urls', 'actor'),
    },
    row: operationColumns,
  },
  ({ orgId, projectId, id, ...set }, row) => sql`update ${deployOperations}
    ${setOf(deployOperations, { ...set, status: sql`'ready'`, updatedAt: sql`now()` })}
    where ${deployOperations.orgId} = ${orgId} and ${deployOperations.projectId} = ${projectId}
      and ${deployOperations.id} = ${id} returning ${row}`,
);
