import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { managedJobs } from '../../db/schema/jobs.ts';
import { computed, insertInto, pick, statement, typed } from '../../db/sql.ts';
import type { Rows } from '../../db/statement.ts';
import { onNamedOrOwnProject } from '../../kernel/access/access.ts';
import { checkKey, inputDigest } from '../../kernel/durability/idempotency.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { itsProject } from '../../kernel/input/fields.ts';
import { jsonObject } from '../../kernel/input/json-object.ts';
import { webhookUrl } from '../../kernel/input/webhook-url.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { hold } from '../ledger/shared/ledger.ts';
import { lockProjectFor } from '../projects/shared/lock-project.ts';
import { type Job, JobWire, jobColumns, jobToWire } from './job-row.ts';
import { jobActions } from './shared/actions.ts';
import { systemLine } from './shared/log-rows.ts';
import { allTypes, findType } from './types/find-type.ts';
import type { JobType } from './types/job-type.ts';
import { wakeJobs } from './wake.ts';

/** Largest input, in KiB of JSON. */
const inputKib = 512;
/** Largest body of a request, in bytes: the input, and what is around it. */
export const submitBytesMax = (inputKib + 64) * 1024;

const request = z.strictObject({
  job_type: z.string().min(1).max(128).describe('The type, such as `echo`: see the list of types.'),
  input: z
    .strictObject({ input_json: jsonObject({ kib: inputKib, depth: 32 }).describe('Members as its type says.') })
    .describe('What the job is given.'),
  max_cost_usd_micros: z
    .int()
    .min(0)
    .describe('Most that it may cost, in micro-dollars: as much is held of the balance until it ends.'),
  callback_url: z
    .string()
    .optional()
    .describe('Who is told of its end: an https address of at most 2048 characters, which no answer shows.'),
});

export interface SubmittedJob {
  readonly job: Job;
  readonly isNew: boolean;
}

/** `POST /jobs/v1/runs`. Contract 04, section 3.1. */
export const submitJob = mutation({
  name: 'jobs.submit',
  tool: 'jobs_submit',
  command: 'jobs submit',
  effects: ['openWorld'],
  summary: 'Have the platform do a job in the background, for at most what you say. One job for each key.',
  access: onNamedOrOwnProject(jobActions['project:jobs:write']),
  lifecycle: 'gated',
  idempotency: 'own',
  invalidCode: 'invalid_job_request',
  input: z.object({
    project: itsProject,
    request: request.describe('The job.'),
  }),
  async handler(work, { request: asked }): Promise<SubmittedJob> {
    const { org } = work;
    const idempotencyKey = keyOf(work.request.idempotencyKey);
    requireCallback(asked.callback_url);
    const intent = inputDigest(asked);
    // Changes of one project happen one after the other: the key and the quota are looked at behind this.
    const project = await lockProjectFor(work, jobActions['project:jobs:write']);
    const before = await jobOfKey(work.rows, { projectId: project.id, idempotencyKey }, intent);
    if (before !== undefined) return { job: before, isNew: false };
    const { type, input } = await typeOf(work, asked);
    const cap = BigInt(asked.max_cost_usd_micros);
    const least = type.price.perJob + type.price.perSecond;
    if (cap < least) throw refused('max_cost_usd_micros', `must be at least ${least}, what its first second costs`);
    await requireRoom(work, project.id);
    const [job] = await work.rows(
      insertStatement.with({
        id: work.services.newId('job'),
        orgId: org.id,
        projectId: project.id,
        type: type.name,
        input: JSON.stringify(input),
        idempotencyKey,
        intent,
        cap,
        ...type.price,
        callbackUrl: asked.callback_url ?? null,
      }),
    );
    await holdCap(work, job!);
    work.append(systemLine(job!, 'The job waits for its turn.', work.services.now()));
    await wakeJobs(work, job!.id);
    return { job: job!, isNew: true };
  },
  audit: ({ job: { id, type, cap }, isNew }, _input, { project }) =>
    isNew
      ? {
          action: 'job.submitted',
          object: { kind: 'job', id },
          details: { project_id: project.id, job_type: type, max_cost_usd_micros: Number(cap) },
        }
      : undefined,
  wire: JobWire,
  toWire: ({ job }, ctx) => jobToWire(job, ctx),
});

const refused = (field: string, reason: string, more: object = {}) =>
  new ServiceError('invalid_job_request', { message: `${field}: ${reason}`, details: { field, reason, ...more } });

/** @throws IDEMPOTENCY_KEY_REQUIRED, IDEMPOTENCY_KEY_INVALID */
function keyOf(header: string | undefined): string {
  if (header === undefined) throw new ServiceError('IDEMPOTENCY_KEY_REQUIRED');
  return checkKey(header);
}

/** @throws INVALID_CALLBACK_URL */
function requireCallback(url: string | undefined): void {
  if (url !== undefined && !webhookUrl.safeParse(url).success)
    throw new ServiceError('INVALID_CALLBACK_URL', { details: { field: 'callback_url' } });
}

/** @throws IDEMPOTENCY_KEY_REUSED when something else was asked for under it */
async function jobOfKey(
  rows: Rows,
  key: { readonly projectId: string; readonly idempotencyKey: string },
  intent: string,
): Promise<Job | undefined> {
  const [found] = await rows(byKeyStatement.with(key));
  if (found === undefined) return undefined;
  const { intent: before, ...job } = found;
  if (before === intent) return job;
  throw new ServiceError('IDEMPOTENCY_KEY_REUSED', {
    details: { job_id: job.id },
    nextActions: [
      { type: 'new_idempotency_key', why: 'Use a new key for another job.' },
      { type: 'poll', method: 'GET', path: `/jobs/v1/runs/${job.id}`, why: 'See the job that has the key.' },
    ],
  });
}

/** @throws invalid_job_request for a type that nobody has registered, and an input that it does not take */
async function typeOf(
  { rows }: Work,
  asked: z.output<typeof request>,
): Promise<{ readonly type: JobType; readonly input: Readonly<Record<string, unknown>> }> {
  const type = await findType(rows, asked.job_type);
  if (type === undefined) {
    const names = (await allTypes(rows)).map(({ name }) => name);
    throw refused('job_type', 'is none that is registered', { job_types: names });
  }
  // Numbers that no double holds are numbers like any other here.
  const read = type.read(JSON.parse(JSON.stringify(asked.input.input_json)) as Record<string, unknown>);
  if ('reason' in read) throw refused(read.field, read.reason);
  return { type, input: read.input };
}

/** @throws JOB_QUOTA_EXCEEDED, JOB_QUEUE_FULL */
async function requireRoom({ rows, services }: Work, projectId: string): Promise<void> {
  const { perProject, queued } = services.jobLimits;
  const [count] = await rows(countStatement.with({ projectId, most: queued }));
  if (count!.ofProject >= perProject)
    throw new ServiceError('JOB_QUOTA_EXCEEDED', {
      details: { resource: 'jobs', scope: 'project', used: count!.ofProject, limit: perProject },
      retryAfter: 5,
    });
  if (count!.ofAll >= queued) throw new ServiceError('JOB_QUEUE_FULL', { retryAfter: 30 });
}

/** @throws INSUFFICIENT_BALANCE */
async function holdCap(work: Work, { id, orgId, projectId, type, cap }: Job): Promise<void> {
  if (cap === 0n) return;
  try {
    const metadata = { project_id: projectId, job_type: type };
    await hold(work, { orgId, amount: cap, reference: { type: 'job', id }, metadata });
  } catch (error) {
    if (!(error instanceof ServiceError && error.code === 'INSUFFICIENT_FUNDS')) throw error;
    throw new ServiceError('INSUFFICIENT_BALANCE', { details: error.details, cause: error });
  }
}

const byKeyStatement = statement(
  'jobs.by-key',
  {
    params: pick(managedJobs, 'projectId', 'idempotencyKey'),
    row: { ...jobColumns, ...pick(managedJobs, 'intent') },
  },
  ({ projectId, idempotencyKey }, row) => sql`select ${row} from ${managedJobs}
    where ${managedJobs.projectId} = ${projectId} and ${managedJobs.idempotencyKey} = ${idempotencyKey}`,
);

const countStatement = statement(
  'jobs.count',
  {
    params: { ...pick(managedJobs, 'projectId'), most: typed<number>('bigint') },
    row: { ofProject: computed<number>('integer', sql`of_project`), ofAll: computed<number>('integer', sql`of_all`) },
  },
  ({ projectId, most }, row) => sql`select ${row} from (
      select (select count(*)::int from ${managedJobs}
          where ${managedJobs.projectId} = ${projectId} and ${managedJobs.dueAt} is not null) as of_project,
        (select count(*)::int from (select from ${managedJobs} where ${managedJobs.dueAt} is not null limit ${most}) waiting) as of_all
    ) counted`,
);

const insertStatement = statement(
  'jobs.insert',
  {
    params: pick(
      managedJobs,
      'id',
      'orgId',
      'projectId',
      'type',
      'input',
      'idempotencyKey',
      'intent',
      'cap',
      'perJob',
      'perSecond',
      'callbackUrl',
    ),
    row: jobColumns,
  },
  (given, row) => sql`${insertInto(managedJobs, given)} returning ${row}`,
);
