import { z } from 'zod';
import { sql } from '../../../db/drizzle.ts';
import { functionRuns, type RunStatus, runStatuses } from '../../../db/schema/function-runs.ts';
import { allOf, pick, type RowOf, statement } from '../../../db/sql.ts';
import type { FeedAppend } from '../../../kernel/durability/unit-of-work.ts';
import { appendChange, changeFeed } from '../../../kernel/feeds/changes.ts';
import type { FeedName } from '../../../kernel/feeds/feeds.ts';

/** A run without what it is given, which no answer tells. */
export const runColumns = allOf(functionRuns, ['payload', 'intent', 'idempotencyKey', 'lease', 'sourceType']);

export type FunctionRun = RowOf<typeof runColumns>;

const errorWire = z.object({ code: z.string(), message: z.string(), retryable: z.boolean() });

/** A run as it is answered. Contract 03, section 3.6. */
export const RunHandleWire = z
  .object({
    run_id: z.string(),
    function_name: z.string(),
    event_type: z.string(),
    status: z.enum(runStatuses),
    terminal: z.boolean().describe('Whether it has ended.'),
    generation: z.int().describe('Rises with each redrive.'),
    run_at: z.iso.datetime(),
    expires_at: z.iso.datetime().optional(),
    source: z.looseObject({ type: z.string() }),
    attempts: z.object({
      current: z.int().describe('Of this generation.'),
      max: z.int(),
      total: z.int().describe('Of all generations.'),
      next_attempt_at: z.iso.datetime().optional(),
    }),
    last_attempt: z
      .object({
        attempt_id: z.string(),
        number: z.int(),
        started_at: z.iso.datetime().optional(),
        completed_at: z.iso.datetime().optional(),
        duration_ms: z.int().optional(),
        response_status: z.int().optional(),
        error: errorWire.optional(),
      })
      .optional(),
    last_error: errorWire.optional(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
    completed_at: z.iso.datetime().optional(),
    deduplicated: z.boolean().optional().describe('True when the key was used before.'),
    next_actions: z.array(z.object({ type: z.string(), href: z.string(), best_effort: z.boolean().optional() })),
  })
  .meta({ id: 'FunctionRun' });

const ends: readonly RunStatus[] = ['succeeded', 'failed', 'cancelled', 'expired'];

export const isOver = ({ status }: Pick<FunctionRun, 'status'>): boolean => ends.includes(status);

/** States in which a run waits for its next attempt. */
const waits: readonly RunStatus[] = ['scheduled', 'queued', 'retrying', 'blocked'];

/** What may be done with a run now. */
export function runActions({ id, status }: Pick<FunctionRun, 'id' | 'status'>) {
  const action = (type: string, more: { readonly best_effort?: true } = {}) => ({
    type,
    href: `/functions/v1/runs/${id}/${type}`,
    ...more,
  });
  if (waits.includes(status)) return [action('cancel')];
  if (status === 'running') return [action('logs'), action('cancel', { best_effort: true })];
  return status === 'succeeded' ? [action('logs')] : [action('logs'), action('redrive')];
}

const iso = (at: Date | null): string | undefined => at?.toISOString();

export const runToWire = (
  run: FunctionRun,
  { deduplicated }: { readonly deduplicated?: true } = {},
): z.output<typeof RunHandleWire> => ({
  run_id: run.id,
  function_name: run.function,
  event_type: run.eventType,
  status: run.status,
  terminal: isOver(run),
  generation: run.generation,
  run_at: run.runAt.toISOString(),
  ...(run.expiresAt === null ? {} : { expires_at: iso(run.expiresAt) }),
  source: { ...run.source },
  attempts: {
    current: run.attempt,
    max: run.maxAttempts,
    total: run.attemptsTotal,
    ...(waits.includes(run.status) && run.dueAt !== null ? { next_attempt_at: iso(run.dueAt) } : {}),
  },
  ...(run.attemptId === null ? {} : { last_attempt: attemptToWire(run, run.attemptId) }),
  ...(run.lastError === null ? {} : { last_error: run.lastError }),
  created_at: run.createdAt.toISOString(),
  updated_at: run.updatedAt.toISOString(),
  ...(run.completedAt === null ? {} : { completed_at: iso(run.completedAt) }),
  ...(deduplicated === undefined ? {} : { deduplicated }),
  next_actions: runActions(run),
});

function attemptToWire(run: FunctionRun, attemptId: string) {
  const { attemptStartedAt: began, attemptCompletedAt: ended, attemptStatus: status, attemptError: error } = run;
  return {
    attempt_id: attemptId,
    number: run.attempt,
    ...(began === null ? {} : { started_at: iso(began) }),
    ...(ended === null ? {} : { completed_at: iso(ended) }),
    ...(began === null || ended === null ? {} : { duration_ms: ended.getTime() - began.getTime() }),
    ...(status === null ? {} : { response_status: status }),
    ...(error === null ? {} : { error }),
  };
}

/** The runs of a project that change. */
const nameOf = (orgId: string, feedId: string): FeedName => ({ orgId, kind: 'function_runs', feedId });

/** A run as JSON keeps it: as it is answered. */
export type RunChange = z.output<typeof RunHandleWire>;

/** What becomes of the runs of a project, in one order. */
export const runFeed = (orgId: string, projectId: string) => changeFeed<RunChange>(nameOf(orgId, projectId), 'rcr_');

/** A run that was made, or that stands otherwise than before. */
export const runChanged = (run: FunctionRun): FeedAppend =>
  appendChange(nameOf(run.orgId, run.projectId), run.id, runToWire(run));

/** Reads a run by its id, of the project that was authorised. */
export const findRunStatement = statement(
  'runs.find',
  { params: pick(functionRuns, 'id'), row: runColumns },
  ({ id }, row) => sql`select ${row} from ${functionRuns} where ${functionRuns.id} = ${id}`,
);
