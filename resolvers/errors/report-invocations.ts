import { z } from 'zod';
import { projectId } from '../fields.ts';
import { mutation } from '../operation.ts';
import type { Work } from '../unit-of-work.ts';
import { addInvocations } from './invocation-buckets.ts';
import { noteReleases } from './known-releases.ts';
import type { ReportedProject } from './record-occurrences.ts';
import { functionName, happenedAt, onReportedProject, releaseId, reportMax } from './report-input.ts';

/** How often a function ran. */
export interface Invocations {
  readonly function: string;
  readonly releaseId: string | null;
  readonly count: number;
  /** @default now */
  readonly at?: Date | undefined;
}

/** Adds to how often functions ran, by the minute. Each count is added once, however many report at the same time. */
export async function recordInvocations(
  work: Work,
  project: ReportedProject,
  invocations: readonly Invocations[],
): Promise<void> {
  if (invocations.length === 0) return;
  await noteReleases(work, project, [...new Set(invocations.flatMap(({ releaseId: id }) => id ?? []))]);
  const given = invocations.map(({ function: name, releaseId: id, count, at }) => ({
    function: name,
    release_id: id ?? '',
    count,
    at: at?.toISOString() ?? null,
  }));
  await work.rows(addInvocations, [project.orgId, project.projectId, JSON.stringify(given)]);
}

/** What reporting invocations came to. */
export interface InvocationsReported {
  readonly projectId: string;
  readonly recorded: number;
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
  summary: 'Report how often a project’s functions ran, so that no failures can be told from no traffic.',
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
    await recordInvocations(
      work,
      { orgId: work.org.id, projectId: work.project.id },
      invocations.map(({ release_id, ...rest }) => ({ ...rest, releaseId: release_id ?? null })),
    );
    return { projectId: work.project.id, recorded: invocations.reduce((sum, { count }) => sum + count, 0) };
  },
  audit: ({ recorded }, _input, { project }) =>
    recorded === 0
      ? undefined
      : {
          action: 'project.invocations_reported',
          object: { kind: 'project', id: project.id },
          details: { invocations: recorded },
        },
  wire: z.object({ project_id: z.string(), recorded: z.number() }),
  toWire: ({ projectId: id, recorded }) => ({ project_id: id, recorded }),
});
