import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectRefusal } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { catalogOf } from './as-user.ts';
import { dataProject } from './data-project.ts';

const service = await sharedService();
afterAll(() => service.stop());
const project = await dataProject(service);
const { sql, validate, expose } = project;

beforeAll(async () => {
  await sql(`create table items (id int, owner uuid, name text, made_at timestamptz, price numeric);
    create table orders (id int, item int);
    create function mine(item items) returns boolean language sql as 'select true'`);
});

const details = async (manifest: object, migration?: string): Promise<string[]> => {
  const { status, body } = await validate(manifest, migration);
  expect(status).toBe(200);
  return [...body.errors, ...body.warnings].map(({ detail }: { detail: string }) => detail);
};

test('what is wrong in its shape hides nothing else that is wrong', async () => {
  expect(
    await details({
      extra: 1,
      tables: [
        { name: 'none', expose: true, policy: 'user_owns_rows', owner_column: 'owner' },
        { name: 'items', expose: 'yes' },
        { name: 'orders', expose: true, policy: 'user_owns_rows', owner_column: 'nobody' },
        { name: 'absent', expose: true, policy: 'public_read_write_UNRESTRICTED' },
      ],
      views: [
        { name: 'names', base: 'items', select: [] },
        { name: 'above', base: 'names', select: ['id'] },
        { name: 'beside', base: 'missing', select: ['*'] },
      ],
      rpcs: [
        { name: 'f', signature: '(a int', grant_to: ['anon'] },
        { name: 'g', signature: '()', grant_to: ['root'] },
        { name: 'h', signature: '()', grant_to: ['anon'] },
      ],
    }),
  ).toEqual([
    expect.stringMatching(/^manifest\.tables\[1\]\.expose: /),
    expect.stringMatching(/^manifest\.views\[0\]\.select: /),
    expect.stringMatching(/^manifest\.rpcs\[0\]\.signature: /),
    expect.stringMatching(/^manifest\.rpcs\[1\]\.grant_to\[0\]: /),
    'manifest.extra: is not known here',
    expect.stringMatching(/^manifest\.tables\[3\]\.i_understand_this_is_unrestricted: /),
    'manifest.tables[0].name: there is no table none',
    'manifest.tables[2].owner_column: orders has no column nobody',
    'manifest.tables[3].name: there is no table absent',
    'manifest.views[2].base: there is no relation missing',
    'manifest.rpcs[2]: there is no function h()',
    'manifest.views[1]: the columns of names are not known',
  ]);
});

test.each<[string, object]>([
  ['lists that are none', { tables: 5, views: 'x', rpcs: null }],
  ['entries that are none', { tables: [5, null, []], views: ['x'], rpcs: [true] }],
  ['names that are none', { tables: [{ name: 5, expose: true }], views: [{ name: {}, base: [], select: 1 }] }],
])('whatever a manifest is made of is judged: %s', async (_name, manifest) => {
  const { status, body } = await validate(manifest);
  expect({ status, found: body.has_errors }).toEqual({ status: 200, found: true });
});

const custom = (rest: string, name = 'items') => ({
  tables: [{ name, expose: true, policy: 'custom', custom_sql: `create policy p on ${name} ${rest}` }],
});
const view = (filter: string, more: object = {}) => ({
  views: [{ name: 'v', base: 'items', select: ['id', 'name'], filter, ...more }],
});
const policy = 'manifest.tables[0].custom_sql';
const filter = 'manifest.views[0].filter';

const wrong: readonly (readonly [string, object, string])[] = [
  [
    'a type of an argument',
    custom('for select using (length(id) = 1)'),
    `${policy}: function length(integer) does not exist`,
  ],
  [
    'two types that are not compared',
    custom('using (price = made_at)'),
    `${policy}: operator does not exist: numeric = timestamp with time zone`,
  ],
  ['a column', custom('using (nothing = 1)'), `${policy}: column "nothing" does not exist`],
  [
    'what is checked',
    custom('for insert with check (id)'),
    `${policy}: argument of WHERE must be type boolean, not type integer`,
  ],
  [
    'the check behind the using',
    custom('using (true) with check (nothing)'),
    `${policy}: column "nothing" does not exist`,
  ],
  [
    'a table of a query inside',
    custom('using (exists (select from nowhere))'),
    `${policy}: relation "nowhere" does not exist`,
  ],
  [
    'a name that reads like a word',
    custom('as permissive for all to "authenticated" using (("using" = 1))'),
    `${policy}: column "using" does not exist`,
  ],
  ['a filter', view('price = made_at'), `${filter}: operator does not exist: numeric = timestamp with time zone`],
  ['a column of a filter', view('nothing'), `${filter}: column "nothing" does not exist`],
  ['a value', view("id = 'one'"), `${filter}: invalid input syntax for type integer: "one"`],
];

test.each(wrong)('PostgreSQL is asked about the SQL of a manifest: %s', async (_name, manifest, detail) => {
  const before = await catalogOf(project);
  expect(await details(manifest)).toEqual([detail]);
  const refused = await expose(manifest);
  expectRefusal(refused, 'VALIDATION_FAILED', { field: detail.slice(0, detail.indexOf(':')) });
  expect(refused.body.message).toBe(detail);
  expect(await catalogOf(project)).toEqual(before);
});

test('a role that custom SQL names is one of the four', async () => {
  const refused = await expose(custom('to anon, public, nobody_known using (true)'));
  expectRefusal(refused, 'VALIDATION_FAILED', { field: policy });
  expect(refused.body.message).toBe(`${policy}: there is no role nobody_known`);
});

test.each<[string, object]>([
  ['calls and columns', custom("using (mine(items) and length(name) > 1 and items.name = 'a' -- all )\n)")],
  ['brackets in texts', custom("for all using (name <> ')' and name <> $$ ) with check ( $$) with check (id > 0)")],
  ['two policies', custom('for select using (true); create policy q on items for insert with check (id > (1 + 2))')],
  ['a filter', view("name ilike '%)' /* ) */ and made_at < now()")],
])('nothing is found in SQL that is right: %s', async (_name, manifest) => {
  expect(await details(manifest)).toEqual([]);
  expect(await expose(manifest)).toMatchObject({ status: 200 });
  expect(await expose({})).toMatchObject({ status: 200 });
});

test('a filter sees what the view below it shows', async () => {
  const below = { name: 'a', base: 'items', select: ['id', 'price'] };
  const above = (text: string) => ({ views: [{ name: 'b', base: 'a', select: ['id'], filter: text }, below] });
  expect(await details(above('price > 1'))).toEqual([]);
  expect(await details(above("name = 'x'"))).toEqual(['manifest.views[0].filter: column "name" does not exist']);
});

test('what a migration will have changed is not held against what is there now', async () => {
  expect(await details(custom('using (later = 1)'), 'alter table items add column later int')).toEqual([]);
});

test('SQL is analysed and never run', async () => {
  await sql('create sequence counted; create table written (id int)');
  const reads = "nextval('counted') > 0 and pg_sleep(60) is null and (select 1 / 0) = 1";
  expect(await details(custom(`using (${reads})`))).toEqual([]);
  expect(await sql('select is_called from counted')).toEqual([{ is_called: false }]);
  for (const text of ['true) ; insert into written values (1); select (true', 'true); insert into written values (1)'])
    expect((await validate(view(text))).body.has_errors).toBe(true);
  expect(await sql('select * from written')).toEqual([]);
});
