import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { jobArtifacts, jobCallbacks, jobLogs, managedJobs } from '../../db/schema/jobs.ts';
import { pick, statement } from '../../db/sql.ts';
import { onNamedOrOwnProject } from '../../kernel/access/access.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { itsProject } from '../../kernel/input/fields.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { giveUpContent } from '../content/shared/named-content.ts';
import { lockProjectFor } from '../projects/shared/lock-project.ts';
import { cancel } from './cancel-job.ts';
import { lockedColumns } from './end-job.ts';

import { jobActions } from './shared/actions.ts';

interface Purged {
  readonly deleted: number;
  readonly cancelled: number;
  /** Of the cancelled ones, those that were running. */
  readonly terminated: number;
}

/** `DELETE /jobs/v1/runs`. Contract 04, section 3.1. */
export const purgeJobs = mutation({
  name: 'jobs.purge',
  tool: 'jobs_purge',
  command: 'jobs purge',
  effects: ['destructive', 'idempotent'],
  summary:
    'Cancel the jobs of a project that have not ended, and delete all of its jobs, with their logs and artifacts.',
  access: onNamedOrOwnProject(jobActions['project:jobs:write']),
  input: z.object({ project: itsProject }),
  async handler(work): Promise<Purged> {
    const project = await lockProjectFor(work, jobActions['project:jobs:write']);
    return deleteJobs(work, { orgId: work.org.id, projectId: project.id });
  },
  audit: ({ deleted, cancelled }, _input, { project }) =>
    deleted === 0
      ? undefined
      : {
          action: 'jobs.purged',
          object: { kind: 'project', id: project.id },
          details: { deleted_jobs: deleted, cancelled_active_jobs: cancelled },
        },
  wire: z.object({
    deleted_jobs: z.int(),
    cancelled_active_jobs: z.int().describe('Those of them that had not ended.'),
    terminated_instances: z.int().describe('Those of these that were running.'),
  }),
  toWire: ({ deleted, cancelled, terminated }) => ({
    deleted_jobs: deleted,
    cancelled_active_jobs: cancelled,
    terminated_instances: terminated,
  }),
});

interface Owner {
  readonly orgId: string;
  readonly projectId: string;
}

/** Ends and deletes all jobs of a project whose row is locked. Who asked to be told of an end is told of it all the same. */
async function deleteJobs(work: Work, owner: Owner): Promise<Purged> {
  const active = await work.rows(activeStatement.with(owner));
  for (const job of active) await cancel(work, job);
  const named = await work.rows(forgetArtifacts.with(owner));
  await giveUpContent(work.rows, owner, [...new Set(named.map(({ sha256 }) => sha256))]);
  await work.rows(forgetLogs.with(owner));
  const deleted = await work.rows(forgetJobs.with(owner));
  return {
    deleted: deleted.length,
    cancelled: active.length,
    terminated: active.filter(({ status }) => status === 'running').length,
  };
}

/** What becomes of the jobs of a project that ceases to exist: nobody is told. */
export async function forgetOfProject(work: Work, owner: Owner): Promise<void> {
  await deleteJobs(work, owner);
  await work.rows(forgetCallbacks.with(owner));
}

const owned = pick(managedJobs, 'orgId', 'projectId');

const activeStatement = statement(
  'jobs.active',
  { params: owned, row: lockedColumns },
  ({ orgId, projectId }, row) => sql`select ${row} from ${managedJobs}
    where ${managedJobs.projectId} = ${projectId} and ${managedJobs.dueAt} is not null and ${managedJobs.orgId} = ${orgId}
    order by ${managedJobs.id} for update`,
);

const forgetArtifacts = statement(
  'jobs.forget-artifacts',
  { params: owned, row: pick(jobArtifacts, 'sha256') },
  ({ orgId, projectId }, row) => sql`delete from ${jobArtifacts}
    where ${jobArtifacts.projectId} = ${projectId} and ${jobArtifacts.orgId} = ${orgId} returning ${row}`,
);

const forgetLogs = statement(
  'jobs.forget-logs',
  { params: owned },
  ({ orgId, projectId }) => sql`delete from ${jobLogs}
    where ${jobLogs.orgId} = ${orgId} and ${jobLogs.projectId} = ${projectId}`,
);

const forgetJobs = statement(
  'jobs.forget',
  { params: owned, row: pick(managedJobs, 'id') },
  ({ orgId, projectId }, row) => sql`delete from ${managedJobs}
    where ${managedJobs.projectId} = ${projectId} and ${managedJobs.orgId} = ${orgId} returning ${row}`,
);

const forgetCallbacks = statement(
  'jobs.forget-callbacks',
  { params: owned },
  ({ orgId, projectId }) => sql`delete from ${jobCallbacks}
    where ${jobCallbacks.orgId} = ${orgId} and ${jobCallbacks.projectId} = ${projectId}`,
);
