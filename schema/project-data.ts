import type { Finding } from '../engines/expose/finding.ts';
import type { Named } from '../engines/expose/plan-apply.ts';
import { resultAsMarkdown } from '../engines/sql/markdown.ts';
import { applyExpose, type ExposeApplied } from '../resolvers/project-data/apply-expose.ts';
import { type ExposeState, getExpose } from '../resolvers/project-data/get-expose.ts';
import { getSchema, type SchemaTable } from '../resolvers/project-data/get-schema.ts';
import { manifestToWire } from '../resolvers/project-data/manifest-wire.ts';
import { runSql, type SqlResult, type SqlStatementResult } from '../resolvers/project-data/run-sql.ts';
import { validateExpose, validateManifest } from '../resolvers/project-data/validate-expose.ts';
import { builder } from './builder.ts';
import { changeField, fieldOf, inputsOf, readField } from './operation-field.ts';
import { ProjectRef } from './projects.ts';
import { run } from './run.ts';

const SqlFieldRef = builder.objectRef<SqlResult['fields'][number]>('SqlField').implement({
  description: 'A column of an answer.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Its name.' }),
    type: t.exposeString('type', { description: 'Its type as the database names it, for example `int4`.' }),
  }),
});

const SqlStatementResultRef = builder.objectRef<SqlStatementResult>('SqlStatementResult').implement({
  description: 'What one statement of a text of SQL answered.',
  fields: (t) => ({
    rows: t.expose('rows', { type: ['JSONObject'], description: 'Its rows, by the names of their columns.' }),
    rowCount: t.exposeFloat('rowCount', {
      nullable: true,
      description: 'Rows returned or changed; null for a statement that counts none.',
    }),
    fields: t.expose('fields', { type: [SqlFieldRef], description: 'Its columns, in their order.' }),
    values: t.expose('values', {
      type: ['JSON'],
      nullable: true,
      description:
        'Its rows as lists, in the order of `fields`; only where two columns have one name, and `rows` the last of them.',
    }),
    command: t.exposeString('command', { description: 'As PostgreSQL names what was done: `INSERT 0 3`.' }),
    ms: t.exposeFloat('ms', { description: 'How long it took, in milliseconds.' }),
    position: t.exposeInt('position', { description: 'Where it begins in the SQL, in characters from 1.' }),
  }),
});

const SqlRoleEnum = builder.enumType('SqlRole', {
  description: 'A role that SQL is tried as.',
  values: {
    ANON: { value: 'anon', description: 'A request without a user.' },
    AUTHENTICATED: { value: 'authenticated', description: 'A request with a user’s token.' },
  } as const,
});

const SqlResultRef = builder.objectRef<SqlResult>('SqlResult').implement({
  description: 'What a text of SQL answered: its last statement, unless each was asked for.',
  fields: (t) => ({
    schema: t.exposeString('schema', { description: 'Short name of the project’s schema.' }),
    rows: t.expose('rows', { type: ['JSONObject'], description: 'Its rows, by the names of their columns.' }),
    rowCount: t.exposeFloat('rowCount', {
      nullable: true,
      description: 'Rows returned or changed; null for a statement that counts none.',
    }),
    fields: t.expose('fields', { type: [SqlFieldRef], description: 'Its columns, in their order.' }),
    values: t.expose('values', {
      type: ['JSON'],
      nullable: true,
      description:
        'Its rows as lists, in the order of `fields`; only where two columns have one name, and `rows` the last of them.',
    }),
    results: t.field({
      type: [SqlStatementResultRef],
      nullable: true,
      description: 'Where `each` was asked for: what every statement answered.',
      resolve: ({ results }) => results && [...results],
    }),
    markdown: t.string({
      description: 'All of it as a table of Markdown.',
      resolve: (result) => resultAsMarkdown(result),
    }),
  }),
});

const SchemaColumnRef = builder.objectRef<SchemaTable['columns'][number]>('SchemaColumn').implement({
  description: 'A column of a project’s table.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Its name.' }),
    type: t.exposeString('type', { description: 'Its type as SQL writes it.' }),
    nullable: t.exposeBoolean('nullable', { description: 'Whether it may be null.' }),
    defaultValue: t.exposeString('default_value', {
      nullable: true,
      description: 'SQL of its default, or of what it is generated from.',
    }),
    identity: t.exposeString('identity', {
      nullable: true,
      description: '`always` or `by_default` for a column that counts by itself.',
    }),
    generated: t.exposeBoolean('generated', {
      description: 'Whether the database makes its values from other columns.',
    }),
    enumValues: t.exposeStringList('enum_values', {
      nullable: true,
      description: 'The values of an enumeration, in their order.',
    }),
  }),
});

const SchemaConstraintRef = builder.objectRef<SchemaTable['constraints'][number]>('SchemaConstraint').implement({
  description: 'A constraint of a project’s table.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Its name.' }),
    type: t.exposeString('type', { description: 'For example `PRIMARY KEY` or `CHECK`.' }),
    definition: t.exposeString('definition', { description: 'Its SQL.' }),
  }),
});

const SchemaPolicyRef = builder.objectRef<SchemaTable['policies'][number]>('SchemaPolicy').implement({
  description: 'A row policy of a project’s table.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Its name.' }),
    command: t.exposeString('command', { description: 'What it is for: `ALL`, or one kind of statement.' }),
    usingExpression: t.exposeString('using_expression', { nullable: true, description: 'Rows that are seen.' }),
    checkExpression: t.exposeString('check_expression', { nullable: true, description: 'Rows that may be written.' }),
  }),
});

const SchemaTableRef = builder.objectRef<SchemaTable>('SchemaTable').implement({
  description: 'A table of a project.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Its name.' }),
    columns: t.expose('columns', { type: [SchemaColumnRef], description: 'Its columns, in their order.' }),
    constraints: t.expose('constraints', { type: [SchemaConstraintRef], description: 'Its constraints.' }),
    rlsEnabled: t.exposeBoolean('rls_enabled', { description: 'Whether row security is on.' }),
    rowEstimate: t.exposeFloat('row_estimate', {
      nullable: true,
      description: 'How many rows the planner expects; null before it has looked.',
    }),
    policies: t.expose('policies', { type: [SchemaPolicyRef], description: 'Its row policies.' }),
  }),
});

const ExposeSourceEnum = builder.enumType('ExposeSource', {
  description: 'Where a manifest comes from.',
  values: {
    APPLIED: { value: 'applied', description: 'It was applied.' },
    INTROSPECTED: { value: 'introspected', description: 'None was applied; made from the privileges there are.' },
  } as const,
});

const ExposeStateRef = builder.objectRef<ExposeState>('ExposeState').implement({
  description: 'What a project shows.',
  fields: (t) => ({
    source: t.expose('source', { type: ExposeSourceEnum, description: 'Where the manifest comes from.' }),
    manifest: t.field({
      type: 'JSONObject',
      description: 'The manifest.',
      resolve: ({ manifest }) => manifestToWire(manifest),
    }),
    revision: t.exposeString('revision', { description: 'Names the manifest that is applied; `none` where none is.' }),
  }),
});

const FindingSeverityEnum = builder.enumType('FindingSeverity', {
  description: 'How much a finding weighs.',
  values: {
    ERROR: { value: 'error', description: 'The manifest cannot be applied.' },
    WARNING: { value: 'warning', description: 'It can, and deserves a thought.' },
  } as const,
});

const FindingRef = builder.objectRef<Finding>('ExposeFinding').implement({
  description: 'Something about a manifest.',
  fields: (t) => ({
    type: t.exposeString('type', { description: 'Its kind, for example `missing-table`.' }),
    severity: t.expose('severity', { type: FindingSeverityEnum, description: 'How much it weighs.' }),
    path: t.exposeString('path', { description: 'Where, for example `manifest.tables[2].owner_column`.' }),
    detail: t.exposeString('detail', { description: 'The finding in words.' }),
    fix: t.exposeString('fix', { nullable: true, description: 'What would help.' }),
  }),
});

const NamedRef = builder.objectRef<Named>('ExposedNames').implement({
  description: 'Names of tables, views and functions.',
  fields: (t) => ({
    tables: t.exposeStringList('tables', { description: 'Tables.' }),
    views: t.exposeStringList('views', { description: 'Views.' }),
    rpcs: t.exposeStringList('rpcs', { description: 'Functions.' }),
  }),
});

const ExposeAppliedRef = builder.objectRef<ExposeApplied>('ExposeApplied').implement({
  description: 'What applying a manifest came to.',
  fields: (t) => ({
    project: t.field({
      type: ProjectRef,
      nullable: true,
      description: 'The project.',
      resolve: ({ projectId }) => projectId,
    }),
    applied: t.expose('applied', { type: NamedRef, description: 'What is shown now.' }),
    dropped: t.expose('dropped', { type: NamedRef, description: 'What was shown before, and no longer is.' }),
    warnings: t.expose('warnings', { type: [FindingRef], description: 'What deserves a thought.' }),
    revision: t.exposeString('revision', {
      description: 'Names the manifest that is applied now, for the next change to say which one it replaces.',
    }),
  }),
});

changeField('runSql', runSql, {
  type: SqlResultRef,
  input: 'SQL for a project’s database.',
  argument: 'The SQL.',
  types: {
    as: {
      name: 'SqlCallerInput',
      description: 'As whom SQL is tried.',
      types: { role: SqlRoleEnum },
      ids: { user: null },
    },
  },
});

changeField('applyExpose', applyExpose, {
  type: ExposeAppliedRef,
  input: 'What a project shows from now on.',
  argument: 'The manifest.',
});

readField('exposeFindings', validateManifest, { type: [FindingRef], result: (findings) => [...findings] });

const judged = inputsOf(validateExpose, { omit: ['project'] });

builder.objectFields(ProjectRef, (t) => ({
  tables: t.field({
    type: [SchemaTableRef],
    nullable: true,
    ...fieldOf(getSchema),
    resolve: async ({ id }, _args, ctx) => [...(await run(getSchema, ctx, { project: id })).tables],
  }),
  expose: t.field({
    type: ExposeStateRef,
    nullable: true,
    ...fieldOf(getExpose),
    resolve: ({ id }, _args, ctx) => run(getExpose, ctx, { project: id }),
  }),
  exposeFindings: t.field({
    type: [FindingRef],
    nullable: true,
    ...fieldOf(validateExpose),
    args: judged.args,
    resolve: async ({ id }, args, ctx) => [...(await run(validateExpose, ctx, { project: id, ...judged.read(args) }))],
  }),
}));
