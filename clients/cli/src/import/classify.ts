/** Where something of a dump belongs. */
export interface DumpName {
  /** Undefined where the dump names none. */
  readonly schema: string | undefined;
  readonly name: string;
}

/** What becomes of a statement. */
export type Verdict =
  | { readonly kind: 'run' }
  /** Does its work by itself, and may take its time. */
  | { readonly kind: 'runAlone' }
  | { readonly kind: 'leave'; readonly what: string; readonly why: string; readonly name?: string };

const words = /"(?:[^"]|"")*"|[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*|[.(]/g;

/** A name as the catalogs have it. */
const plain = (word: string): string =>
  word.startsWith('"') ? word.slice(1, -1).replaceAll('""', '"') : word.toLowerCase();

/** The first `schema.name` of a statement: pg_dump writes every name of an object with its schema. */
export function firstName(text: string): DumpName | undefined {
  const head: readonly string[] =
    text
      .slice(0, 2_000)
      .replace(/--.*|'(?:[^']|'')*'/g, ' ')
      .match(words) ?? [];
  const dot = head.indexOf('.');
  const [schema, name] = [head[dot - 1], head[dot + 1]];
  if (dot < 1 || schema === undefined || name === undefined || /^[.(]$/.test(schema + name)) return undefined;
  return { schema: plain(schema), name: plain(name) };
}

/** Schemas that Supabase makes for itself, and what is in them. */
const supabase = new Map(
  Object.entries({
    auth: 'The gateway has a schema auth of its own; users come along by their rows.',
    storage: 'Projects have no file storage.',
    realtime: 'Live hints tell of changes; Realtime’s own tables have no use here.',
    _realtime: 'Live hints tell of changes; Realtime’s own tables have no use here.',
    vault: 'Its secrets are encrypted with a key of the other server.',
    pgsodium: 'Its keys belong to the other server.',
    pgsodium_masks: 'Its keys belong to the other server.',
    graphql: 'The gateway makes the GraphQL of a project by itself.',
    graphql_public: 'The gateway makes the GraphQL of a project by itself.',
    extensions: 'Extensions are not offered.',
    cron: 'Extensions are not offered.',
    net: 'Extensions are not offered.',
    pgbouncer: 'The gateway pools connections by itself.',
    supabase_functions: 'Edge functions do not come along.',
    supabase_migrations: 'The history of migrations stays with the other project.',
  }),
);

/** Why a schema’s objects are left out; undefined for `public`. */
export const leftSchema = (schema: string | undefined): string | undefined =>
  schema === undefined || schema === 'public' || schema === 'pg_catalog'
    ? undefined
    : (supabase.get(schema) ?? 'A project has one schema, public.');

type Rule = readonly [what: string, why: string, pattern: RegExp, name?: RegExp];

const quoted = String.raw`("(?:[^"]|"")*"|[\w$]+)`;
const oneSchema = 'A project has one schema, public.';
const byManifest = 'The expose manifest says who may do what.';
const noServer = 'It belongs to the server, not to a project.';

/** Statements that have no place in a project, whatever they name. */
const rules: readonly Rule[] = [
  ['settings of the session', 'Every request has settings of its own.', /^(?:SET|RESET)\s/i],
  ['settings of the session', 'Every request has settings of its own.', /^SELECT\s+pg_catalog\.set_config\s*\(/i],
  ['transaction control', 'Every request is a transaction.', /^(?:BEGIN|COMMIT|START\s+TRANSACTION|ROLLBACK)\b/i],
  [
    'owners',
    'Everything belongs to the project.',
    new RegExp(String.raw`^ALTER\s[\s\S]*\sOWNER\s+TO\s+${quoted}$`, 'i'),
  ],
  ['privileges', byManifest, /^(?:GRANT|REVOKE|ALTER\s+DEFAULT\s+PRIVILEGES)\s/i],
  [
    'extensions',
    'Extensions are not offered; what PostgreSQL has built in is there.',
    /^(?:CREATE|ALTER|DROP|COMMENT\s+ON)\s+EXTENSION\s/i,
    new RegExp(String.raw`EXTENSION\s+(?:IF\s+(?:NOT\s+)?EXISTS\s+)?${quoted}`, 'i'),
  ],
  [
    'schemas',
    oneSchema,
    /^(?:CREATE|ALTER|DROP|COMMENT\s+ON)\s+SCHEMA\s/i,
    new RegExp(String.raw`SCHEMA\s+(?:IF\s+(?:NOT\s+)?EXISTS\s+)?${quoted}`, 'i'),
  ],
  [
    'publications and subscriptions',
    noServer,
    /^(?:CREATE|ALTER|DROP|COMMENT\s+ON)\s+(?:PUBLICATION|SUBSCRIPTION)\s/i,
    new RegExp(String.raw`(?:PUBLICATION|SUBSCRIPTION)\s+(?:IF\s+EXISTS\s+)?${quoted}`, 'i'),
  ],
  [
    'event triggers',
    noServer,
    /^(?:CREATE|ALTER|DROP|COMMENT\s+ON)\s+EVENT\s+TRIGGER\s/i,
    new RegExp(String.raw`EVENT\s+TRIGGER\s+(?:IF\s+EXISTS\s+)?${quoted}`, 'i'),
  ],
  ['databases and roles', noServer, /^(?:CREATE|ALTER|DROP|COMMENT\s+ON)\s+(?:DATABASE|ROLE|USER|GROUP|TABLESPACE)\s/i],
  [
    'foreign servers and tables',
    'The database reaches no other server.',
    /^(?:CREATE|ALTER|DROP|COMMENT\s+ON)\s+(?:FOREIGN|SERVER|USER\s+MAPPING)\b/i,
  ],
  [
    'languages',
    noServer,
    /^(?:CREATE|ALTER|DROP|COMMENT\s+ON)\s+(?:OR\s+REPLACE\s+)?(?:TRUSTED\s+)?(?:PROCEDURAL\s+)?LANGUAGE\s/i,
  ],
  ['security labels', noServer, /^SECURITY\s+LABEL\s/i],
  [
    'large objects',
    'There is no endpoint for large objects; keep bytes in a column of type bytea.',
    /^(?:SELECT\s+(?:pg_catalog\.)?lo(?:_\w+|write)\s*\(|(?:ALTER|COMMENT\s+ON)\s+LARGE\s+OBJECT\s)/i,
  ],
  [
    'disabled triggers',
    'Triggers of the project stay silent for these rows; foreign keys are checked.',
    /^ALTER\s+TABLE\s[\s\S]*\s(?:DISABLE|ENABLE)\s+TRIGGER\s+ALL$/i,
  ],
];

const slow =
  /^(?:CREATE\s+(?:UNIQUE\s+)?INDEX|REFRESH\s|ALTER\s+TABLE\s[\s\S]*\sADD\s+CONSTRAINT|ALTER\s+TABLE\s[\s\S]*\sATTACH\s)/i;
const references = new RegExp(String.raw`\sREFERENCES\s+${quoted}\.${quoted}`, 'i');
const calledName = new RegExp(String.raw`^SELECT\s+pg_catalog\.setval\s*\(\s*E?'${quoted}\.`, 'i');

/** What becomes of a statement of a dump. */
export function classify(text: string): Verdict {
  for (const [what, why, pattern, named] of rules) {
    if (!pattern.test(text)) continue;
    const name = named?.exec(text)?.[1];
    return { kind: 'leave', what, why, ...(name === undefined ? {} : { name: plain(name) }) };
  }
  const sequence = calledName.exec(text)?.[1];
  const { schema, name } = sequence === undefined ? (firstName(text) ?? {}) : { schema: plain(sequence), name: '' };
  const why = leftSchema(schema);
  if (why !== undefined) return { kind: 'leave', what: `schema ${schema}`, why, ...(name ? { name } : {}) };
  const [, to, table] = (/^ALTER\s+TABLE\s/i.test(text) ? references.exec(text) : null) ?? [];
  if (to !== undefined && leftSchema(plain(to)) !== undefined)
    return {
      kind: 'leave',
      what: 'foreign keys to other schemas',
      why: 'Only tables in public can be referred to; for users keep the id in a column of type uuid.',
      name: `${name} → ${plain(to)}.${plain(table!)}`,
    };
  return { kind: slow.test(text) ? 'runAlone' : 'run' };
}

/** A COPY of a dump: where its rows belong, and the names of the columns. */
export interface CopyTarget {
  readonly table: DumpName;
  /** As SQL writes it. */
  readonly sqlName: string;
  readonly columns: readonly string[];
}

// In the list of columns a doubled quote is read as the end of one name and the beginning of another: there is one way to
// read any text, so that a hostile one takes no longer than others.
const copyForm = new RegExp(
  String.raw`^COPY\s+(?:${quoted}\.)?${quoted}\s*(?:\(((?:[^")]|"[^"]*")*)\))?\s+FROM\s+stdin(\s+[\s\S]*)?$`,
  'i',
);

/** Reads the head of a COPY; undefined for a form that pg_dump does not write. */
export function readCopy(text: string): CopyTarget | undefined {
  const found = copyForm.exec(text);
  if (found === null || found[4] !== undefined) return undefined;
  const [, schema, name, list = ''] = found;
  const columns = list.match(/"(?:[^"]|"")*"|[^\s,"]+/g) ?? [];
  return {
    table: { schema: schema === undefined ? undefined : plain(schema), name: plain(name!) },
    sqlName: `${schema ?? 'public'}.${name}`,
    columns: columns.map(plain),
  };
}

const replaced: readonly (readonly [RegExp, string])[] = [
  [
    /(?:\b(?:extensions|public)\.|"(?:extensions|public)"\.)?(?:\buuid_generate_v4|"uuid_generate_v4")\s*\(\s*\)/g,
    'gen_random_uuid()',
  ],
  [/(?:\bextensions\.|"extensions"\.)(?:gen_random_uuid|"gen_random_uuid")\s*\(\s*\)/g, 'gen_random_uuid()'],
];

/**
 * Calls that are built in under another name are written so, but in rows, which are data.
 *
 * @returns the text, and how many were
 */
export function withBuiltIns(text: string): { readonly text: string; readonly count: number } {
  if (/^INSERT\s/i.test(text)) return { text, count: 0 };
  let count = 0;
  const written = replaced.reduce(
    (sofar, [pattern, name]) =>
      sofar.replace(pattern, () => {
        count += 1;
        return name;
      }),
    text,
  );
  return { text: written, count };
}
