import { createHash } from 'node:crypto';
import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { ScriptTooLargeError } from '../../db/wire/script.ts';
import { AnswerScale } from '../../engines/sql/answer-size.ts';
import { type Script, scriptStatementsMax } from '../../engines/sql/read-script.ts';
import { jsonValueOf, parameterOf } from '../../engines/sql/values.ts';
import { onProject, type ProjectScope } from '../../kernel/access/access.ts';
import { projectId } from '../../kernel/input/fields.ts';
import type { Context } from '../../kernel/run/context.ts';
import { projectMutation } from '../../kernel/run/operation.ts';
import { projectActions } from '../projects/shared/actions.ts';
import { readingSql, sqlBytesMax } from './reading-sql.ts';
import { asOwner, databaseOf, once, tenantSchema } from './shared/in-project.ts';
import { locating } from './sql-refusal.ts';
import { runOnce } from './sql-runs.ts';

/** What an answer may hold. Contract 01, section 2.6. */
const limits = { rows: 10_000, bytes: 32 * 1024 * 1024, values: 500_000 };

export interface SqlResult {
  readonly schema: string;
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly rowCount: number | null;
  readonly fields: readonly { readonly name: string; readonly type: string }[];
}

/** `POST /projects/v1/admin/:project_id/sql`. Contract 01, section 2.6. */
export const runSql = projectMutation({
  name: 'projects.sql',
  tool: 'run_sql',
  command: 'projects sql',
  effects: ['destructive'],
  summary: 'Run SQL in a project’s database as one transaction, and answer what its last statement does.',
  access: onProject(projectActions['project:sql'], ({ project }: { project: string }) => project),
  lifecycle: 'gated',
  input: z.object({
    project: projectId,
    sql: z
      .string()
      .min(1)
      .refine((text) => Buffer.byteLength(text) <= sqlBytesMax, `at most ${sqlBytesMax} bytes`)
      .describe('One or more statements, which are one transaction.')
      .meta({ examples: ['select 1'] }),
    params: z
      .array(z.unknown())
      .max(65_535)
      .default([])
      .describe('Values of `$1` and so on, of a single statement: lists are arrays, objects JSON.'),
  }),
  attempt: ({ sql }, { project, authority }) => ({
    action: 'project.sql_run',
    object: { kind: 'project', id: project.id },
    details: {
      sha256: createHash('sha256').update(sql).digest('hex'),
      bytes: Buffer.byteLength(sql),
      read_only: authority.kind === 'admin',
    },
  }),
  async handler(ctx, { sql, params }): Promise<SqlResult> {
    const database = databaseOf(ctx);
    const { statements } = await locating(sql, () => read(ctx, sql, params));
    // Read and written by one role; the admin's transaction only reads, whatever the statements say.
    const readOnly = ctx.authority.kind === 'admin';
    const values = params.map(parameterOf);
    const script = [asOwner(readOnly), ...statements.map(({ text, before }) => ({ ...once(text, values), before }))];
    const { schemaCaches, live, responseBackpressure } = ctx.services;
    ctx.onOwnerResolved?.(ctx.project.id);
    responseBackpressure.refuseWhileFull(ctx.project.id);
    const { bytes = 0, values: valued = 0 } = ctx.answered ?? {};
    const left = { bytes: limits.bytes - bytes, values: limits.values - valued };
    for (const what of ['bytes', 'values'] as const) if (left[what] <= 0) throw tooLarge(what);
    const scale = new AnswerScale(left);
    try {
      const answer =
        statements.length === 0
          ? { fields: [], types: [], rows: [], rowCount: null }
          : await refusing(readOnly, () =>
              locating(sql, () =>
                runOnce(
                  ctx,
                  database,
                  script,
                  { rows: limits.rows, bytes: left.bytes, scale },
                  readOnly ? undefined : ctx.runId,
                ),
              ),
            );
      if (ctx.answered !== undefined) {
        ctx.answered.bytes += scale.taken.bytes;
        ctx.answered.values += scale.taken.values;
      }
      const fields = answer.fields.map(({ name }, at) => ({ name, type: answer.types[at]! }));
      return {
        schema: tenantSchema,
        rows: answer.rows.map((row) =>
          Object.fromEntries(fields.map(({ name, type }, at) => [name, jsonValueOf(row[at]!, type)])),
        ),
        rowCount: answer.rowCount,
        fields: fields.map(({ name, type }) => ({ name, type: type.name })),
      };
    } finally {
      if (!readOnly) {
        schemaCaches.changed(database);
        live.changed(database);
      }
    }
  },
  wire: z.object({
    status: z.literal('ok'),
    schema: z.string(),
    rows: z.array(z.record(z.string(), z.unknown())),
    row_count: z.number().nullable(),
    fields: z.array(z.object({ name: z.string(), type: z.string() })),
  }),
  toWire: ({ schema, rows, rowCount, fields }) => ({
    status: 'ok',
    schema,
    rows: [...rows],
    row_count: rowCount,
    fields: [...fields],
  }),
});

async function read(
  { services, project }: Context & ProjectScope,
  sql: string,
  params: readonly unknown[],
): Promise<Script> {
  const script = await readingSql(() => services.sqlReader.read(project.id, 'readScript', sql));
  const { statements, blocked } = script;
  if (blocked !== undefined)
    throw new ServiceError('FORBIDDEN', {
      label: 'sql_blocked',
      message: `${blocked.construct}: not in a project’s SQL.`,
      details: { construct: blocked.construct, hint: blocked.hint },
      extras: { hint: blocked.hint },
    });
  if (params.length > 0 && statements.length !== 1) throw invalid('params', 'belong to a single statement');
  if (statements.length > scriptStatementsMax) throw invalid('sql', `at most ${scriptStatementsMax} statements`);
  return script;
}

const invalid = (field: string, reason: string) =>
  new ServiceError('VALIDATION_FAILED', { message: `${field}: ${reason}`, details: { field, reason } });

const tooLarge = (of: keyof typeof limits) =>
  new ServiceError('RESULT_TOO_LARGE', { details: { limit: limits[of], of } });

const writesWhileReading = '25006';

async function refusing<Result>(readOnly: boolean, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ScriptTooLargeError) throw tooLarge(error.limit);
    if (readOnly && error instanceof ServiceError && error.details.sqlstate === writesWhileReading)
      throw new ServiceError('ADMIN_SQL_READ_ONLY');
    throw error;
  }
}
