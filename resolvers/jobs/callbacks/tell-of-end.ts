import { jobCallbacks } from '../../../db/schema/jobs.ts';
import { insertInto, pick, statement } from '../../../db/sql.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { originOfGateway } from '../../projects/shared/project-hosts.ts';
import { artifactsToWire, type Job } from '../job-row.ts';

/** The job of the queue that wakes the senders of a node when a callback comes due. */
export const wakeCallbacksTask = 'jobs.wakeCallbacks';

/** Has somebody told of the end of a job, once it is committed. @param url null: nobody asked for it */
export async function tellOfEnd(work: Work, job: Job, url: string | null): Promise<void> {
  if (url === null) return;
  const { id, orgId, projectId, status, error, artifacts } = job;
  const body = JSON.stringify({
    id: work.services.newId('whd'),
    type: `job_${status}`,
    created_at: job.completedAt!.toISOString(),
    schema_version: '1',
    idempotency_key: callbackKey(id),
    payload: {
      job_id: id,
      status,
      ...(artifacts === null ? {} : { artifacts: artifactsToWire(originOfGateway(work.services), job) }),
      ...(error === null ? {} : { error }),
    },
  });
  await work.rows(insertStatement.with({ id, orgId, projectId, url, body }));
  await wakeCallbacks(work, id);
}

/** By what receivers tell repetitions. */
export const callbackKey = (job: string): string => `${job}:terminal`;

/** Has a node look at a callback that is due. @param runAt when it is. @default now */
export async function wakeCallbacks(work: Work, id: string, runAt?: Date): Promise<void> {
  await work.addJob(wakeCallbacksTask, {}, { key: `callback:${id}`, ...(runAt === undefined ? {} : { runAt }) });
  work.afterCommit(() => work.services.jobCallbackWork.wake());
}

const insertStatement = statement(
  'jobs.insert-callback',
  { params: pick(jobCallbacks, 'id', 'orgId', 'projectId', 'url', 'body') },
  (given) => insertInto(jobCallbacks, given),
);
