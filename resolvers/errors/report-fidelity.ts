import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { errorProjects } from '../../db/schema/errors.ts';
import { excluded, insertInto, namesOf, pick, setOf, statement } from '../../db/sql.ts';
import { projectId } from '../../kernel/input/fields.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { functionName, onReportedProject } from './report-input.ts';

/** Functions that one project may say this of. */
const functionsMax = 500;

const functionFidelity = z.strictObject({
  function: functionName.describe('Name of the function.'),
  fidelity: z
    .enum(['full', 'coarse'])
    .describe(
      '`full` when its wrapper tells name, message and frames of each error; `coarse` when it was built before.',
    ),
});

/** How many active functions tell their errors in full. */
export interface FidelityReported {
  readonly projectId: string;
  readonly full: number;
  readonly coarse: number;
  /** Whether anything else was known of them before. */
  readonly changed: boolean;
}

/** `POST /projects/v1/:id/errors/fidelity`, until functions are deployed here. */
export const reportFidelity = mutation({
  name: 'errors.reportFidelity',
  tool: 'report_function_fidelity',
  command: 'errors report-fidelity',
  effects: ['destructive', 'idempotent'],
  summary: 'Report the active functions of a project, each with whether its errors are reported in full.',
  path: 'POST /projects/v1/:project_id/errors/fidelity',
  access: onReportedProject,
  lifecycle: 'gated',
  input: z.object({
    project: projectId,
    functions: z
      .array(functionFidelity)
      .max(functionsMax, `at most ${functionsMax} functions`)
      .refine((all) => new Set(all.map((one) => one.function)).size === all.length, 'names a function twice')
      .describe('All active functions: what was reported before is replaced.'),
  }),
  async handler(work, { functions }): Promise<FidelityReported> {
    const fidelity = Object.fromEntries(functions.map((one) => [one.function, one.fidelity]));
    const given = { orgId: work.org.id, projectId: work.project.id, fidelity: JSON.stringify(fidelity) };
    const replaced = await work.rows(replaceStatement.with(given));
    const full = functions.filter((one) => one.fidelity === 'full').length;
    return { projectId: work.project.id, full, coarse: functions.length - full, changed: replaced.length > 0 };
  },
  audit: ({ full, coarse, changed }, _input, { project }) =>
    changed
      ? {
          action: 'project.fidelity_reported',
          object: { kind: 'project', id: project.id },
          details: { full_fidelity_functions: full, coarse_functions: coarse },
        }
      : undefined,
  wire: z.object({
    project_id: z.string(),
    coverage: z.object({ full_fidelity_functions: z.number(), coarse_functions: z.number() }),
  }),
  toWire: ({ projectId: id, full, coarse }) => ({
    project_id: id,
    coverage: { full_fidelity_functions: full, coarse_functions: coarse },
  }),
});

const replaceStatement = statement(
  'errors.replace-fidelity',
  { params: pick(errorProjects, 'orgId', 'projectId', 'fidelity'), row: pick(errorProjects, 'projectId') },
  ({ fidelity, ...project }, row) =>
    sql`${insertInto(errorProjects, { ...project, fidelity: sql`${fidelity}::jsonb` })}
      on conflict (${namesOf(errorProjects.orgId, errorProjects.projectId)})
        do update ${setOf(errorProjects, { fidelity: excluded(errorProjects.fidelity) })}
        where ${errorProjects.fidelity} is distinct from ${excluded(errorProjects.fidelity)}
      returning ${row}`,
);
