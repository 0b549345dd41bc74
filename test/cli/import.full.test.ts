import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { bcrypt } from 'hash-wasm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService } from '../helpers/service.ts';
import { terminal } from './command.ts';

const service = await startService();
const ada = await terminal(service.url);
afterAll(async () => {
  await ada.remove();
  await service.stop();
});
beforeAll(async () => {
  await ada.svc('init');
  await ada.svc('org', 'create');
});

const dump = (name: string) => readFile(new URL(`dumps/${name}`, import.meta.url), 'utf8');
const put = (name: string, content: string | Buffer) => writeFile(join(ada.checkout, name), content);
const newProject = async (): Promise<string> => {
  const { json } = await ada.svc('projects', 'provision');
  return json.project_id;
};
const sql = async (project: string, text: string) => {
  const { json, stderr } = await ada.svc('projects', 'sql', project, text);
  expect(stderr).toBe('');
  return json.rows;
};

const signedIn = async (project: string, email: string, password: string) => {
  const { anon_key: apikey } = (await ada.svc('projects', 'keys', project, '--reveal')).json;
  const { body } = await service.call<{ user: Record<string, unknown>; access_token: string }>(
    service.actors.nobody,
    'POST',
    '/auth/v1/token?grant_type=password',
    { headers: { apikey }, body: { email, password } },
  );
  return body;
};

/** Everything of a schema that a dump carries, written by PostgreSQL itself. */
const definitions = `
  select 'column ' || c.table_name || '.' || c.column_name || ' ' || c.udt_name || ' ' || coalesce(c.column_default, '')
      || coalesce(c.identity_generation, '') || c.is_generated || c.is_nullable || coalesce(c.character_maximum_length, 0)::text
    as what from information_schema.columns c where table_schema = 'public'
  union all select 'index ' || indexdef from pg_indexes where schemaname = 'public'
  union all select 'constraint ' || conrelid::regclass::text || ' ' || conname || ' ' || pg_get_constraintdef(oid) from pg_constraint
    where connamespace = 'public'::regnamespace and contype <> 'n'
  union all select 'trigger ' || pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
  union all select 'function ' || pg_get_functiondef(oid) from pg_proc where pronamespace = 'public'::regnamespace
  union all select 'view ' || oid::regclass::text || pg_get_viewdef(oid) from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('v', 'm')
  union all select 'policy ' || tablename || policyname || cmd || coalesce(qual, '') from pg_policies where schemaname = 'public'
  union all select 'table ' || relname || relkind::text || relrowsecurity::text || coalesce(obj_description(oid), '')
      || coalesce(pg_get_expr(relpartbound, oid), '')
    from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
  union all select 'sequence ' || sequencename || ' ' || coalesce(last_value, 0)::text from pg_sequences
  union all select 'enum ' || enumtypid::regtype::text || enumlabel || enumsortorder::text from pg_enum
  order by 1`;
const tables = ['customers', '"Order Lines"', 'parts', 'parts_2023', 'log', 'loud', 'totals'];
const contentsOf = async (project: string) => ({
  definitions: await sql(project, definitions),
  rows: await Promise.all(tables.map((table) => sql(project, `select t::text as row from ${table} t order by 1`))),
});

test('a dump of PostgreSQL comes along with every row, value and definition', async () => {
  const [source, plain, zipped, piped] = [
    await newProject(),
    await newProject(),
    await newProject(),
    await newProject(),
  ];
  const text = await dump('shop.sql');
  await put('source.sql', await dump('shop-source.sql'));
  expect((await ada.svc('projects', 'sql', source, '--file', 'source.sql')).stderr).toBe('');
  const expected = await contentsOf(source);
  expect(expected.rows.map(({ length }: unknown[]) => length)).toEqual([4, 300, 5, 5, 0, 1, 4]);

  await put('shop.sql', text);
  const { json, stderr } = await ada.svc('projects', 'import', plain, 'shop.sql');
  expect(stderr).toBe('');
  expect(json).toMatchObject({ project_id: plain, dry_run: false, rows: 309, users: null });
  expect(json.left_out.map(({ what }: { what: string }) => what).sort()).toEqual([
    'owners',
    'privileges',
    'publications and subscriptions',
    'settings of the session',
  ]);
  expect(await contentsOf(plain)).toEqual(expected);

  await put('shop.sql.gz', gzipSync(text));
  expect((await ada.svc('projects', 'import', zipped, 'shop.sql.gz')).stderr).toBe('');
  expect(await contentsOf(zipped)).toEqual(expected);

  expect((await ada.with({}, text.replaceAll('\n', '\r\n'))('projects', 'import', piped, '-')).stderr).toBe('');
  expect((await contentsOf(piped)).rows).toEqual(expected.rows);
});

test('a Supabase project comes along with its users, who sign in with the passwords that they have', async () => {
  const hash = await bcrypt({ password: 'the old secret', salt: Buffer.alloc(16, 7), costFactor: 6 });
  const text = (await dump('supabase.sql'))
    .replace('@BCRYPT@', hash)
    .replace('@BCRYPT31@', hash.replace('$06$', '$31$'));
  await put('supabase.sql', text);
  const dry = await ada.svc('projects', 'import', 'supabase.sql', '--dry-run');
  expect(dry.json).toMatchObject({ dry_run: true, rows: 2, users: { found: 4, imported: 0 } });

  const project = await newProject();
  const { json, stderr, stdout } = await ada.svc('projects', 'import', 'supabase.sql', '--project', project);
  expect(stderr).toBe('');
  expect(stdout).not.toContain('$06$');
  expect(json).toMatchObject({
    rows: 2,
    rewritten_calls: 1,
    tables: [{ table: 'public.profiles', rows: 2 }],
    users: {
      found: 4,
      imported: 2,
      unchanged: 0,
      skipped: [
        { id: '33333333-3333-4333-8333-333333333333', reason: 'anonymous' },
        { id: '44444444-4444-4444-8444-444444444444', email: 'eve@example.com', reason: 'hash_cost' },
      ],
      left_out: { 'app_metadata.plan': 1, 'identity:github': 1, phone: 1 },
    },
  });
  const left = Object.fromEntries(json.left_out.map((one: { what: string }) => [one.what, one]));
  expect(left.extensions.names).toEqual(['uuid-ossp', 'pg_graphql']);
  expect(left['schema app']).toMatchObject({ statements: 1, rows: 2, names: ['things'] });
  expect(left['foreign keys to other schemas'].names).toEqual(['profiles → auth.users']);
  expect(Object.keys(left).sort()).toEqual([
    'event triggers',
    'extensions',
    'foreign keys to other schemas',
    'owners',
    'privileges',
    'publications and subscriptions',
    'schema app',
    'schema auth',
    'schema storage',
    'schemas',
    'settings of the session',
  ]);
  expect(await sql(project, 'select p::text as row from profiles p order by 1')).toEqual([
    { row: '(11111111-1111-4111-8111-111111111111,99999999-9999-4999-8999-999999999999,)' },
    { row: '(22222222-2222-4222-8222-222222222222,88888888-8888-4888-8888-888888888888,"likes\ttabs")' },
  ]);
  expect(await sql(project, "select policyname from pg_policies where schemaname = 'public' order by 1")).toEqual([
    { policyname: 'By mail' },
    { policyname: 'Own profile' },
  ]);
  const { user, access_token } = await signedIn(project, 'ada@example.com', 'the old secret');
  expect(user).toMatchObject({
    id: '11111111-1111-4111-8111-111111111111',
    user_metadata: { name: 'Ada "the" first' },
  });
  // The policies of the dump make the manifest, and the manifest shows what they allow.
  const drafted = await ada.svc('projects', 'draft-expose', project);
  expect(drafted.json).toMatchObject({ version: '1', tables: [{ name: 'profiles', expose: true, policy: 'custom' }] });
  await put('expose.json', drafted.stdout);
  expect((await ada.svc('projects', 'apply-expose', project, '--file', 'expose.json')).stderr).toBe('');
  const { anon_key: apikey } = (await ada.svc('projects', 'keys', project, '--reveal')).json;
  const headers = { apikey, authorization: `Bearer ${access_token}` };
  const profiles = await service.call(service.actors.nobody, 'GET', '/rest/v1/profiles?select=id', { headers });
  expect(profiles.body).toEqual([{ id: user.id }]);
  // Of rows alone: users come before their accounts, and once more nothing changes.
  const begins = (name: string) => text.indexOf(`COPY "auth"."${name}"`);
  const users = text.slice(begins('users'), text.indexOf('COPY "public"."profiles"'));
  const identities = text.slice(begins('identities'), begins('users'));
  const other = await newProject();
  const data = await ada.with({}, users + identities)('projects', 'import', other, '-');
  expect(data.json.users).toMatchObject({ imported: 2, left_out: { 'identity:github': 1 } });
  const again = await ada.with({}, users + identities)('projects', 'import', other, '-');
  expect(again.json.users).toMatchObject({ imported: 0, unchanged: 2 });
});

test('a manifest is drafted of the policies, with the functions that they call', async () => {
  const project = await newProject();
  await put(
    'policies.sql',
    `create table public.my_notes (id int, owner uuid);
    create table public."Loud" (id int);
    create policy loud on public."Loud" using (true);
    create table public.dark (id int);
    create function public.mine(owner uuid) returns boolean language sql stable as 'select owner = auth.uid()';
    create policy "Own; ""notes""" on public.my_notes for select to authenticated using (public.mine(owner));
    create policy narrow on public.my_notes as restrictive for all using (id > 1) with check (id > 2);
    create policy service on public.my_notes to service_role using (true);`,
  );
  expect((await ada.svc('projects', 'import', project, 'policies.sql')).stderr).toBe('');
  const { json, stdout } = await ada.svc('projects', 'draft-expose', project);
  expect(json).toEqual({
    version: '1',
    tables: [
      { name: 'dark', expose: false },
      { name: 'my_notes', expose: true, policy: 'custom', custom_sql: expect.any(String) },
    ],
    views: [],
    rpcs: [{ name: 'mine', signature: '(uuid)', grant_to: ['authenticated'] }],
  });
  expect(json.tables[1].custom_sql).not.toContain('service');
  await put('expose.json', stdout);
  const policies = `select policyname, permissive, roles::text, cmd, qual, with_check from pg_policies
    where tablename = 'my_notes' order by 1`;
  const before = await sql(project, policies);
  expect((await ada.svc('projects', 'apply-expose', project, '--file', 'expose.json')).stderr).toBe('');
  expect(await sql(project, policies)).toEqual(before);
});

test('what fails is told with its line, what came before is done, and the import goes on from there', async () => {
  const project = await newProject();
  const rows = Array.from({ length: 40 }, (_one, at) => `${at + 1}\t${at === 29 ? 'much too long' : 'fine'}`);
  const lines = [
    'CREATE TABLE public.notes (id integer, text varchar(5));',
    'COPY public.notes (id, text) FROM stdin;',
    ...rows,
    '\\.',
    'CREATE TABLE public.other (id integer);',
    'ALTER TABLE ONLY public.notes',
    '    ADD CONSTRAINT notes_pkey PRIMARY KEY (nothing);',
    'CREATE TABLE public.last (id integer);',
  ];
  await put('notes.sql', lines.join('\n'));
  const failed = await ada.svc('projects', 'import', project, 'notes.sql');
  expect([failed.code, failed.stdout]).toEqual([1, '']);
  expect(failed.error).toMatchObject({ code: 'SQL_ERROR', details: { line: 32, from_line: 32, sqlstate: '22001' } });
  expect(failed.error.message).toMatch(/^Line 32: value too long for type character varying\(5\)/);
  expect(await sql(project, 'select count(*)::int as n, max(id) as last from notes')).toEqual([{ n: 29, last: 29 }]);
  await put('notes.sql', lines.join('\n').replace('much too long', 'short'));
  const next = await ada.svc('projects', 'import', project, 'notes.sql', '--from-line', '32');
  expect(next.error).toMatchObject({ code: 'SQL_ERROR', details: { line: 45, from_line: 45, sqlstate: '42703' } });
  expect(
    await sql(project, 'select count(*)::int as n, min(text) as text from notes where id = 30 or id = 40'),
  ).toEqual([{ n: 2, text: 'fine' }]);
  const rest = await ada.svc('projects', 'import', project, 'notes.sql', '--from-line', '47');
  expect(rest.json).toMatchObject({ statements: 1, rows: 0 });
  expect(
    await sql(project, "select to_regclass('last') is not null and to_regclass('other') is not null as ok"),
  ).toEqual([{ ok: true }]);
});

/** Notes, each change of which is written down by a trigger; one trigger more is off. */
const loudNotes = `CREATE TABLE public.notes (id integer, text text, loud integer DEFAULT 0);
CREATE TABLE public.trail (what text);
CREATE FUNCTION public.tell() RETURNS trigger LANGUAGE plpgsql AS $$
begin insert into public.trail values (new.text); new.loud := new.loud + 1; return new; end $$;
CREATE TRIGGER "tell ""it""" BEFORE INSERT ON public.notes FOR EACH ROW EXECUTE FUNCTION public.tell();
CREATE TRIGGER off BEFORE INSERT ON public.notes FOR EACH ROW EXECUTE FUNCTION public.tell();
ALTER TABLE public.notes DISABLE TRIGGER off;
`;
const asCopy = String.raw`COPY public.notes (id, text, loud) FROM stdin;
1	it's "so", {a,b} \\ \t	1
2	\N	1
\.
COPY public.trail (what) FROM stdin;
first
\.
`;
const asInserts = `INSERT INTO public.notes VALUES (1, 'it''s "so", {a,b} \\ \t', 1);
INSERT INTO "public"."notes" VALUES (2, NULL, 1);
INSERT INTO public.trail VALUES ('first');
`;
test.each([
  ['of COPY, as supabase db dump writes them', `SET session_replication_role = replica;\n${asCopy}RESET ALL;\n`],
  ['of INSERT, as supabase db dump writes them', `SET session_replication_role = replica;\n${asInserts}RESET ALL;\n`],
  [
    'of COPY, as pg_dump --disable-triggers writes them',
    asCopy.replace(/^(COPY public.notes[\s\S]*?\n\\\.\n)/, (copy) => {
      const all = (word: string) => `ALTER TABLE public.notes ${word} TRIGGER ALL;\n`;
      return all('DISABLE') + copy + all('ENABLE');
    }),
  ],
])(
  'rows that come alone, %s, set off no trigger',
  async (_name, rows) => {
    const project = await newProject();
    await put('schema.sql', loudNotes);
    expect((await ada.svc('projects', 'import', project, 'schema.sql')).stderr).toBe('');
    // A row that is refused leaves the triggers as they were.
    const refused = rows.replaceAll(/^2\t/gm, 'two\t').replace('(2, NULL', "('two', NULL");
    await put('data.sql', refused);
    const failed = await ada.svc('projects', 'import', project, 'data.sql');
    expect(failed.error).toMatchObject({ code: 'SQL_ERROR', details: { sqlstate: '22P02' } });
    const line = refused.split('\n').findIndex((text) => /^two|'two'/.test(text)) + 1;
    expect(failed.error.details).toMatchObject({ line, from_line: line });
    await put('data.sql', rows);
    const { stderr } = await ada.svc('projects', 'import', project, 'data.sql', '--from-line', String(line));
    expect(stderr).toBe('');
    expect(await sql(project, 'select id, text, loud from notes order by id')).toEqual([
      { id: 1, text: expect.stringMatching(/^it's "so", \{a,b\} \\/), loud: 1 },
      { id: 2, text: null, loud: 1 },
    ]);
    await sql(project, "insert into notes values (3, 'second')");
    expect(await sql(project, 'select what from trail')).toEqual([{ what: 'first' }, { what: 'second' }]);
  },
  60_000,
);

test('users who come as INSERT end the import with their line, and a ban without end is one', async () => {
  await put(
    'users.sql',
    'select 1;\nINSERT INTO "auth"."users" ("id", "email") VALUES (\'1\', \'ada@example.com\');\n',
  );
  const { error } = await ada.svc('projects', 'import', 'users.sql', '--dry-run');
  expect(error).toMatchObject({ code: 'BAD_DUMP', details: { line: 2 } });
  expect(error.hint).toContain('--use-copy');
  const project = await newProject();
  const hash = await bcrypt({ password: 'the old secret', salt: Buffer.alloc(16, 7), costFactor: 6 });
  const id = (digit: number) => `${String(digit).repeat(8)}-1111-4111-8111-111111111111`;
  const columns = 'id, email, encrypted_password, email_confirmed_at, confirmed_at, banned_until';
  const copy = `COPY auth.users (${columns}) FROM stdin;
${id(1)}	banned@example.com	\\N	\\N	\\N	infinity
${id(2)}	once@example.com	\\N	\\N	\\N	-infinity
${id(3)}	phone@example.com	${hash}	\\N	2024-01-01 00:00:00+00	\\N
\\.
`;
  const { json } = await ada.with({}, copy)('projects', 'import', project, '-');
  expect(json.users).toMatchObject({ imported: 2, skipped: [{ id: id(1), reason: 'banned' }] });
  // A phone that was confirmed shows nothing of the address.
  const { user } = await signedIn(project, 'phone@example.com', 'the old secret');
  expect(user).toMatchObject({ id: id(3), email_confirmed_at: null });
});

test('a dump of two databases ends the import where the second begins, and a table without columns keeps its rows', async () => {
  const one = String.raw`\connect shop
CREATE TABLE public.bare ();
COPY public.bare  FROM stdin;


\.
`;
  const project = await newProject();
  const { json } = await ada.with({}, one)('projects', 'import', project, '-');
  expect(json).toMatchObject({ rows: 2 });
  expect(await sql(project, 'select count(*)::int as n from bare')).toEqual([{ n: 2 }]);
  const two = String.raw`\connect template1
\connect shop
${one}\connect -reuse-previous=on "dbname='other'"
CREATE TABLE public.more ();
`;
  const { error } = await ada.with({}, two)('projects', 'import', '-', '--dry-run');
  expect(error).toMatchObject({ code: 'BAD_DUMP', details: { line: 10 } });
  expect(error.hint).toContain('pg_dump');
});

test('a statement that takes too long is told with its line and a way round', async () => {
  const project = await newProject();
  const late = "select 1;\nDO $$ begin raise exception using errcode = '57014'; end $$;\n";
  const { error } = await ada.with({}, late)('projects', 'import', project, '-');
  expect(error).toMatchObject({ code: 'SQL_ERROR', details: { sqlstate: '57014', line: 2, from_line: 2 } });
  expect(error.hint).toContain('in front of the rows');
});

const spaces = ' '.repeat(70);
test.each([
  ['a string that is never closed', "select 1;\n\nselect 'a;\nb;\n", 3],
  ['a dollar quote that is never closed', 'select 1;\nDO $x$\nbegin end $$;\n$y$;', 2],
  ['a comment that is never closed', '/* one /* two */\n;\n', 1],
  ['a quoted name that is never closed', 'select "a;\n', 1],
  ['rows that never end', 'create table t (i int);\nCOPY public.t (i) FROM stdin;\n1\n2\n', 2],
  ['a row with too few values', 'COPY public.t (i, j) FROM stdin;\n1\t2\n3\n\\.\n', 3],
  ['a command of psql', 'select 1;\n\\i /etc/passwd\n', 2],
  ['another encoding', "SET client_encoding = 'LATIN1';\n", 1],
  ['strings of another syntax', "select 1;\nSET standard_conforming_strings = off;\nselect 'it\\'s';\n", 2],
  ['bytes that are no letters', Buffer.from('select 1;\n-- \xff\n', 'latin1'), 2],
  ['an archive', 'PGDMP\x01\x0e', 1],
  ['a statement that is too long', `select 1;\nINSERT INTO t VALUES\n${`(1, 'x'),${spaces}\n`.repeat(15_000)};`, 2],
  ['a string that is too long', `select 1;\nselect\n'${`${spaces}\n`.repeat(15_000)}';`, 3],
  ['a line that is too long', Buffer.concat([Buffer.from('select 1;\n'), Buffer.alloc(65 * 1024 * 1024, 120)]), 2],
] as [string, string | Buffer, number][])('%s ends the import with its line', async (_name, text, line) => {
  await put('hostile.sql', text);
  const { code, error, stdout } = await ada.svc('projects', 'import', 'hostile.sql', '--dry-run');
  expect([code, stdout, error.code]).toEqual([1, '', 'BAD_DUMP']);
  expect(error.details.line).toBe(line);
});

test('a head of rows that could be read in many ways is read in one', async () => {
  const names = Array.from({ length: 2_000 }, () => '"a"').join('');
  await put('pairs.sql', `COPY public.t (${names} x FROM stdin y);\n`);
  const { code, error } = await ada.svc('projects', 'import', 'pairs.sql', '--dry-run');
  expect([code, error.code]).toEqual([1, 'BAD_DUMP']);
});

test('what is no dump is refused by name', async () => {
  await put('broken.gz', gzipSync('select 1;\n'.repeat(1_000)).subarray(0, 30));
  expect((await ada.svc('projects', 'import', 'broken.gz', '--dry-run')).error.code).toBe('BAD_FILE');
  expect((await ada.svc('projects', 'import', 'absent.sql', '--dry-run')).error.code).toBe('FILE_NOT_FOUND');
  await put('empty.sql', '');
  const empty = (await ada.svc('projects', 'import', 'empty.sql')).error;
  expect(empty).toMatchObject({ code: 'BAD_FILE', message: expect.stringMatching(/^empty\.sql is empty: .*pg_dump/) });
  const folder = (await ada.svc('projects', 'import', '.', '--dry-run')).error;
  expect([folder.code, folder.message]).toEqual(['BAD_FILE', expect.stringContaining('pg_restore --file=dump.sql .')]);
  const tarHead = [Buffer.from('toc.dat'), Buffer.alloc(505), Buffer.from('PGDMP\xff\n', 'latin1')];
  for (const archive of [Buffer.from('PGDMP\x01\x0e'), Buffer.concat(tarHead)]) {
    await put('archive', archive);
    expect((await ada.svc('projects', 'import', 'archive', '--dry-run')).error.hint).toContain('pg_restore');
  }
  await put('empty.sql', '\n\n-- nothing\n\n');
  expect((await ada.svc('projects', 'import', 'empty.sql', '--dry-run')).json).toMatchObject({
    statements: 0,
    lines: 4,
  });
});
