import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { deployOperations, runningStatuses } from '../../db/schema/releases.ts';
import { pick, setOf, statement } from '../../db/sql.ts';
import type { Rows } from '../../db/statement.ts';
import type { ReleaseOwner } from './release-store.ts';

/** Refuses a change of what is live while a deploy is on its way to that. @throws BASE_RELEASE_CONFLICT */
export async function refuseRunning(rows: Rows, owner: ReleaseOwner): Promise<void> {
  const [running] = await rows(runningStatement.with(owner));
  if (running !== undefined)
    throw new ServiceError('BASE_RELEASE_CONFLICT', {
      message: 'A deploy of the project is under way.',
      details: { operation_id: running.id },
      retryAfter: 1,
    });
}

const running = sql.join(
  runningStatuses.map((one) => sql.raw(`'${one}'`)),
  sql`, `,
);

const runningStatement = statement(
  'deploys.running',
  { params: pick(deployOperations, 'orgId', 'projectId'), row: pick(deployOperations, 'id') },
  (given, row) => sql`select ${row} from ${deployOperations} where ${deployOperations.orgId} = ${given.orgId}
    and ${deployOperations.projectId} = ${given.projectId} and ${deployOperations.status} in (${running})`,
);

/** Says which release a deploy makes live. */
export const targetStatement = statement(
  'deploys.set-target',
  { params: pick(deployOperations, 'orgId', 'id', 'targetReleaseId') },
  ({ orgId, id, targetReleaseId }) => sql`update ${deployOperations} ${setOf(deployOperations, { targetReleaseId })}
    where ${deployOperations.orgId} = ${orgId} and ${deployOperations.id} = ${id}`,
);
