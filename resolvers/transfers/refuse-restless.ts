import { ServiceError } from '../../core/errors.ts';
import { type SQL, sql } from '../../db/drizzle.ts';
import { appVersions } from '../../db/schema/apps.ts';
import { projectArchives } from '../../db/schema/archives.ts';
import { projectBranches } from '../../db/schema/branches.ts';
import { managedJobs } from '../../db/schema/jobs.ts';
import { projects } from '../../db/schema/projects.ts';
import { deployOperations, runningStatuses } from '../../db/schema/releases.ts';
import { signers } from '../../db/schema/signers.ts';
import { projectRestores, projectSnapshots } from '../../db/schema/snapshots.ts';
import { computed, statement } from '../../db/sql.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import type { ProjectRow } from '../projects/shared/wire.ts';

/** Why a project is not handed over, each with what is to be done. */
const reasons = {
  not_ready: 'Wait until it is ready.',
  archived: 'Have it reactivated.',
  is_branch: 'A branch belongs to the project that it was made from.',
  has_branches: 'Delete its branches, or wait until they expire.',
  has_signers: 'Drain and delete its signers: what they hold is not handed over.',
  deploy_running: 'Wait until its deploy is over.',
  copy_running: 'Wait until its snapshot, its restore, its archive or its published version is made.',
  job_running: 'Wait until its jobs are over, or cancel them.',
} as const;

type Reason = keyof typeof reasons;

/**
 * Refuses to hand over a project, whose row is locked, that is not at rest: nothing of it is lost on the way, and what its
 * owner pays for is over.
 *
 * @throws PROJECT_NOT_TRANSFERABLE
 */
export async function refuseRestless(work: Work, project: ProjectRow): Promise<void> {
  const [found] = await work.rows(restlessStatement.with({ id: project.id }));
  const hit: Readonly<Record<Reason, boolean>> = {
    not_ready: project.state !== 'ready',
    archived: project.archivedAt !== null,
    is_branch: project.branch !== null,
    ...found!,
  };
  const names = (Object.keys(reasons) as Reason[]).filter((reason) => hit[reason]);
  if (names.length === 0) return;
  throw new ServiceError('PROJECT_NOT_TRANSFERABLE', {
    message: names.map((reason) => reasons[reason]).join(' '),
    details: { project_id: project.id, reasons: names },
  });
}

const running = sql.raw(runningStatuses.map((one) => `'${one}'`).join(', '));
const some = (found: SQL) => computed<boolean>('boolean', sql`exists (select from ${found})`);

const restless = {
  has_branches: some(sql`${projectBranches} where ${projectBranches.parentId} = ${projects.id}
    and ${projectBranches.status} <> 'failed'`),
  has_signers: some(sql`${signers} where ${signers.orgId} = ${projects.orgId} and ${signers.projectId} = ${projects.id}
    and ${signers.status} <> 'deleted'`),
  deploy_running: some(sql`${deployOperations} where ${deployOperations.orgId} = ${projects.orgId}
    and ${deployOperations.projectId} = ${projects.id} and ${deployOperations.status} in (${running})`),
  copy_running: computed<boolean>(
    'boolean',
    sql`(exists (select from ${projectSnapshots} where ${projectSnapshots.projectId} = ${projects.id}
        and ${projectSnapshots.dueAt} is not null)
      or exists (select from ${projectRestores} where ${projectRestores.projectId} = ${projects.id}
        and ${projectRestores.dueAt} is not null)
      or exists (select from ${projectArchives} where ${projectArchives.projectId} = ${projects.id}
        and ${projectArchives.dueAt} is not null)
      or exists (select from ${appVersions} where ${appVersions.projectId} = ${projects.id}
        and ${appVersions.dueAt} is not null))`,
  ),
  job_running: some(sql`${managedJobs} where ${managedJobs.projectId} = ${projects.id}
    and ${managedJobs.completedAt} is null`),
};

const restlessStatement = statement(
  'transfers.restless',
  { params: { id: projects.id }, row: restless },
  ({ id }, row) => sql`select ${row} from ${projects} where ${projects.id} = ${id}`,
);
