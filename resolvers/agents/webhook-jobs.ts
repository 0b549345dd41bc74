import type { Statement } from '../../db/pool.ts';
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

interface AnswerRow {
  readonly answer: object;
}

const byKey: Statement = {
  name: 'webhook_job_answer',
  text: 'select answer from webhook_jobs where key = $1 and expires_at > now()',
};

const insert: Statement = {
  name: 'webhook_job_insert',
  text: `insert into webhook_jobs (key, job_id, callback_url, answer, expires_at)
    values ($1, $2, $3, $4, now() + interval '${keptHours} hours')
    on conflict (key) do update
      set job_id = excluded.job_id, callback_url = excluded.callback_url, answer = excluded.answer,
        created_at = now(), expires_at = excluded.expires_at
      where webhook_jobs.expires_at <= now()
    returning answer`,
};

/** What a job was answered before; undefined when it is a new one. */
export async function findJobAnswer({ services }: Pick<Context, 'services'>, key: string): Promise<object | undefined> {
  return (await services.db.rows<AnswerRow>(byKey, [key]))[0]?.answer;
}

/** Keeps the answer of a job. @returns it, or the one that the same job was given at the same time */
export async function keepJobAnswer(store: Pick<Context, 'services'>, job: WebhookJob): Promise<object> {
  const { key, jobId, callbackUrl, answer } = job;
  const values = [key, jobId, callbackUrl, JSON.stringify(answer)];
  const [kept] = await store.services.db.rows<AnswerRow>(insert, values);
  return kept?.answer ?? (await findJobAnswer(store, key)) ?? answer;
}
