import { z } from 'zod';
import { teardowns } from '../../../db/schema/rehearsals.ts';

const failure = z.looseObject({ code: z.string(), message: z.string() });

const outcome = z.enum(['passed', 'failed', 'skipped']);

/** What a rehearsal has come to. Contract 03, section 2.5. */
export const RehearsalReportWire = z
  .object({
    kind: z.literal('rehearsal_report'),
    status: z.enum(['passed', 'failed']),
    operation_id: z.string(),
    source_project_id: z.string(),
    plan_id: z.string(),
    branch_project_id: z.string().nullable(),
    branch_url: z.string().nullable(),
    branch_plan_id: z.string().nullable(),
    branch_operation_id: z.string().nullable(),
    snapshot_id: z.string().nullable().describe('Null: it was taken for the branch alone, and is gone.'),
    started_at: z.iso.datetime(),
    completed_at: z.iso.datetime(),
    duration_ms: z.int(),
    migrations: z.array(z.object({ id: z.string(), status: outcome, error: failure.optional() })),
    checks: z.array(
      z.object({
        name: z.string(),
        type: z.enum(['migration', 'static', 'function', 'declared']),
        status: outcome,
        target: z.string().optional().describe('The path, or the function.'),
        method: z.string().optional(),
        expected_status: z.array(z.int()).optional(),
        actual_status: z.int().nullable().optional(),
        duration_ms: z.int().describe('Of a migration: how long all of the plan took together.'),
        error: failure.optional().describe('Also of what was skipped: why it says nothing.'),
      }),
    ),
    teardown: z.object({
      policy: z.enum(teardowns),
      action: z.enum(['kept', 'deleted', 'delete_failed', 'skipped']),
      error: failure.optional(),
    }),
    next_actions: z.array(
      z.object({
        type: z.enum(['commit_plan', 'discard_branch', 'keep_branch']),
        command: z.string().optional(),
        method: z.string().optional(),
        url: z.string().optional(),
        message: z.string(),
      }),
    ),
    error: failure.optional(),
  })
  .meta({ id: 'RehearsalReport' });

/** A report as it is kept, and answered. */
export type RehearsalReport = z.output<typeof RehearsalReportWire>;
