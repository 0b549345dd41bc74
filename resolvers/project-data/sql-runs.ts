import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sqlState } from '../../db/pool.ts';
import type { ProjectDatabase } from '../../db/project-databases.ts';
import { runDoneState } from '../../db/project-template/sql-runs.ts';
import type { ScriptLimits, ScriptResult, ScriptSequel, ScriptStatement } from '../../db/wire/script.ts';
import type { TypeFacts } from '../../engines/sql/values.ts';
import type { Context } from '../../kernel/run/context.ts';
import { inProject, once } from './shared/in-project.ts';
import { learningTypes } from './type-names.ts';

/** What a script answered, with what the types of its fields are called. */
export interface SqlOutcome extends ScriptResult {
  readonly types: readonly TypeFacts[];
}

/** As it is stored where a tenant's SQL may have been: it is looked at before it is believed. */
const stored = z.object({
  fields: z.array(z.object({ name: z.string(), typeId: z.number() })),
  rows: z.array(z.array(z.string().nullable())),
  rowCount: z.number().nullable(),
  types: z.array(
    z.object({ name: z.string(), builtIn: z.string(), element: z.string().nullable(), delimiter: z.string() }),
  ),
});

/** Longest outcome that is kept in the project's database, in bytes: of longer ones, only that they are done. */
const outcomeMax = 256 * 1024;

/**
 * Runs a script, under a run's id at most once: the id and what was answered are written in the script's own
 * transaction, so a run that was committed before, by whomever, is answered from there.
 *
 * @param runId undefined for a script that may run as often as it is sent
 */
export async function runOnce(
  { services, signal }: Pick<Context, 'services' | 'signal'>,
  database: ProjectDatabase,
  script: readonly ScriptStatement[],
  limits: ScriptLimits,
  runId: string | undefined,
): Promise<SqlOutcome> {
  const { projectPools } = services;
  const { sequel: learn, typeOf } = learningTypes();
  const outcomeOf = (result: ScriptResult): SqlOutcome => ({
    ...result,
    types: result.fields.map(({ typeId }) => typeOf(typeId)),
  });
  const run = async (statements: readonly ScriptStatement[], sequels: readonly ScriptSequel[]) =>
    outcomeOf(await projectPools.runScript(database, statements, limits, { signal, sequels }));
  if (runId === undefined) return inProject(() => run(script, [learn]));
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

const notKept = () =>
  new ServiceError('RESULT_TOO_LARGE', {
    message: 'The SQL was run under this key before and is committed; what it answered was not kept.',
    details: { reason: 'outcome_not_kept' },
    nextActions: [],
    mutationState: 'committed',
    safeToRetry: false,
  });
