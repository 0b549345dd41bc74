import type pg from 'pg';
import { z } from 'zod';
import type { SavedDatabase } from './archive.ts';
import { type SaveDatabaseOptions, type Saved, saveDatabase } from './save-database.ts';

/** What the database of a project is beside its definitions and rows. */
export const savedTemplate = z.object({
  templateVersion: z.int().nonnegative(),
  /** Tables that give hints, with the column that says whose a row is. */
  live: z.array(z.object({ table: z.string(), owner: z.string().nullable() })),
});
export type SavedTemplate = z.infer<typeof savedTemplate>;

export interface SavedProjectDatabase extends Saved {
  readonly template: SavedTemplate;
}

/** Rows that mean nothing anywhere else: they hold numbers of this server's transactions. The template has the rest. */
const ofThisServer = new Set(['live_hints', 'live_marks', 'live_state', 'ddl_changes', 'schema_version']);

/** What belongs to a schema without its data: which migrations made it, and what it exposes. */
const ofTheSchema = new Set(['migrations', 'manifest', 'ddl_version']);

const isOfProject: NonNullable<SaveDatabaseOptions['rowsOf']> = ({ schema, name }) =>
  schema === 'public' || schema === 'auth' || (schema === '_svc' && !ofThisServer.has(name));

const isOfSchema: typeof isOfProject = ({ schema, name }) => schema === '_svc' && ofTheSchema.has(name);

export interface SaveProjectOptions extends Omit<SaveDatabaseOptions, 'definitionsOf' | 'rowsOf'> {
  /** Whether neither rows nor users are saved, nor the values of sequences. @default false */
  readonly schemaOnly?: boolean;
}

/** Saves the database of a project: the tenant's schema, its users, and what the platform knows of both. */
export async function saveProjectDatabase({
  schemaOnly = false,
  ...options
}: SaveProjectOptions): Promise<SavedProjectDatabase> {
  let template: SavedTemplate | undefined;
  let views: SavedDatabase['filled'] = [];
  const saved = await saveDatabase({
    ...options,
    definitionsOf: 'public',
    rowsOf: schemaOnly ? isOfSchema : isOfProject,
    also: async (client) => {
      template = await readTemplate(client);
      if (schemaOnly) views = (await client.query<SavedDatabase['filled'][number]>(filledViews)).rows;
      await options.also?.(client);
    },
  });
  const database = schemaOnly ? { ...saved.database, filled: views } : saved.database;
  return { ...saved, database, template: template! };
}

/** Views that had rows have some again: of tables that are empty. */
const filledViews = `select 'public' as schema, c.relname as name from pg_catalog.pg_class c
  where c.relnamespace = 'public'::pg_catalog.regnamespace and c.relkind = 'm' and c.relispopulated order by c.relname`;

export async function readTemplate(client: pg.Client): Promise<SavedTemplate> {
  const version = await client.query<{ version: number; live: boolean }>(
    "select version, to_regclass('_svc.live_triggers') is not null as live from _svc.schema_version",
  );
  const { version: templateVersion, live } = version.rows[0]!;
  if (!live) return { templateVersion, live: [] };
  // The bodies of these triggers are named after numbers of this database: they are made anew in the other one.
  const tables = await client.query<{ table: string; owner: string | null }>(
    `select distinct c.relname as "table", a.attname as owner
      from pg_catalog.pg_trigger g join pg_catalog.pg_proc p on p.oid = g.tgfoid join pg_catalog.pg_class c on c.oid = g.tgrelid
        left join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
          and a.attnum = nullif(split_part(encode(g.tgargs, 'escape'), '\\000', 1), '')::smallint
      where p.pronamespace = '_svc'::regnamespace and p.proname like 'live\\_on\\_%'`,
  );
  return { templateVersion, live: tables.rows };
}
