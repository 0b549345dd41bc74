import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { managedJobs } from '../../db/schema/jobs.ts';
import { pick, statement } from '../../db/sql.ts';
import { onNamedOrOwnProject } from '../../kernel/access/access.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { itsProject } from '../../kernel/input/fields.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { endJob, type LockedJob, lockedColumns } from './end-job.ts';
import { isOver, type Job, JobWire, jobId, jobToWire, noSuchJob } from './job-row.ts';
import { jobActions } from './shared/actions.ts';

interface CancelledJob {
  readonly job: Job;
  /** False for one that had ended before. */
  readonly changed: boolean;
}

/** `DELETE /jobs/v1/runs/:job_id`. Contract 04, section 3.1. */
export const cancelJob = mutation({
  name: 'jobs.cancel',
  tool: 'jobs_cancel',
  command: 'jobs cancel',
  effects: ['destructive', 'idempotent'],
  summary: 'Cancel a job that has not ended: what it has used is charged, and the rest of what was held is released.',
  access: onNamedOrOwnProject(jobActions['project:jobs:write']),
  input: z.object({ project: itsProject, job: jobId }),
  async handler(work, { job: id }): Promise<CancelledJob> {
    const { org, project } = work;
    const [job] = await work.rows(lockStatement.with({ orgId: org.id, projectId: project.id, id }));
    if (job === undefined) throw noSuchJob(id);
    return isOver(job) ? { job, changed: false } : { job: await cancel(work, job), changed: true };
  },
  audit: ({ job: { id, type }, changed }, _input, { project }) =>
    changed
      ? { action: 'job.cancelled', object: { kind: 'job', id }, details: { project_id: project.id, job_type: type } }
      : undefined,
  wire: JobWire,
  toWire: ({ job }, ctx) => jobToWire(job, ctx),
});

/** Cancels a job whose row is locked, and has every node stop working on it. */
export async function cancel(work: Work, job: LockedJob): Promise<Job> {
  work.afterCommit(() => work.services.jobWork.abort(job.id));
  return endJob(work, job, { status: 'cancelled', charge: 'used' });
}

const lockStatement = statement(
  'jobs.lock',
  { params: pick(managedJobs, 'orgId', 'projectId', 'id'), row: lockedColumns },
  ({ orgId, projectId, id }, row) => sql`select ${row} from ${managedJobs}
    where ${managedJobs.id} = ${id} and ${managedJobs.orgId} = ${orgId} and ${managedJobs.projectId} = ${projectId}
    for update`,
);
