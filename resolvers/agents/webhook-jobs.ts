import { sql } from '../../db/drizzle.ts';
import { webhookJobs } from '../../db/schema/agent-work.ts';
import { excluded, insertInto, nameOf, pick, setOf, statement } from '../../db/sql.ts';
import type { Context } from '../../kernel/run/context.ts';

/** How long an answer is given again, in hours. Contract 00, section 4.5. */
const keptHours = 24;

export interface WebhookJob {
  /** SHA-256 of who sent it and under which id. */
  readonly key: string;
  readonly jobId: string;
  readonly callbackUrl: string | null;
  readonly answer: object;
}

const byKey = statement(
  'webhook_job_answer',
  { params: pick(webhookJobs, 'key'), row: pick(webhookJobs, 'answer') },
  ({ key }, row) =>
    sql`select ${row} from ${webhookJobs} where ${webhookJobs.key} = ${key} and ${webhookJobs.expiresAt} > now()`,
);

const insert = statement(
  'webhook_job_insert',
  { params: pick(webhookJobs, 'key', 'jobId', 'callbackUrl', 'answer'), row: pick(webhookJobs, 'answer') },
  (given, row) =>
    sql`${insertInto(webhookJobs, {
      ...given,
      expiresAt: sql`now() + interval '${sql.raw(String(keptHours))} hours'`,
    })} on conflict (${nameOf(webhookJobs.key)}) do update ${setOf(webhookJobs, {
      jobId: excluded(webhookJobs.jobId),
      callbackUrl: excluded(webhookJobs.callbackUrl),
      answer: excluded(webhookJobs.answer),
      createdAt: sql`now()`,
      expiresAt: excluded(webhookJobs.expiresAt),
    })} where ${webhookJobs.expiresAt} <= now() returning ${row}`,
);

/** What a job was answered before; undefined when it is a new one. */
export async function findJobAnswer({ services }: Pick<Context, 'services'>, key: string): Promise<object | undefined> {
  return (await services.db.rows(byKey.with({ key })))[0]?.answer;
}

/** Keeps the answer of a job. @returns it, or the one that the same job was given at the same time */
export async function keepJobAnswer(store: Pick<Context, 'services'>, job: WebhookJob): Promise<object> {
  const [kept] = await store.services.db.rows(insert.with({ ...job, answer: JSON.stringify(job.answer) }));
  return kept?.answer ?? (await findJobAnswer(store, job.key)) ?? job.answer;
}
