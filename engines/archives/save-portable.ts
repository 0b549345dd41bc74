import type pg from 'pg';
import { tenantDefinitions } from '../copies/definitions.ts';
import { type Saved, saveDatabase } from '../copies/save-database.ts';
import { readTemplate } from '../copies/save-project.ts';
import { archiveLimits, copyPath, copyType } from './portable/format.ts';
import { type ProjectFacts, readFacts, readUserIds } from './project-facts.ts';
import type { Spool } from './spool.ts';
import { jsonMember, LargeArchiveError, type Member, textMember } from './write-archive.ts';

export interface SavePortableOptions {
  /** As a user who may read all of it. */
  readonly url: string;
  readonly spool: Spool;
  /** Whether the ids of users are part of it. */
  readonly withUsers: boolean;
  readonly signal: AbortSignal;
  /** Looks at what else belongs to the same moment. */
  readonly also: (client: pg.Client) => Promise<void>;
}

/** A database as the members of an archive. */
export interface PortableDatabase {
  readonly members: readonly Member[];
  readonly rows: number;
  readonly tables: number;
  readonly users: number;
  /** Tables whose rows have no order of their own. */
  readonly withoutKey: readonly string[];
  readonly extensions: readonly string[];
  /** What is not part of it, in sentences. */
  readonly leftOut: readonly string[];
}

const lockMs = 30_000;

/** Saves what a tenant has defined and stored, so that the same state makes the same bytes. @throws LargeArchiveError */
export async function savePortable(options: SavePortableOptions): Promise<PortableDatabase> {
  const { url, spool, signal } = options;
  let left = archiveLimits.expandedBytes;
  let facts: ProjectFacts['database'] | undefined;
  let types: ReadonlyMap<string, string> = new Map();
  let users: { readonly text: string; readonly count: number } = { text: '', count: 0 };
  const saved = await saveDatabase({
    url,
    store: spool,
    signal,
    lockMs,
    sorted: true,
    definitionsOf: 'public',
    definitionBytesMax: 4 * archiveLimits.sqlBytes,
    rowsOf: ({ schema }) => schema === 'public',
    onBytes(bytes) {
      left -= bytes;
      if (left < 0) throw new LargeArchiveError(`The rows are more than ${archiveLimits.expandedBytes} bytes.`);
    },
    async also(client) {
      left = archiveLimits.expandedBytes;
      await options.also(client);
      const { templateVersion, live } = await readTemplate(client);
      facts = {
        template_version: templateVersion,
        live: sortedLive(live),
        filled_views: [],
        ...(await readFacts(client)),
      };
      types = await readTypes(client);
      if (options.withUsers) users = await stubsOf(client);
    },
  });
  const { database, withoutKey, leftOut } = saved;
  const filledViews = database.filled.map(({ name }) => name).sort();
  const factSet: ProjectFacts = {
    schema_version: 'svc.project_archive.fact_set.v1',
    database: { ...facts!, filled_views: filledViews },
  };
  const tables = await tableMembers(spool, database, { withoutKey: new Set(withoutKey), types });
  const sequences = [...database.sequences]
    .map(({ schema, name, value, called }) => ({ schema, name, value, is_called: called }))
    .sort(byName);
  return {
    members: [
      jsonMember('fact_set', factSet),
      textMember('database.pre_data_sql', await definitionsOf(spool, database.before)),
      ...tables,
      jsonMember('database.sequences', { schema_version: 'svc.project_archive.database_sequences.v1', sequences }),
      textMember('database.post_data_sql', await definitionsOf(spool, database.after)),
      ...(options.withUsers ? [textMember('auth.subjects', users.text)] : []),
    ],
    rows: database.tables.reduce((sum, { rows }) => sum + rows, 0),
    tables: database.tables.length,
    users: users.count,
    withoutKey,
    extensions: database.extensions.map(({ name }) => name),
    leftOut,
  };
}

const byName = (one: { readonly name: string }, other: { readonly name: string }) => (one.name < other.name ? -1 : 1);

const sortedLive = (live: readonly { readonly table: string; readonly owner: string | null }[]) =>
  [...live].sort((one, other) => (one.table < other.table ? -1 : 1));

/** The statements of a dump that define something of the tenant's, without the notes of the program that wrote it. */
async function definitionsOf(spool: Spool, part: Saved['database']['before']): Promise<string> {
  return tenantDefinitions(await spool.readText(part))
    .map((text) => `${text.trim()};\n`)
    .join('\n');
}

async function tableMembers(
  spool: Spool,
  { tables }: Saved['database'],
  { withoutKey, types }: { readonly withoutKey: ReadonlySet<string>; readonly types: ReadonlyMap<string, string> },
): Promise<Member[]> {
  const members: Member[] = [];
  const listed: object[] = [];
  for (const [at, table] of tables.entries()) {
    // Those that others refer to come first: the number is their place.
    const id = `t${String(at + 1).padStart(4, '0')}`;
    const bytes = await spool.joined(table.parts);
    const path = copyPath(id);
    members.push({ name: `database.data.${id}`, mediaType: copyType, path, bytes });
    const deterministic = !withoutKey.has(table.name);
    listed.push({
      id,
      schema: table.schema,
      name: table.name,
      copy_path: path,
      row_count: table.rows,
      deterministic_order: deterministic,
      columns: table.columns.map((name) => ({ name, type: types.get(`${table.name} ${name}`) ?? 'text' })),
      digest: `sha256:${bytes.sha256}`,
    });
  }
  return [
    jsonMember('database.tables', { schema_version: 'svc.project_archive.database_tables.v1', tables: listed }),
    ...members,
  ];
}

const typesText = `select c.relname as "table", a.attname as "column", pg_catalog.format_type(a.atttypid, a.atttypmod) as type
  from pg_catalog.pg_attribute a join pg_catalog.pg_class c on c.oid = a.attrelid
  where c.relnamespace = 'public'::pg_catalog.regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped`;

/** The types of all columns, by table and column: for whoever reads the archive. */
async function readTypes(client: pg.Client): Promise<ReadonlyMap<string, string>> {
  const { rows } = await client.query<{ table: string; column: string; type: string }>(typesText);
  return new Map(rows.map(({ table, column, type }) => [`${table} ${column}`, type]));
}

/** More than this many users make a list that nobody could read. */
const usersMax = 1_000_000;

async function stubsOf(client: pg.Client): Promise<{ readonly text: string; readonly count: number }> {
  const lines: string[] = [];
  for await (const id of readUserIds(client)) {
    if (lines.length >= usersMax) throw new LargeArchiveError(`The project has more than ${usersMax} users.`);
    lines.push(`${JSON.stringify({ subject_id: id, disabled: true })}\n`);
  }
  return { text: lines.join(''), count: lines.length };
}
