import { z } from 'zod';
import { advisoryLock } from '../../db/advisory-lock.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { projectId } from '../../kernel/input/fields.ts';
import { quotaExceeded } from '../../kernel/limits/quota.ts';
import { mutation } from '../../kernel/run/operation.ts';
import type { Histogram } from '../../kernel/traffic/latency.ts';
import { addInvocations, countedInHours, countedPerHourMax } from './invocation-buckets.ts';
import { noteReleases } from './known-releases.ts';
import { functionName, happenedAt, onReportedProject, releaseId, reportMax } from './report-input.ts';
import type { ReportedProject } from './reported.ts';

/** How often a function ran. */
export interface Invocations {
  readonly function: string;
  readonly releaseId: string | null;
  readonly count: number;
  /** Those that failed. @default none */
  readonly failed?: number | undefined;
  /** Those that have ended, by how long they took. @default not measured */
  readonly latency?: Histogram | undefined;
  /** @default now */
  readonly at?: Date | undefined;
}

/**
 * Adds to how often functions ran, by the minute. Each count is added once, however many report at the same time.
 *
 * @returns how many functions were counted in an hour for the first time
 * @throws QUOTA_EXCEEDED
 */
export async function recordInvocations(
  work: Work,
  project: ReportedProject,
  invocations: readonly Invocations[],
): Promise<number> {
  if (invocations.length === 0) return 0;
  await noteReleases(work, project, [...new Set(invocations.flatMap(({ releaseId: id }) => id ?? []))]);
  const given = invocations.map(({ function: name, releaseId: id, count, failed, latency, at }) => ({
    function: name,
    release_id: id ?? '',
    count,
    failed,
    latency,
    at: at?.toISOString() ?? null,
  }));
  const { orgId, projectId } = project;
  const rows = await work.rows(addInvocations.with({ orgId, projectId, counts: JSON.stringify(given) }));
  const begun = rows.filter(({ span, inserted }) => span === 'hour' && inserted);
  if (begun.length > 0) {
    // One after the other from here to the commit, so that those who race are counted, too.
    await work.rows(advisoryLock.with({ key: `invocations:${projectId}` }));
    const hours = [...new Set(begun.map(({ startsAt }) => startsAt.toISOString()))];
    const [counted] = await work.rows(countedInHours.with({ orgId, projectId, hours }));
    if (counted!.used > countedPerHourMax) throw tooMany(counted!.used);
  }
  return begun.length;
}

const tooMany = (used: number) =>
  quotaExceeded(
    {
      scope: 'project',
      metric: 'functions_counted_per_hour',
      message: `Invocations are counted for at most ${countedPerHourMax} functions and releases in an hour.`,
    },
    countedPerHourMax,
    used,
  );

/** What reporting invocations came to. */
export interface InvocationsReported {
  readonly projectId: string;
  readonly recorded: number;
  /** How many functions were counted in an hour for the first time. */
  readonly begun: number;
}

const invocation = z.strictObject({
  function: functionName.describe('Name of the function.'),
  release_id: releaseId.nullish().describe('Release that served it; none when absent.'),
  count: z.int().min(1).max(1_000_000_000).describe('How often it ran since the last report.'),
  at: happenedAt.optional(),
});

/** `POST /projects/v1/:id/errors/invocations`, until functions count themselves. */
export const reportInvocations = mutation({
  name: 'errors.reportInvocations',
  tool: 'report_invocations',
  command: 'errors report-invocations',
  summary: 'Report how often a project’s functions ran, so that no failures can be told from no traffic.',
  path: 'POST /projects/v1/:project_id/errors/invocations',
  access: onReportedProject,
  lifecycle: 'gated',
  input: z.object({
    project: projectId,
    invocations: z
      .array(invocation)
      .max(reportMax, `at most ${reportMax} counts`)
      .describe(`Counts to add, at most ${reportMax}.`),
  }),
  async handler(work, { invocations }): Promise<InvocationsReported> {
    const begun = await recordInvocations(
      work,
      { orgId: work.org.id, projectId: work.project.id },
      invocations.map(({ release_id, ...rest }) => ({ ...rest, releaseId: release_id ?? null })),
    );
    return { projectId: work.project.id, recorded: invocations.reduce((sum, { count }) => sum + count, 0), begun };
  },
  // What is only counted further is in the counts: a trail that is kept for good does not grow with traffic.
  audit: ({ recorded, begun }, _input, { project }) =>
    begun === 0
      ? undefined
      : {
          action: 'project.invocations_reported',
          object: { kind: 'project', id: project.id },
          details: { invocations: recorded, functions: begun },
        },
  wire: z.object({ project_id: z.string(), recorded: z.number() }),
  toWire: ({ projectId: id, recorded }) => ({ project_id: id, recorded }),
});
