import { sql } from '../../../db/drizzle.ts';
import { type DeployError, deployOperations } from '../../../db/schema/releases.ts';
import { pick, setOf, statement } from '../../../db/sql.ts';
import type { Rows } from '../../../db/statement.ts';
import type { ProjectScope } from '../../../kernel/access/access.ts';
import { actorOf } from '../../../kernel/durability/audit-log.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { appendDeployEvent } from '../deploy-feed.ts';
import { type DeployOperation, findOperation } from '../deploy-operation.ts';
import { insertOperationStatement } from '../plan-deploy.ts';
import type { ReleaseOwner } from '../release-store.ts';

/** Writes the operation that a rehearsal of a plan is. It keeps no deploy of the project out. */
export async function insertRehearsalOperation(
  work: Work & ProjectScope,
  { planId, baseReleaseId }: Pick<DeployOperation, 'planId' | 'baseReleaseId'>,
): Promise<DeployOperation> {
  const { services, org, project } = work;
  const [made] = await work.rows(
    insertOperationStatement.with({
      orgId: org.id,
      projectId: project.id,
      id: services.newId('op'),
      planId,
      kind: 'rehearsal',
      status: 'running',
      baseReleaseId,
      actor: JSON.stringify(actorOf(await work.caller(), work, services.now())),
    }),
  );
  return made!;
}

/** The operation of a rehearsal, or of the deploy on its branch, as it stands; undefined where its project is gone. */
export const operationAsIs = (rows: Rows, owner: ReleaseOwner, id: string): Promise<DeployOperation | undefined> =>
  findOperation(rows, owner, id);

/** Tells followers of a rehearsal how far it is. */
export function tellRehearsal(work: Work, owner: ReleaseOwner, id: string, line: string): void {
  const told = { type: 'log', resource: 'rehearsal', stream: 'stdout', created_at: work.services.now().toISOString() };
  work.append(appendDeployEvent(owner, id, { ...told, line }));
}

/** Ends the operation of a rehearsal. @param error why it has come to no result; null where it has one, whichever that is */
export async function endRehearsalOperation(
  work: Work,
  owner: ReleaseOwner,
  id: string,
  error: DeployError | null,
): Promise<void> {
  const status = error === null ? 'ready' : 'failed';
  await work.rows(
    endStatement.with({ orgId: owner.orgId, id, status, error: error === null ? null : JSON.stringify(error) }),
  );
}

const endStatement = statement(
  'deploys.end-rehearsal',
  { params: pick(deployOperations, 'orgId', 'id', 'status', 'error') },
  ({ orgId, id, ...set }) => sql`update ${deployOperations}
    ${setOf(deployOperations, { ...set, updatedAt: sql`now()` })}
    where ${deployOperations.orgId} = ${orgId} and ${deployOperations.id} = ${id} and ${deployOperations.kind} = 'rehearsal'`,
);
