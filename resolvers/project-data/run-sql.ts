import { createHash } from 'node:crypto';
import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { ScriptTooLargeError } from '../../db/wire/script.ts';
import { AnswerScale } from '../../engines/sql/answer-size.ts';
import { type Script, scriptStatementsMax } from '../../engines/sql/read-script.ts';
import { jsonValueOf, parameterOf } from '../../engines/sql/values.ts';
import { onProject, type ProjectScope } from '../../kernel/access/access.ts';
import { projectId, yesOrNo } from '../../kernel/input/fields.ts';
import type { Context } from '../../kernel/run/context.ts';
import { projectMutation } from '../../kernel/run/operation.ts';
import { projectActions } from '../projects/shared/actions.ts';
import { asOwner, databaseOf, once, tenantSchema } from './shared/in-project.ts';
import { readingSql } from './shared/reading-sql.ts';
import { sqlText } from './shared/sql-text.ts';
import { asCaller, sqlCaller } from './sql-caller.ts';
import { locating } from './sql-refusal.ts';
import { runOnce, type SqlOutcome } from './sql-runs.ts';

/** What an answer may hold. Contract 01, section 2.6. */
const limits = { rows: 10_000, bytes: 32 * 1024 * 1024, values: 500_000 };

interface Answered {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly rowCount: number | null;
  readonly fields: readonly { readonly name: string; readonly type: string }[];
  /** Where two columns have one name, of which `rows` hold the last: the rows as lists, in the order of `fields`. */
  readonly values?: readonly (readonly unknown[])[];
}

/** What one statement among others answered. */
export interface SqlStatementResult extends Answered {
  /** As PostgreSQL names what was done: `INSERT 0 3`. */
  readonly command: string;
  /** How long it took, in milliseconds. */
  readonly ms: number;
  /** Where it begins in the SQL, in characters from 1. */
  readonly position: number;
}

export interface SqlResult extends Answered {
  readonly schema: string;
  /** Where `each` was asked for: what every statement answered, and nothing beside it. */
  readonly results?: readonly SqlStatementResult[];
}

const answeredWire = {
  rows: z.array(z.record(z.string(), z.unknown())),
  row_count: z.number().nullable(),
  fields: z.array(z.object({ name: z.string(), type: z.string() })),
  values: z.array(z.array(z.unknown())).optional(),
};

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
    sql: sqlText.describe('One or more statements, which are one transaction.').meta({ examples: ['select 1'] }),
    params: z
      .array(z.unknown())
      .max(65_535)
      .default([])
      .describe('Values of `$1` and so on, of a single statement: lists are arrays, objects JSON.'),
    as: sqlCaller
      .optional()
      .describe(
        'Tries the SQL as another caller, so that row security decides. It rehearses and protects nothing: the SQL may make itself the owner again.',
      ),
    rollback: yesOrNo.default(false).describe('Runs everything and keeps nothing. Sequences do not go back.'),
    each: yesOrNo
      .default(false)
      .describe('Answers every statement in `results`, in place of the last one in `rows` and `fields`.'),
  }),
  attempt: ({ sql, as, rollback, each }, { project, authority }) => ({
    action: 'project.sql_run',
    object: { kind: 'project', id: project.id },
    details: {
      sha256: createHash('sha256').update(sql).digest('hex'),
      bytes: Buffer.byteLength(sql),
      read_only: authority.kind === 'admin',
      ...(as === undefined ? {} : { as }),
      ...(rollback ? { rollback } : {}),
      ...(each ? { each } : {}),
    },
  }),
  async handler(ctx, { sql, params, as, rollback, each }): Promise<SqlResult> {
    const database = databaseOf(ctx);
    const { statements } = await locating(sql, () => read(ctx, sql, params));
    // Read and written by one role; the admin's transaction only reads, whatever the statements say.
    const readOnly = ctx.authority.kind === 'admin';
    const values = params.map(parameterOf);
    const script = [
      as === undefined ? asOwner(readOnly) : await asCaller(ctx, as, readOnly),
      ...statements.map(({ text, before }) => ({ ...once(text, values), before, isTold: each })),
    ];
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
          ? { fields: [], types: [], rows: [], rowCount: null, told: [] }
          : await refusing(readOnly, () =>
              locating(sql, () =>
                runOnce(
                  ctx,
                  database,
                  script,
                  { rows: limits.rows, bytes: left.bytes, scale },
                  { runId: readOnly ? undefined : ctx.runId, isTrial: rollback },
                ),
              ),
            );
      if (ctx.answered !== undefined) {
        ctx.answered.bytes += scale.taken.bytes;
        ctx.answered.values += scale.taken.values;
      }
      return {
        schema: tenantSchema,
        ...answeredOf(answer),
        ...(each && {
          results: answer.told.map((one) => ({
            ...answeredOf(one),
            command: one.command,
            ms: Math.round(one.ms * 1000) / 1000,
            position: one.before + 1,
          })),
        }),
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
    ...answeredWire,
    results: z.array(z.object({ ...answeredWire, command: z.string(), ms: z.number(), position: z.int() })).optional(),
  }),
  toWire: ({ schema, results, ...last }: SqlResult) => ({
    status: 'ok' as const,
    schema,
    ...answeredToWire(last),
    ...(results && {
      results: results.map(({ command, ms, position, ...one }) => ({
        ...answeredToWire(one),
        command,
        ms,
        position,
      })),
    }),
  }),
});

const answeredToWire = ({ rows, rowCount, fields, values }: Answered) => ({
  rows: [...rows],
  row_count: rowCount,
  fields: [...fields],
  ...(values && { values: values.map((row) => [...row]) }),
});

/** The values of a statement's rows, as JSON has them. */
function answeredOf({ fields: named, types, rows, rowCount }: Omit<SqlOutcome, 'told'>): Answered {
  const fields = named.map(({ name }, at) => ({ name, type: types[at]! }));
  const values = rows.map((row) => fields.map(({ type }, at) => jsonValueOf(row[at]!, type)));
  return {
    rows: values.map((row) => Object.fromEntries(fields.map(({ name }, at) => [name, row[at]]))),
    rowCount,
    fields: fields.map(({ name, type }) => ({ name, type: type.name })),
    ...(new Set(fields.map(({ name }) => name)).size < fields.length && { values }),
  };
}

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
