import { z } from 'zod';
import { occurrenceKinds } from '../../engines/fingerprints/fingerprint.ts';
import { projectId } from '../../kernel/input/fields.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { nameOccurrences, type RecordedRow, recordOccurrences } from './record-occurrences.ts';
import { functionName, happenedAt, onReportedProject, releaseId, reportMax } from './report-input.ts';
import type { ReportedProject } from './reported.ts';

const text = (what: string) => z.string().optional().describe(what);

const occurrence = z.strictObject({
  function: functionName.describe('Name of the function.'),
  kind: z.enum(occurrenceKinds).describe('Where the failure came to light.'),
  sample_id: z
    .string()
    .regex(
      /^(req|fnrun|fnatt)_[A-Za-z0-9_-]{1,128}$/,
      'must be the id of a request, a run or an attempt: req_…, fnrun_… or fnatt_…',
    )
    .describe('The request, run or attempt that failed: `req_…`, `fnrun_…` or `fnatt_…`.'),
  release_id: releaseId.nullish().describe('Release that served it; none when absent.'),
  at: happenedAt.optional(),
  name: text('Name of the error, for example `TypeError`.'),
  message: text('What the error said.'),
  stack: text('Its stack as the engine wrote it, or names of functions, one in a line.'),
  status: z
    .int()
    .min(500)
    .max(599)
    .optional()
    .describe('Status of a response that the function made itself, 500 to 599.'),
  body: text('Body of such a response, as text.'),
});

/** What reporting failures came to. */
export interface OccurrencesReported extends ReportedProject {
  readonly recorded: number;
  readonly rows: readonly RecordedRow[];
}

/**
 * `POST /projects/v1/:id/errors/occurrences`: failures of functions, as their runtime knows them. A failure that the
 * platform caused is none, nor is any answer below 500. Contract 02, section 4.4.
 */
export const reportOccurrences = mutation({
  name: 'errors.reportOccurrences',
  tool: 'report_error_occurrences',
  command: 'errors report',
  summary: 'Report failures of a project’s functions; equal ones are counted together.',
  path: 'POST /projects/v1/:project_id/errors/occurrences',
  access: onReportedProject,
  lifecycle: 'gated',
  input: z.object({
    project: projectId,
    occurrences: z
      .array(occurrence)
      .max(reportMax, `at most ${reportMax} occurrences`)
      .describe(`The failures, at most ${reportMax}.`),
  }),
  prepare: (_ctx, { occurrences }) =>
    nameOccurrences(
      occurrences.map(({ sample_id: sampleId, release_id, ...rest }) => ({
        ...rest,
        sampleId,
        releaseId: release_id ?? null,
      })),
    ),
  async handler(work, { occurrences }, named): Promise<OccurrencesReported> {
    const project = { orgId: work.org.id, projectId: work.project.id };
    return { ...project, recorded: occurrences.length, rows: await recordOccurrences(work, project, named) };
  },
  // What is only counted once more is in the counts: a trail that is kept for good does not grow with traffic.
  audit: ({ recorded, rows }, _input, { project }) =>
    rows.some(({ inserted }) => inserted)
      ? {
          action: 'project.errors_reported',
          object: { kind: 'project', id: project.id },
          details: { occurrences: recorded, new_fingerprints: rows.filter(({ inserted }) => inserted).length },
        }
      : undefined,
  wire: z.object({
    recorded: z.number(),
    fingerprints: z.array(z.object({ fingerprint_id: z.string(), function: z.string(), is_new: z.boolean() })),
  }),
  toWire: ({ recorded, rows }) => ({
    recorded,
    fingerprints: rows.map((row) => ({
      fingerprint_id: row.fingerprintId,
      function: row.function,
      is_new: row.inserted,
    })),
  }),
});
