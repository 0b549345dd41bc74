import { sql } from '../../db/drizzle.ts';
import {
  deployEvents,
  deployOperations,
  deployPlans,
  liveReleases,
  releaseParts,
  releases,
} from '../../db/schema/releases.ts';
import { pick, statement } from '../../db/sql.ts';
import { enqueueAgain } from '../../kernel/durability/housekeeping.ts';
import { domain } from '../../kernel/run/domain.ts';
import { onProjectDeletion } from '../projects/shared/deletion-hooks.ts';
import { applyDeploy } from './apply/apply-deploy.ts';
import { applyJobs, applyTask } from './apply/task.ts';
import { commitDeploy } from './commit-deploy.ts';
import { verifyEdge } from './edge/verify-edge.ts';
import { deployErrors } from './error-codes.ts';
import { deployEventTypes } from './event-types.ts';
import { openDeploy } from './open-deploy.ts';
import { planDeploy } from './plan-deploy.ts';
import { promoteRelease } from './promote-release.ts';
import { getDeploy, listDeployEvents, listDeploys } from './read-operations.ts';
import { compareReleases, getActiveRelease, getRelease } from './read-releases.ts';
import { resolveUrl } from './resolve-url.ts';
import { resumeDeploy } from './resume-deploy.ts';
import { deployActions } from './shared/actions.ts';

// What a project served ends with it.
onProjectDeletion(async (work, project) => {
  for (const forget of forgetStatements) await work.rows(forget.with(project));
});

export const deploys = domain('deploys', {
  errors: deployErrors,
  actions: deployActions,
  events: deployEventTypes,
  operations: [
    planDeploy,
    commitDeploy,
    getDeploy,
    listDeploys,
    listDeployEvents,
    verifyEdge,
    openDeploy,
    resumeDeploy,
    getRelease,
    getActiveRelease,
    compareReleases,
    promoteRelease,
    resolveUrl,
  ],
  jobs: [{ task: applyTask, run: applyDeploy }],
  housekeeping: {
    'apply deploys whose node vanished': enqueueAgain(
      'deploys-again',
      applyJobs,
      sql`from ${deployOperations} where ${deployOperations.status} in ('committing', 'staging', 'gating', 'migrating',
        'schema_settling', 'activating', 'activation_pending')
        and (${deployOperations.leaseUntil} is null or ${deployOperations.leaseUntil} < now())`,
    ),
  },
});

const tables = [releaseParts, releases, liveReleases, deployPlans, deployEvents, deployOperations] as const;

const forgetStatements = tables.map((table, at) =>
  statement(
    `deploys.forget-${at}`,
    { params: pick(liveReleases, 'orgId', 'projectId') },
    ({ orgId, projectId }) =>
      sql`delete from ${table} where ${table.orgId} = ${orgId} and ${table.projectId} = ${projectId}`,
  ),
);
