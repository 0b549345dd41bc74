import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sqlState } from '../../db/pool.ts';
import type { ProjectDatabase } from '../../db/project-databases.ts';
import { runDoneState } from '../../db/project-template/sql-runs.ts';
import type { ScriptLimits, ScriptResult } from '../../db/script.ts';
import type { BatchStatement } from '../../db/statement-batch.ts';
import type { Context } from '../context.ts';
import { inProject, once } from './in-project.ts';

/** As it is stored where a tenant's SQL may have been: it is looked at before it is believed. */
const stored = z.object({
  fields: z.array(z.object({ name: z.string(), typeId: z.number() })),
  rows: z.array(z.array(z.string().nullable())),
  rowCount: z.number().nullable(),
});

/**
 * Runs a script, under a run's id at most once: the id and what was answered are written in the script's own
 * transaction, so a run that was committed before, by whomever, is answered from there.
 *
 * @param runId undefined for a script that may run as often as it is sent
 */
export async function runOnce(
  { services, signal }: Pick<Context, 'services' | 'signal'>,
  database: ProjectDatabase,
  script: readonly BatchStatement[],
  limits: ScriptLimits,
  runId: string | undefined,
): Promise<ScriptResult> {
  const { projectPools } = services;
  if (runId === undefined) return inProject(() => projectPools.runScript(database, script, limits, { signal }));
  const seal = (result: ScriptResult) => once('select _svc.end_run($1, $2)', [runId, JSON.stringify(result)]);
  const begun = [once('select _svc.begin_run($1)', [runId]), ...script];
  try {
    return await inProject(async () => {
      try {
        return await projectPools.runScript(database, begun, limits, { signal, seal });
      } catch (error) {
        if (sqlState(error) !== runDoneState) throw error;
        const [rows] = await projectPools.run(database, [once('select _svc.run_outcome($1)', [runId])], { signal });
        return stored.parse(JSON.parse(rows![0]![0]!));
      }
    });
  } catch (error) {
    if (!(error instanceof ServiceError) || error.mutationState !== 'unknown') throw error;
    // Under its key it is not run twice, so it may well be sent again.
    throw new ServiceError(error.code, {
      message: error.message,
      details: error.details,
      mutationState: 'unknown',
      safeToRetry: true,
      retryAfter: 1,
      cause: error,
    });
  }
}
