import { type SQL, sql } from '../../../db/drizzle.ts';
import { functionRuns, type RunStatus } from '../../../db/schema/function-runs.ts';
import { computed, pick, type RowOf, setOf, statement, typed } from '../../../db/sql.ts';
import { leasedStatements } from '../../../kernel/durability/leased-statements.ts';
import { runColumns } from './run-row.ts';

/** How long a node that has a run is believed to be alive, in seconds. Contract 03, section 3.6. */
export const leaseSeconds = 60;
/** How often a run that is blocked is looked at again, in seconds. */
const blockedSeconds = 60;

/** Taking runs, and keeping them. */
export const leasedRuns = leasedStatements(
  {
    table: functionRuns,
    id: functionRuns.id,
    lane: functionRuns.projectId,
    dueAt: functionRuns.dueAt,
    lease: functionRuns.lease,
  },
  leaseSeconds,
);

const held = pick(functionRuns, 'id', 'lease');
const isHeld = (given: { readonly id: SQL; readonly lease: SQL }) =>
  sql`${functionRuns.id} = ${given.id} and ${functionRuns.lease} = ${given.lease}`;

const takenColumns = {
  ...runColumns,
  ...pick(functionRuns, 'payload', 'idempotencyKey'),
  isExpired: computed<boolean>('boolean', sql`coalesce(${functionRuns.expiresAt} <= now(), false)`),
};

/** A run in the hands of this node, with all that an attempt needs. */
export type TakenRun = RowOf<typeof takenColumns>;

export const takenStatement = statement(
  'runs.taken',
  { params: held, row: takenColumns },
  (given, row) => sql`select ${row} from ${functionRuns} where ${isHeld(given)}`,
);

/** Begins an attempt. */
export const beginStatement = statement(
  'runs.begin-attempt',
  { params: { ...held, ...pick(functionRuns, 'attemptId', 'lastError') }, row: runColumns },
  ({ id, lease, attemptId, lastError }, row) =>
    sql`update ${functionRuns} ${setOf(functionRuns, {
      status: sql`'running'`,
      attempt: sql`${functionRuns.attempt} + 1`,
      attemptsTotal: sql`${functionRuns.attemptsTotal} + 1`,
      attemptId,
      attemptStartedAt: sql`now()`,
      attemptCompletedAt: sql`null`,
      attemptStatus: sql`null`,
      attemptError: sql`null`,
      lastError: sql`coalesce(${lastError}::jsonb, ${functionRuns.lastError})`,
      updatedAt: sql`now()`,
    })} where ${isHeld({ id, lease })} returning ${row}`,
);

/** Ends a run, or an attempt of it that is followed by another one. @param seconds until that one; null at an end */
export const endStatement = statement(
  'runs.end-attempt',
  {
    params: {
      ...held,
      status: typed<RunStatus>('text'),
      ...pick(functionRuns, 'attemptStatus', 'attemptError'),
      seconds: typed<number | null>('double precision'),
    },
    row: runColumns,
  },
  ({ id, lease, status, attemptStatus, attemptError, seconds }, row) =>
    sql`update ${functionRuns} ${setOf(functionRuns, {
      status,
      // A run that has begun nothing has no attempt that ends.
      attemptCompletedAt: sql`case when ${functionRuns.status} = 'running' then now() else ${functionRuns.attemptCompletedAt} end`,
      attemptStatus: sql`case when ${functionRuns.status} = 'running' then ${attemptStatus} else ${functionRuns.attemptStatus} end`,
      attemptError: sql`case when ${functionRuns.status} = 'running' then ${attemptError}::jsonb else ${functionRuns.attemptError} end`,
      lastError: sql`coalesce(${attemptError}::jsonb, ${functionRuns.lastError})`,
      dueAt: sql`now() + make_interval(secs => ${seconds})`,
      lease: sql`null`,
      updatedAt: sql`now()`,
      completedAt: sql`case when ${seconds}::float8 is null then now() end`,
    })} where ${isHeld({ id, lease })} returning ${row}`,
);

/** Puts a run off whose attempt counts for nothing. @param begun 1 where the attempt was counted before, else 0 */
export const putOffStatement = statement(
  'runs.put-off',
  {
    params: { ...held, begun: typed<number>('integer'), seconds: typed<number>('double precision') },
    row: runColumns,
  },
  ({ id, lease, begun, seconds }, row) =>
    sql`update ${functionRuns} ${setOf(functionRuns, {
      status: sql`'queued'`,
      attempt: sql`${functionRuns.attempt} - ${begun}::int`,
      attemptsTotal: sql`${functionRuns.attemptsTotal} - ${begun}::int`,
      attemptId: sql`case when ${begun} = 1 then null else ${functionRuns.attemptId} end`,
      dueAt: sql`now() + make_interval(secs => ${seconds})`,
      lease: sql`null`,
      updatedAt: sql`now()`,
    })} where ${isHeld({ id, lease })} returning ${row}`,
);

/** Has a run wait until what it needs is there again. */
export const blockStatement = statement(
  'runs.block',
  { params: { ...held, ...pick(functionRuns, 'lastError'), begun: typed<number>('integer') }, row: runColumns },
  ({ id, lease, lastError, begun }, row) =>
    sql`update ${functionRuns} ${setOf(functionRuns, {
      status: sql`'blocked'`,
      attempt: sql`${functionRuns.attempt} - ${begun}::int`,
      attemptsTotal: sql`${functionRuns.attemptsTotal} - ${begun}::int`,
      attemptId: sql`case when ${begun} = 1 then null else ${functionRuns.attemptId} end`,
      lastError: sql`${lastError}::jsonb`,
      dueAt: sql`least(now() + make_interval(secs => ${sql.raw(String(blockedSeconds))}), ${functionRuns.expiresAt})`,
      lease: sql`null`,
      updatedAt: sql`case when ${functionRuns.status} = 'blocked' then ${functionRuns.updatedAt} else now() end`,
    })} where ${isHeld({ id, lease })} returning ${row}`,
);
