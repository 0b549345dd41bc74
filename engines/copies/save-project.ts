import type pg from 'pg';
import { z } from 'zod';
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

/** Saves the database of a project: the tenant's schema, its users, and what the platform knows of both. */
export async function saveProjectDatabase(
  options: Omit<SaveDatabaseOptions, 'definitionsOf' | 'rowsOf'>,
): Promise<SavedProjectDatabase> {
  let template: SavedTemplate | undefined;
  const saved = await saveDatabase({
    ...options,
    definitionsOf: 'public',
    rowsOf: ({ schema, name }) =>
      schema === 'public' || schema === 'auth' || (schema === '_svc' && !ofThisServer.has(name)),
    also: async (client) => {
      template = await readTemplate(client);
      await options.also?.(client);
    },
  });
  return { ...saved, template: template! };
}

async function readTemplate(client: pg.Client): Promise<SavedTemplate> {
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
