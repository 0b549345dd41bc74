import { isPast } from '../../db/intervals.ts';
import { jobCallbacks, jobLogs } from '../../db/schema/jobs.ts';
import { domain } from '../../kernel/run/domain.ts';
import { onProjectDeletion } from '../projects/shared/deletion-hooks.ts';
import { wakeCallbacksTask } from './callbacks/tell-of-end.ts';
import { cancelJob } from './cancel-job.ts';
import { jobErrors } from './error-codes.ts';
import { forgetOldJobs } from './forget-old-jobs.ts';
import { getJobLogs, openJobLogs } from './get-job-logs.ts';
import { listJobTypes } from './list-types.ts';
import { listRegisteredTypes, registerJobType, removeJobType } from './operate-types.ts';
import { forgetOfProject, purgeJobs } from './purge-jobs.ts';
import { downloadArtifact, getJob, listJobs } from './read-jobs.ts';
import { jobActions } from './shared/actions.ts';
import { submitJob } from './submit-job.ts';
import { wakeJobsTask } from './wake.ts';

// What was held for its jobs is released, and what they made ends with it.
onProjectDeletion(forgetOfProject);

export const jobsDomain = domain('jobs', {
  errors: jobErrors,
  actions: jobActions,
  operations: [
    listJobTypes,
    submitJob,
    listJobs,
    getJob,
    getJobLogs,
    openJobLogs,
    cancelJob,
    purgeJobs,
    downloadArtifact,
    registerJobType,
    listRegisteredTypes,
    removeJobType,
  ],
  jobs: [
    { task: wakeJobsTask, run: async ({ ctx }) => ctx.services.jobWork.wake() },
    { task: wakeCallbacksTask, run: async ({ ctx }) => ctx.services.jobCallbackWork.wake() },
  ],
  expires: [
    { table: jobLogs, when: isPast(jobLogs.createdAt, '14 days') },
    { table: jobCallbacks, when: isPast(jobCallbacks.createdAt, '30 days') },
  ],
  housekeeping: { jobs: forgetOldJobs },
});
