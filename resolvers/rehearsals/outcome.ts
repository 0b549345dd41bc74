import { ServiceError } from '../../core/errors.ts';
import type { DeployError } from '../../db/schema/releases.ts';
import type { Check } from '../../engines/release/spec/release-spec.ts';
import { deployErrorOf } from '../deploys/shared/deploy-error.ts';
import type { RehearsalReport } from '../deploys/shared/rehearsal-report.ts';
import type { Rehearsal } from './rehearsal-row.ts';

type ReportedCheck = RehearsalReport['checks'][number];
type ReportedMigration = RehearsalReport['migrations'][number];

/** What was found out on the branch. */
export interface Outcome {
  readonly migrations: readonly ReportedMigration[];
  readonly checks: readonly ReportedCheck[];
  readonly error?: DeployError;
  /** False where it could not be found out how the plan does. */
  readonly hasResult: boolean;
}

/** A deploy of the branch that is over. */
interface EndedDeploy {
  readonly status: string;
  readonly error: DeployError | null;
}

/** An end without a result. @param message why there is none */
export const noResult = (rehearsal: Rehearsal, message: string): Outcome => ({
  ...withMigrations(skipped(rehearsal), 0, []),
  error: deployErrorOf(new ServiceError('REHEARSAL_FAILED', { message }), 'rehearse', rehearsal),
  hasResult: false,
});

const skipped = (rehearsal: Rehearsal): ReportedMigration[] =>
  rehearsal.migrations.map((id) => ({ id, status: 'skipped' }));

/** A declared check that was not made. */
export const skippedCheck = ({ name, path, method, status }: Check): ReportedCheck => ({
  name,
  type: 'declared',
  status: 'skipped',
  target: path,
  method,
  expected_status: [...status],
  actual_status: null,
  duration_ms: 0,
});

/** A plan that the branch, or the platform, has refused before anything of it was done. */
export function refusedOutcome(rehearsal: Rehearsal, declared: readonly Check[], refusal: ServiceError): Outcome {
  return {
    ...withMigrations(skipped(rehearsal), 0, declared.map(skippedCheck)),
    error: deployErrorOf(refusal, 'validate', rehearsal),
    hasResult: true,
  };
}

/**
 * What a deploy of the branch says of the plan.
 *
 * @param took how long its migrations took, in milliseconds
 * @param checks of what it serves
 */
export function deployedOutcome(
  rehearsal: Rehearsal,
  deploy: EndedDeploy,
  took: number,
  checks: readonly ReportedCheck[],
): Outcome {
  return {
    ...withMigrations(migrationsOf(rehearsal, deploy), took, checks),
    ...(deploy.error === null ? {} : { error: deploy.error }),
    hasResult: true,
  };
}

/** Migrations are checks, too. */
const withMigrations = (
  migrations: readonly ReportedMigration[],
  took: number,
  checks: readonly ReportedCheck[],
): Pick<Outcome, 'migrations' | 'checks'> => ({
  migrations,
  checks: [
    ...migrations.map(({ id, ...one }) => ({
      name: id,
      type: 'migration' as const,
      ...one,
      duration_ms: one.status === 'skipped' ? 0 : took,
    })),
    ...checks,
  ],
});

/** What became of each migration of the plan. */
function migrationsOf(rehearsal: Rehearsal, { status, error }: EndedDeploy): ReportedMigration[] {
  if (status === 'failed' && error?.phase !== 'activate') return skipped(rehearsal);
  const failedId = (error?.details as { readonly migration_id?: unknown } | undefined)?.migration_id;
  const at = rehearsal.migrations.indexOf(String(failedId));
  if (error === null || at === -1) return rehearsal.migrations.map((id) => ({ id, status: 'passed' }));
  // SQL that cannot be read is refused before any migration is tried.
  const before = error.mutation_state === 'none' ? 'skipped' : 'passed';
  return rehearsal.migrations.map((id, place) => {
    if (place === at) return { id, status: 'failed', error };
    return { id, status: place < at ? before : 'skipped' };
  });
}
