import { cancelJob } from '../resolvers/jobs/cancel-job.ts';
import { getJobLogs } from '../resolvers/jobs/get-job-logs.ts';
import { purgeJobs } from '../resolvers/jobs/purge-jobs.ts';
import { downloadArtifact, getJob, listJobs } from '../resolvers/jobs/read-jobs.ts';
import { submitBytesMax, submitJob } from '../resolvers/jobs/submit-job.ts';
import { route } from './route.ts';

const inQuery = { project: ['query project_id', 'query project'] } as const;
const byKey = { keyDecides: true } as const;
const all = '/jobs/v1/runs';
const one = `${all}/:job_id`;

/** Paths of managed jobs. Contract 04, section 3.1. */
export const jobRoutes = [
  {
    // Its body is the job itself, and closed.
    ...route(
      'POST',
      all,
      { usual: 202, of: ({ isNew }) => (isNew ? 202 : 200) },
      submitJob,
      { ...inQuery, request: 'body' },
      byKey,
    ),
    bodyBytesMax: submitBytesMax,
  },
  route('GET', all, 200, listJobs, { ...inQuery, before: null, from_end: null }, byKey),
  route('DELETE', all, 200, purgeJobs, inQuery, byKey),
  route('GET', one, 200, getJob, inQuery, byKey),
  route('DELETE', one, 200, cancelJob, inQuery, byKey),
  route('GET', `${one}/logs`, 200, getJobLogs, inQuery, byKey),
  route('GET', `${one}/artifacts/:filename`, 200, downloadArtifact, inQuery, {
    ...byKey,
    asObject: ({ projectId, sha256, size, contentType }) => ({ projectId, sha256, size, contentType }),
  }),
];
