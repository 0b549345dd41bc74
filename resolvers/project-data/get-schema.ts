import { z } from 'zod';
import { onProject } from '../../kernel/access/access.ts';
import { projectId } from '../../kernel/input/fields.ts';
import { query } from '../../kernel/run/operation.ts';
import { projectDataActions } from './shared/actions.ts';
import { asReader, databaseOf, inProject, once, schemaTooLarge, tenantSchema } from './shared/in-project.ts';

const columnWire = z.object({
  name: z.string(),
  type: z.string(),
  nullable: z.boolean(),
  default_value: z.string().nullable(),
  identity: z.enum(['always', 'by_default']).nullable(),
  generated: z.boolean(),
  enum_values: z.array(z.string()).nullable(),
});
const constraintWire = z.object({ name: z.string(), type: z.string(), definition: z.string() });
const policyWire = z.object({
  name: z.string(),
  command: z.string(),
  using_expression: z.string().nullable(),
  check_expression: z.string().nullable(),
});
const tableWire = z.object({
  name: z.string(),
  columns: z.array(columnWire),
  constraints: z.array(constraintWire),
  rls_enabled: z.boolean(),
  row_estimate: z.number().nullable(),
  policies: z.array(policyWire),
});

/** A table as PostgreSQL's catalogs describe it. */
export type SchemaTable = z.infer<typeof tableWire>;

/** `GET /projects/v1/admin/:project_id/schema`. Contract 01, section 2.7. */
export const getSchema = query({
  name: 'projects.schema',
  tool: 'get_schema',
  command: 'projects schema',
  summary: 'The tables of a project: their columns, constraints and policies.',
  path: 'GET /projects/v1/admin/:project_id/schema',
  access: onProject(projectDataActions['project:schema:read'], ({ project }: { project: string }) => project),
  input: z.object({ project: projectId }),
  async handler(ctx): Promise<{ readonly schema: string; readonly tables: readonly SchemaTable[] }> {
    const database = databaseOf(ctx);
    const [, rows] = await inProject(() =>
      ctx.services.projectPools.run(database, [asReader, readTables], { signal: ctx.signal }),
    );
    const tables = rows![0]![0]!;
    if (tables === null) throw schemaTooLarge(schemaMax);
    return { schema: tenantSchema, tables: JSON.parse(tables) as SchemaTable[] };
  },
  wire: z.object({ schema: z.string(), tables: z.array(tableWire) }),
  toWire: ({ schema, tables }) => ({ schema, tables: [...tables] }),
});

/** The most that is told of a schema, in bytes. */
const schemaMax = 16 * 1024 * 1024;

const tablesText = `
select coalesce(json_agg(json_build_object(
  'name', c.relname,
  'columns', (select coalesce(json_agg(json_build_object(
      'name', a.attname, 'type', format_type(a.atttypid, a.atttypmod), 'nullable', not a.attnotnull,
      'default_value', pg_get_expr(d.adbin, d.adrelid),
      'identity', case a.attidentity when 'a' then 'always' when 'd' then 'by_default' end,
      'generated', a.attgenerated <> '',
      'enum_values', (select json_agg(e.enumlabel order by e.enumsortorder) from pg_enum e
        where e.enumtypid = coalesce(nullif(t.typbasetype, 0), t.oid))) order by a.attnum), '[]')
    from pg_attribute a join pg_type t on t.oid = a.atttypid
      left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped),
  'constraints', (select coalesce(json_agg(json_build_object(
      'name', k.conname, 'type', case k.contype when 'p' then 'PRIMARY KEY' when 'f' then 'FOREIGN KEY'
        when 'u' then 'UNIQUE' when 'c' then 'CHECK' else 'EXCLUDE' end,
      'definition', pg_get_constraintdef(k.oid)) order by k.conname), '[]')
    from pg_constraint k where k.conrelid = c.oid and k.contype in ('p', 'f', 'u', 'c', 'x')),
  'rls_enabled', c.relrowsecurity,
  'row_estimate', case when c.reltuples >= 0 then c.reltuples::int8 end,
  'policies', (select coalesce(json_agg(json_build_object(
      'name', p.polname, 'command', case p.polcmd when 'r' then 'SELECT' when 'a' then 'INSERT'
        when 'w' then 'UPDATE' when 'd' then 'DELETE' else 'ALL' end,
      'using_expression', pg_get_expr(p.polqual, p.polrelid),
      'check_expression', pg_get_expr(p.polwithcheck, p.polrelid)) order by p.polname), '[]')
    from pg_policy p where p.polrelid = c.oid)) order by c.relname), '[]')::text
from pg_class c
where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`;

const readTables = once(
  `select case when octet_length(tables) <= ${schemaMax} then tables end from (${tablesText}) as read (tables)`,
);
