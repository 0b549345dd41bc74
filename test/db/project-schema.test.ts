import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, expect, inject, test } from 'vitest';
import { KeyRing } from '../../core/keys.ts';
import { type Column, getTableColumns, getTableConfig, getTableName, is, PgTable } from '../../db/drizzle.ts';
import { ProjectDatabases } from '../../db/project-databases.ts';
import * as declared from '../../db/project-schema/auth.ts';

const databases = new ProjectDatabases({
  servers: { main: inject('postgresUrl') },
  keys: new KeyRing(randomBytes(32)),
  warn: () => undefined,
});
await databases.bootstrap();
const project = databases.assign();
await databases.provision(project);
const client = new pg.Client({ connectionString: databases.adminUrl('main', project.databaseName) });
await client.connect();
afterAll(async () => {
  await client.end();
  await databases.drop(project);
  await databases.close();
});

interface KeptColumn {
  readonly table: string;
  readonly column: string;
  readonly type: string;
  readonly required: boolean;
  readonly has_default: boolean;
}

const byName = (columns: readonly KeptColumn[]) => {
  const names = columns.map(({ table, column, ...facts }) => [`${table}.${column}`, facts] as const);
  return Object.fromEntries(names.sort(([one], [other]) => (one < other ? -1 : 1)));
};

const declaredColumn = (table: PgTable, column: Column): KeptColumn => ({
  table: getTableName(table),
  column: column.name,
  type: column.getSQLType(),
  required: column.notNull,
  has_default: column.hasDefault,
});

test('the columns of auth that are declared are those of a database made from the template', async () => {
  const tables = Object.values(declared).flatMap((one) => (is(one, PgTable) ? [one as PgTable] : []));
  for (const table of tables) expect(getTableConfig(table).schema).toBe('auth');
  const { rows } = await client.query<KeptColumn>(
    `select c.relname as table, a.attname as column, format_type(a.atttypid, a.atttypmod) as type,
       a.attnotnull as required, a.atthasdef as has_default
     from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = 'auth'::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped`,
  );
  expect(rows.length).toBeGreaterThan(80);
  const columns = tables.flatMap((table) =>
    Object.values(getTableColumns(table)).map((column) => declaredColumn(table, column)),
  );
  expect(byName(columns)).toEqual(byName(rows));
});
