import { sql } from '../../../db/drizzle.ts';
import { functionRuns, type RunSource } from '../../../db/schema/function-runs.ts';
import { insertInto, namesOf, pick, statement, typed } from '../../../db/sql.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import type { Retry } from './retry.ts';
import { type FunctionRun, runChanged, runColumns } from './run-row.ts';

/** The job that wakes the workers of a node when a run comes due. */
export const wakeRunsTask = 'functions.wakeRuns';

export interface RunToMake {
  readonly orgId: string;
  readonly projectId: string;
  readonly function: string;
  readonly eventType: string;
  readonly source: RunSource;
  readonly idempotencyKey: string;
  /** SHA-256 of what is asked for. */
  readonly intent: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly retry: Retry;
  /** Undefined: now. */
  readonly runAt?: Date | undefined;
  /** From now, in place of `runAt`. */
  readonly delaySeconds?: number | undefined;
  readonly expiresAt?: Date | undefined;
  /** From when it is run, in place of `expiresAt`. */
  readonly expiresAfterSeconds?: number | undefined;
}

/** Makes a run, and has it begun in time. @returns undefined when its key is taken */
export async function insertRun(work: Work, run: RunToMake): Promise<FunctionRun | undefined> {
  const { source, payload, retry, runAt, delaySeconds, expiresAt, expiresAfterSeconds, ...rest } = run;
  const [made] = await work.rows(
    insertStatement.with({
      ...rest,
      ...retry,
      id: work.services.newId('fnrun'),
      source: JSON.stringify(source),
      sourceType: source.type,
      payload: JSON.stringify(payload),
      runAt: runAt ?? null,
      delaySeconds: delaySeconds ?? 0,
      expiresAt: expiresAt ?? null,
      expiresAfterSeconds: expiresAfterSeconds ?? null,
    }),
  );
  if (made === undefined) return undefined;
  await wakeFor(work, made);
  return made;
}

/** Tells of a run that stands otherwise, and has a node look at it when it is due. */
export async function wakeFor(work: Work, run: FunctionRun): Promise<void> {
  work.append(runChanged(run));
  if (run.dueAt === null) return;
  await work.addJob(wakeRunsTask, {}, { key: run.id, runAt: run.dueAt });
  work.afterCommit(() => work.services.functionRuns.wake());
}

const insertStatement = statement(
  'runs.insert',
  {
    params: {
      ...pick(
        functionRuns,
        'id',
        'orgId',
        'projectId',
        'function',
        'eventType',
        'source',
        'sourceType',
        'idempotencyKey',
        'intent',
        'payload',
        'maxAttempts',
        'minDelaySeconds',
        'maxDelaySeconds',
      ),
      runAt: typed<Date | null>('timestamp with time zone'),
      delaySeconds: typed<number>('double precision'),
      expiresAt: typed<Date | null>('timestamp with time zone'),
      expiresAfterSeconds: typed<number | null>('double precision'),
    },
    row: runColumns,
  },
  ({ runAt, delaySeconds, expiresAt, expiresAfterSeconds, ...given }, row) => {
    const at = sql`coalesce(${runAt}::timestamptz, now() + make_interval(secs => ${delaySeconds}))`;
    return sql`${insertInto(functionRuns, {
      ...given,
      status: sql`case when ${at} > now() then 'scheduled' else 'queued' end`,
      runAt: at,
      dueAt: at,
      expiresAt: sql`coalesce(${expiresAt}::timestamptz, ${at} + make_interval(secs => ${expiresAfterSeconds}))`,
    })} on conflict (${namesOf(
      functionRuns.orgId,
      functionRuns.projectId,
      functionRuns.function,
      functionRuns.sourceType,
      functionRuns.idempotencyKey,
    )}) do nothing returning ${row}`;
  },
);
