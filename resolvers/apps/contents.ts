import type { AppContents } from '../../db/schema/apps.ts';
import type { Tier } from '../../db/schema/orgs.ts';
import { SpecError } from '../../engines/release/errors.ts';
import { emptyRelease, type ReleaseState } from '../../engines/release/model.ts';
import { schedulesOf } from '../../engines/release/next-due.ts';
import {
  refuseFrequent,
  refuseManyFunctions,
  refuseManySchedules,
  within,
} from '../../engines/release/spec/function-limits.ts';
import { tierNames, tiers } from '../../kernel/limits/tier-table.ts';
import { functionLimitsOf } from '../deploys/shared/function-limits.ts';

/** What a fork of a release is going to have. Its tables are known once the schema was read. */
export function contentsOfRelease({ site, functions, routes, migrations, subdomains }: ReleaseState): AppContents {
  const siteBytes = sum([...site.values()].map(({ size }) => size));
  const sources = [...functions.values()].flatMap(({ files }) => [...files.values()].map(({ size }) => size));
  return {
    tables: [],
    functions: [...functions].map(([name, fn]) => ({
      name,
      timeoutSeconds: fn.timeoutSeconds,
      memoryMb: fn.memoryMb,
      schedules: schedulesOf(fn).length,
      requireAuth: fn.requireAuth || fn.requireRole !== null,
    })),
    migrations: migrations.map(({ id }) => id),
    routes: routes.length,
    siteFiles: site.size,
    siteBytes,
    totalBytes: siteBytes + sum(sources),
    warnings: [
      ...(subdomains.length === 0 ? [] : ['Names below the platform’s domain stay with the project that has them.']),
      ...[...functions].flatMap(([name, { triggers }]) =>
        triggers
          .filter(({ type }) => type === 'email')
          .map(
            ({ mailbox }) => `The function ${name} is started by mail to the mailbox ${mailbox}, which a fork has not.`,
          ),
      ),
    ],
  };
}

const sum = (sizes: readonly number[]) => sizes.reduce((total, size) => total + size, 0);

/** The lowest tier whose limits a release keeps, on its own in an organization. @param contents of the release */
export const lowestTier = (state: ReleaseState, contents: Pick<AppContents, 'totalBytes'>): Tier =>
  tierNames.find((tier) => allows(tier, state, contents)) ?? 'team';

function allows(tier: Tier, state: ReleaseState, { totalBytes }: Pick<AppContents, 'totalBytes'>): boolean {
  const limits = functionLimitsOf({ tier }, false);
  if (totalBytes > tiers[tier].limits.storageBytes) return false;
  try {
    refuseManyFunctions(emptyRelease, state, 0, limits);
    refuseManySchedules(emptyRelease, state, 0, limits);
    for (const [name, fn] of state.functions) {
      const of = { at: `functions.${name}`, tier };
      within('FUNCTION_TIMEOUT_EXCEEDS_TIER', fn.timeoutSeconds, limits.timeoutSeconds, of);
      within('FUNCTION_MEMORY_EXCEEDS_TIER', fn.memoryMb, limits.memoryMb, of);
      for (const { cron } of schedulesOf(fn)) refuseFrequent(cron, of.at, limits);
    }
    return true;
  } catch (error) {
    if (error instanceof SpecError) return false;
    throw error;
  }
}
