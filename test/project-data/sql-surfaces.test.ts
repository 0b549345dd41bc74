import { afterAll, expect, test } from 'vitest';
import type { Actor } from '../helpers/actors.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { dataProject } from './data-project.ts';

const service = await sharedService();
afterAll(() => service.stop());
const project = await dataProject(service);
const { sql, base, projectId } = project;
await sql(
  "create type mood as enum ('sad', 'glad'); create table notes (id bigserial primary key, short serial, title text)",
);

interface Ran {
  readonly rows?: unknown;
  readonly rowCount?: unknown;
  readonly code?: unknown;
  readonly details?: unknown;
}
type Door = (text: string, params?: unknown[], actor?: Actor) => Promise<Ran>;

const document = `mutation ($input: RunSqlInput!) { runSql(input: $input) { rows rowCount schema fields { name type } } }`;
const byRest =
  (body: (text: string, params?: unknown[]) => object | string, type: string): Door =>
  async (text, params, actor = project.key) => {
    const answer = await service.call<Record<string, unknown>>(actor, 'POST', `${base}/sql`, {
      body: body(text, params),
      headers: { 'content-type': type },
    });
    const { rows, row_count: rowCount, code, details } = answer.body;
    return answer.status === 200 ? { rows, rowCount } : { code, details };
  };
/** The three ways of saying the same. */
const doors: readonly [string, Door][] = [
  ['JSON', byRest((text, params) => ({ sql: text, ...(params === undefined ? {} : { params }) }), 'application/json')],
  ['plain text', byRest((text) => text, 'text/plain; charset=utf-8')],
  [
    'the graph',
    async (text, params, actor = project.key) => {
      const input = { project: projectId, sql: text, ...(params === undefined ? {} : { params }) };
      const answer = await service.graphql(actor, document, { input });
      const { data, errors } = answer;
      // Too large to be read at all.
      if (data === undefined && errors === undefined) return answer as Ran;
      if (errors !== undefined) return { code: errors[0]!.extensions.code, details: errors[0]!.extensions.details };
      return { rows: data.runSql.rows, rowCount: data.runSql.rowCount };
    },
  ],
];
const withParams = doors.filter(([name]) => name !== 'plain text');

test.each(doors)('statements, comments and nothing at all, by %s', async (_name, run) => {
  expect(await run('select 1 as a; select 2 as b')).toEqual({ rows: [{ b: 2 }], rowCount: 1 });
  expect(await run("/* c; */ select 'a;b' as text -- the end;")).toEqual({ rows: [{ text: 'a;b' }], rowCount: 1 });
  for (const nothing of ['-- nothing', '/* nothing */', ';', ' \n'])
    expect(await run(nothing)).toEqual({ rows: [], rowCount: null });
  expect(await run('')).toMatchObject({ code: 'VALIDATION_FAILED' });
  expect(await run('create table made (id int); drop table made')).toEqual({ rows: [], rowCount: null });
  expect(await run("insert into notes (title) values ('a'), ('b')")).toEqual({ rows: [], rowCount: 2 });
  expect(await run('do $$ begin perform 1; end $$')).toEqual({ rows: [], rowCount: null });
  expect(await run('select 1/0')).toMatchObject({ code: 'SQL_ERROR', details: { sqlstate: '22012' } });
  expect(await run('selekt')).toMatchObject({ code: 'SQL_ERROR', details: { sqlstate: '42601', position: 1 } });
  expect(await run('grant select on notes to anon')).toMatchObject({
    code: 'FORBIDDEN',
    details: { construct: 'GRANT and REVOKE', hint: expect.any(String) },
  });
  expect(await run('select generate_series(1, 10001)')).toMatchObject({ code: 'RESULT_TOO_LARGE' });
  expect(await run(`select '${'x'.repeat(1024 * 1024)}'`)).toMatchObject({
    code: expect.stringMatching(/^(VALIDATION_FAILED|BODY_TOO_LARGE)$/),
  });
});

test.each(doors)(
  'columns that count for themselves take rows by the API, whoever made them, by %s',
  async (name, run) => {
    const table = `counted_${name.replaceAll(' ', '_').toLowerCase()}`;
    await run(
      `create table ${table} (id serial primary key, big bigserial, small smallserial, mine int generated always as identity, title text)`,
    );
    expect((await project.admin('POST', table, { body: { title: 'by the key' } })).status).toBe(201);
    const exposed = { name: table, expose: true, policy: 'public_read_append_only' };
    expect((await project.expose({ tables: [exposed] })).status).toBe(200);
    expect((await project.anon('POST', table, { body: { title: 'by anybody' } })).status).toBe(201);
    expect(await run(`select id, big, small, mine from ${table} order by id`)).toMatchObject({
      rows: [
        { id: 1, big: 1, small: 1, mine: 1 },
        { id: 2, big: 2, small: 2, mine: 2 },
      ],
    });
  },
);

test.each(doors)('the platform admin reads and does not write, by %s', async (_name, run) => {
  const { admin } = service.actors;
  expect(await run('select 1 as one', undefined, admin)).toMatchObject({ rows: [{ one: 1 }] });
  for (const text of [
    "insert into notes (title) values ('x')",
    'drop table notes',
    'do $$ begin delete from notes; end $$',
  ])
    expect(await run(text, undefined, admin)).toMatchObject({ code: 'ADMIN_SQL_READ_ONLY' });
});

test.each(
  withParams.flatMap(([name, run]) =>
    (
      [
        ['int', 7, 7],
        ['int8', '9007199254740993', '9007199254740993'],
        ['numeric', '1.10', '1.10'],
        ['float8', 0.5, 0.5],
        ['bool', true, true],
        ['text', 'ẞ’; drop table notes; --', 'ẞ’; drop table notes; --'],
        ['text', '', ''],
        ['text', null, null],
        ['text', 12, '12'],
        ['uuid', '11111111-1111-1111-1111-111111111111', '11111111-1111-1111-1111-111111111111'],
        ['date', '2026-03-06', '2026-03-06'],
        ['timestamptz', '2026-03-06T01:02:03Z', '2026-03-06T01:02:03+00:00'],
        ['interval', '1 day', '1 day'],
        ['bytea', '\\xff00', '\\xff00'],
        ['inet', '10.0.0.1', '10.0.0.1'],
        ['int4range', '[1,3)', '[1,3)'],
        ['jsonb', { a: [1, null, 'x"'] }, { a: [1, null, 'x"'] }],
        ['jsonb', '[1]', [1]],
        ['int[]', [1, null, 3], [1, null, 3]],
        ['int[]', [], []],
        ['text[]', ['a,b', 'c"d', '\\', '', 'NULL', null], ['a,b', 'c"d', '\\', '', 'NULL', null]],
        [
          'int[]',
          [
            [1, 2],
            [3, 4],
          ],
          [
            [1, 2],
            [3, 4],
          ],
        ],
        ['jsonb[]', [{ a: 1 }], [{ a: 1 }]],
        ['mood', 'glad', 'glad'],
      ] as const
    ).map(([type, given, back]) => [`${type} ${JSON.stringify(given)} by ${name}`, run, type, given, back] as const),
  ),
)('a parameter goes there and back: %s', async (_name, run, type, given, back) => {
  expect(await run(`select $1::${type} as value`, [given])).toEqual({ rows: [{ value: back }], rowCount: 1 });
});

test.each(withParams)('parameters that do not fit are refused, by %s', async (_name, run) => {
  expect(await run('select $1::int', [])).toMatchObject({ code: 'SQL_ERROR' });
  expect(await run('select $1::int', [1, 2])).toMatchObject({ code: 'SQL_ERROR', details: { sqlstate: '08P01' } });
  expect(await run('select $1::int', ['x'])).toMatchObject({ code: 'SQL_ERROR', details: { sqlstate: '22P02' } });
  expect(await run('select $1::text', ['a\0b'])).toMatchObject({
    code: 'VALIDATION_FAILED',
    details: { field: 'params[0]' },
  });
  expect(await run('select $1::int; select 2', [1])).toMatchObject({
    code: 'VALIDATION_FAILED',
    details: { field: 'params' },
  });
});

test('the answer is had as Markdown, by its name, by the header and in the graph', async () => {
  const text = `select * from (values (1, 'a|b', '{"a":1}'::jsonb), (2, null, null), (3, E'two\\nlines <b>', null)) v(id, "a|title", doc)`;
  const table = [
    '| id | a\\|title | doc |',
    '| --- | --- | --- |',
    '| 1 | a\\|b | \\{"a":1\\} |',
    '| 2 | NULL | NULL |',
    '| 3 | two<br>lines \\<b\\> | NULL |',
    '',
    '3 rows.',
    '',
  ].join('\n');
  const ask = (query: string, headers: Record<string, string> = {}, body: unknown = { sql: text }) =>
    service.call(project.key, 'POST', `${base}/sql${query}`, { body, headers });
  for (const answer of [
    await ask('?format=markdown'),
    await ask('', { accept: 'text/markdown' }),
    await ask('', { accept: 'text/markdown;q=0.9, */*' }),
  ]) {
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    expect(answer.text).toBe(table);
  }
  for (const answer of [await ask('?format=json', { accept: 'text/markdown' }), await ask('', { accept: '*/*' })])
    expect(answer.body).toMatchObject({ status: 'ok', row_count: 3 });
  expect(await ask('?format=xml')).toMatchObject({ status: 400, body: { details: { field: 'format' } } });
  expect((await ask('?format=markdown', {}, { sql: 'create table plain ()' })).text).toBe('Done.\n');
  expect((await ask('?format=markdown', {}, { sql: "insert into notes (title) values ('x')" })).text).toBe('1 row.\n');
  // A refusal is an envelope, whatever was asked for.
  expect(await ask('?format=markdown', {}, { sql: 'selekt' })).toMatchObject({
    status: 400,
    body: { code: 'SQL_ERROR' },
  });
  const asked = 'mutation ($input: RunSqlInput!) { runSql(input: $input) { markdown } }';
  const { data } = await service.graphql(project.key, asked, { input: { project: projectId, sql: text } });
  expect(data.runSql.markdown).toBe(table);
});

test('under one key, JSON and Markdown are one run', async () => {
  await sql('create table runs (id serial)');
  const ask = (query: string) =>
    service.call(project.key, 'POST', `${base}/sql${query}`, {
      body: { sql: 'insert into runs default values returning id' },
      headers: { 'idempotency-key': 'either-way' },
    });
  expect((await ask('')).body).toMatchObject({ rows: [{ id: 1 }] });
  expect((await ask('?format=markdown')).text).toBe('| id |\n| --- |\n| 1 |\n\n1 row.\n');
  expect(await sql('select count(*) from runs')).toEqual([{ count: 1 }]);
});
