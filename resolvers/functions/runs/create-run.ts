import { z } from 'zod';
import { ServiceError } from '../../../core/errors.ts';
import { sql } from '../../../db/drizzle.ts';
import { functionRuns } from '../../../db/schema/function-runs.ts';
import { releaseFunctions } from '../../../db/schema/functions.ts';
import { liveReleases } from '../../../db/schema/releases.ts';
import { pick, statement } from '../../../db/sql.ts';
import { onNamedOrOwnProject, type ProjectScope } from '../../../kernel/access/access.ts';
import { inputDigest, isKey } from '../../../kernel/durability/idempotency.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { moment, projectId } from '../../../kernel/input/fields.ts';
import { jsonObject } from '../../../kernel/input/json-object.ts';
import { mutation } from '../../../kernel/run/operation.ts';
import { functionActions } from '../shared/actions.ts';
import { ofFunction } from '../shared/of-function.ts';
import { insertRun } from './insert-run.ts';
import { retryInput, retryOf } from './retry.ts';
import { type FunctionRun, RunHandleWire, runColumns, runToWire } from './run-row.ts';

/** How far ahead a run may be. Contract 03, section 3.6. */
const aheadDays = 90;
const dayMs = 86_400_000;

/** The project of a run, where the credential does not tell. */
export const itsProject = projectId
  .optional()
  .describe('Project; that of the credential where it is for one alone, as a service key.');

interface CreatedRun {
  readonly run: FunctionRun;
  readonly deduplicated: boolean;
}

/** `POST /functions/v1/:name/runs`. Contract 03, section 3.6. */
export const createFunctionRun = mutation({
  name: 'functions.createRun',
  tool: 'create_function_run',
  command: 'functions runs create',
  effects: ['openWorld'],
  summary: 'Have a function run in the background, now or later, and again until it succeeds. One run for each key.',
  access: onNamedOrOwnProject(functionActions['project:functions:run']),
  lifecycle: 'gated',
  idempotency: 'own',
  invalidCode: 'invalid_function_run_request',
  input: z.object({
    project: itsProject,
    name: ofFunction,
    event_type: z.string().min(1).max(128).describe('What happened, in words of yours: the function is told.'),
    idempotency_key: z
      .string()
      .refine(isKey, 'must have 1 to 256 characters')
      .optional()
      .describe('Names the run: a key that was used before answers its run. The header Idempotency-Key says the same.'),
    payload: jsonObject({ kib: 64, depth: 32 }).optional().describe('What the function is given: 64 KiB at most.'),
    run_at: moment.optional().describe('When it is run: now unless told, at most 90 days ahead.'),
    delay_seconds: z
      .int()
      .min(0)
      .max(aheadDays * 86_400)
      .optional()
      .describe('How long it waits, in place of run_at.'),
    expires_at: moment.optional().describe('From then on it is not begun any more.'),
    retry: retryInput.optional(),
  }),
  async handler(work, input): Promise<CreatedRun> {
    const { services, org, project } = work;
    const key = keyOf(input.idempotency_key, work.request.idempotencyKey);
    refuseTimes(input, services.now());
    const { name, event_type, payload = {}, run_at, delay_seconds, expires_at, retry } = input;
    const owner = { orgId: org.id, projectId: project.id, function: name };
    const intent = inputDigest({ event_type, payload, run_at, delay_seconds, expires_at, retry: retryOf(retry) });
    const before = await findByKey(work, { ...owner, key, intent });
    if (before !== undefined) return before;
    await refuseAbsent(work, name);
    const made = await insertRun(work, {
      ...owner,
      eventType: event_type,
      source: { type: 'api' },
      idempotencyKey: key,
      intent,
      payload,
      retry: retryOf(retry),
      runAt: run_at,
      delaySeconds: delay_seconds,
      expiresAt: expires_at,
    });
    // Another request with the key came first.
    return made === undefined
      ? (await findByKey(work, { ...owner, key, intent }))!
      : { run: made, deduplicated: false };
  },
  audit: ({ run, deduplicated }, _input, { project }) =>
    deduplicated
      ? undefined
      : {
          action: 'function_run.created',
          object: { kind: 'function_run', id: run.id },
          details: { project_id: project.id, function: run.function, event_type: run.eventType },
        },
  wire: RunHandleWire,
  toWire: ({ run, deduplicated }) => runToWire(run, deduplicated ? { deduplicated } : {}),
});

const refuse = (field: string, reason: string) =>
  new ServiceError('invalid_function_run_request', { message: `${field}: ${reason}`, details: { field, reason } });

/** @throws invalid_function_run_request */
function keyOf(given: string | undefined, header: string | undefined): string {
  if (given !== undefined && header !== undefined && given !== header)
    throw refuse('idempotency_key', 'must be the same as the header Idempotency-Key');
  const key = given ?? header;
  if (key === undefined || !isKey(key)) throw refuse('idempotency_key', 'is required');
  return key;
}

/** @throws invalid_function_run_request */
function refuseTimes(
  {
    run_at: runAt,
    delay_seconds: delay,
    expires_at: expiresAt,
  }: {
    readonly run_at?: Date | undefined;
    readonly delay_seconds?: number | undefined;
    readonly expires_at?: Date | undefined;
  },
  now: Date,
): void {
  if (runAt !== undefined && delay !== undefined) throw refuse('delay_seconds', 'does not go together with run_at');
  const begins = runAt?.getTime() ?? now.getTime() + (delay ?? 0) * 1_000;
  if (begins > now.getTime() + aheadDays * dayMs) throw refuse('run_at', `must be at most ${aheadDays} days ahead`);
  if (expiresAt !== undefined && expiresAt.getTime() <= begins) throw refuse('expires_at', 'must be after it is run');
}

/** @throws function_run_idempotency_conflict */
async function findByKey(
  work: Work,
  { intent, key, ...owner }: { orgId: string; projectId: string; function: string; key: string; intent: string },
): Promise<CreatedRun | undefined> {
  const [found] = await work.rows(byKeyStatement.with({ ...owner, idempotencyKey: key }));
  if (found === undefined) return undefined;
  const { intent: before, ...run } = found;
  if (before !== intent)
    throw new ServiceError('function_run_idempotency_conflict', {
      details: { run_id: run.id },
      nextActions: [{ type: 'get', href: `/functions/v1/runs/${run.id}`, why: 'See the run that has the key.' }],
    });
  return { run, deduplicated: true };
}

/** @throws FUNCTION_NOT_FOUND */
async function refuseAbsent(work: Work & ProjectScope, name: string): Promise<void> {
  const found = await work.rows(liveStatement.with({ orgId: work.org.id, projectId: work.project.id, name }));
  if (found.length === 0) throw new ServiceError('FUNCTION_NOT_FOUND', { details: { function: name } });
}

const liveStatement = statement(
  'runs.live-function',
  { params: pick(releaseFunctions, 'orgId', 'projectId', 'name'), row: pick(releaseFunctions, 'name') },
  (given, row) => sql`select ${row} from ${liveReleases}
    join ${releaseFunctions} on ${releaseFunctions.orgId} = ${liveReleases.orgId}
      and ${releaseFunctions.projectId} = ${liveReleases.projectId} and ${releaseFunctions.releaseId} = ${liveReleases.releaseId}
    where ${liveReleases.orgId} = ${given.orgId} and ${liveReleases.projectId} = ${given.projectId}
      and ${releaseFunctions.name} = ${given.name}`,
);

const byKeyStatement = statement(
  'runs.by-key',
  {
    params: pick(functionRuns, 'orgId', 'projectId', 'function', 'idempotencyKey'),
    row: { ...runColumns, ...pick(functionRuns, 'intent') },
  },
  (given, row) => sql`select ${row} from ${functionRuns}
    where ${functionRuns.orgId} = ${given.orgId} and ${functionRuns.projectId} = ${given.projectId}
      and ${functionRuns.function} = ${given.function} and ${functionRuns.sourceType} = 'api'
      and ${functionRuns.idempotencyKey} = ${given.idempotencyKey}`,
);
