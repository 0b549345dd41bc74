import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sqlState } from '../../db/pool.ts';
import type { ProjectDatabase } from '../../db/project-databases.ts';
import { runDoneState } from '../../db/project-template/sql-runs.ts';
import type {
  ScriptLimits,
  ScriptResult,
  ScriptSequel,
  ScriptStatement,
  StatementResult,
  ToldResult,
} from '../../db/wire/script.ts';
import type { TypeFacts } from '../../engines/sql/values.ts';
import type { Context } from '../../kernel/run/context.ts';
import { inProject, once } from './shared/in-project.ts';
import { learningTypes } from './type-names.ts';

/** What the types of the fields of an answer are called. */
interface Typed {
  readonly types: readonly TypeFacts[];
}

/** What a script answered: its last statement, or each one, in which case the rest is empty. */
export interface SqlOutcome extends StatementResult, Typed {
  readonly told: readonly (ToldResult & Typed)[];
}

const storedResult = z.object({
  fields: z.array(z.object({ name: z.string(), typeId: z.number() })),
  rows: z.array(z.array(z.string().nullable())),
  rowCount: z.number().nullable(),
  types: z.array(
    z.object({ name: z.string(), builtIn: z.string(), element: z.string().nullable(), delimiter: z.string() }),
  ),
});

/** As it is stored where a tenant's SQL may have been: it is looked at before it is believed. */
const stored = storedResult.extend({
  told: z.array(storedResult.extend({ command: z.string(), ms: z.number(), before: z.number() })).default([]),
});

/** How a script is run. */
export interface SqlRun {
  /** Undefined for a script that may run as often as it is sent. */
  readonly runId: string | undefined;
  /** Whether nothing of it is kept. */
  readonly isTrial: boolean;
}

/** Longest outcome that is kept in the project's database, in bytes: of longer ones, only that they are done. */
const outcomeMax = 256 * 1024;

/**
 * Runs a script, under a run's id at most once: the id and what was answered are written in the script's own
 * transaction, so a run that was committed before, by whomever, is answered from there.
 */
export async function runOnce(
  { services, signal }: Pick<Context, 'services' | 'signal'>,
  database: ProjectDatabase,
  script: readonly ScriptStatement[],
  limits: ScriptLimits,
  { runId, isTrial }: SqlRun,
): Promise<SqlOutcome> {
  const { projectPools } = services;
  const { sequel: learn, typeOf } = learningTypes();
  const typed = <Result extends StatementResult>(result: Result): Result & Typed => ({
    ...result,
    types: result.fields.map(({ typeId }) => typeOf(typeId)),
  });
  const outcomeOf = ({ told, ...last }: ScriptResult): SqlOutcome => ({
    ...typed(told.length === 0 ? last : nothing),
    told: told.map(typed),
  });
  const run = async (statements: readonly ScriptStatement[], sequels: readonly ScriptSequel[]) =>
    outcomeOf(await projectPools.runScript(database, statements, limits, { signal, sequels, isTrial }));
  // A trial leaves no trace, its id neither; it is refused for what its commit would have been refused for.
  if (runId === undefined || isTrial) return inProject(() => run(script, isTrial ? [learn, settleNow] : [learn]));
  const seal: ScriptSequel = {
    statement(result) {
      const outcome = JSON.stringify(outcomeOf(result));
      return Buffer.byteLength(outcome) > outcomeMax
        ? undefined
        : once('select _svc.end_run($1, $2)', [runId, outcome]);
    },
  };
  const begun = [once('select _svc.begin_run($1)', [runId]), ...script];
  let isDone = false;
  try {
    return await inProject(async () => {
      try {
        return await run(begun, [learn, seal]);
      } catch (error) {
        if (sqlState(error) !== runDoneState) throw error;
        isDone = true;
        const [rows] = await projectPools.run(database, [once('select _svc.run_outcome($1)', [runId])], { signal });
        const outcome = rows![0]![0]!;
        if (outcome === null) throw notKept();
        return stored.parse(JSON.parse(outcome));
      }
    });
  } catch (error) {
    if (!(error instanceof ServiceError) || !error.row.retryable || !(isDone || error.mutationState === 'unknown'))
      throw error;
    // Under its key it is not run twice, so it may well be sent again.
    throw new ServiceError(error.code, {
      message: error.message,
      details: error.details,
      mutationState: isDone ? 'committed' : 'unknown',
      safeToRetry: true,
      retryAfter: 1,
      cause: error,
    });
  }
}

const nothing: StatementResult = { fields: [], rows: [], rowCount: null };

/** Fires what was put off to the end. */
const settleNow: ScriptSequel = { statement: () => once('set constraints all immediate') };

const notKept = () =>
  new ServiceError('RESULT_TOO_LARGE', {
    message: 'The SQL was run under this key before and is committed; what it answered was not kept.',
    details: { reason: 'outcome_not_kept' },
    nextActions: [],
    mutationState: 'committed',
    safeToRetry: false,
  });
