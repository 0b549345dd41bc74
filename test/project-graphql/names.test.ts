import { afterAll, expect, test } from 'vitest';
import { startService } from '../helpers/service.ts';
import { dataOf, graphProject } from './graph-project.ts';

const service = await startService();
const project = await graphProject(
  service,
  `create type "Mood; drop" as enum ('', 'a b', 'a_b', 'null', '数', '9');
   create table "bad""; drop table x; --" ("we""ird; drop" int primary key, "größe" text, "数" text, "and" int, "not" int, "a b" int, "a_b" int, "__typename" text,
     "1st" int, "constructor" text, "__proto__" text, "*" int, mood "Mood; drop");
   create table "userNotes" (id int primary key);
   create table user_notes (id int primary key, "userNotes" int references "userNotes", other_id int references "userNotes");
   create table query (id int primary key);
   create table "int" (id int primary key);
   create table page_info (id int primary key);
   create table user_notes_connection (id int primary key);
   create table "💥" (id int primary key);
   create table "__schema" (id int primary key);
   create function "user notes"("where" int, "Ärger""" text) returns text language sql stable as $$ select "Ärger""" || "where" $$;
   create function "userNotes"(n int) returns int language sql stable as 'select n';
   create function "userNotes"(n text) returns text language sql stable as 'select n';`,
);
afterAll(async () => {
  await project.end();
  await service.stop();
});

const { all } = project;

test('every table and function has a name, and no two have the same', async () => {
  const { __schema } = dataOf(
    await all(
      '{ __schema { types { name } queryType { fields { name args { name type { name ofType { name } } } } } } }',
    ),
  );
  const names = __schema.types.map(({ name }: { name: string }) => name);
  expect(new Set(names).size).toBe(names.length);
  const fields = __schema.queryType.fields.map(({ name }: { name: string }) => name);
  expect(new Set(fields).size).toBe(fields.length);
  expect(fields).toEqual(
    expect.arrayContaining([
      'badDropTableX',
      'userNotes',
      'userNotes2',
      'query2',
      'int2',
      'pageInfo2',
      'userNotesConnection2',
      'unnamed',
      'schema',
    ]),
  );
  // Tables come first, in the order of their names; functions make way.
  expect(names).toEqual(
    expect.arrayContaining(['UserNotes', 'UserNotes2', 'Query2', 'Int2', 'PageInfo2', 'UserNotesConnection2']),
  );
});

test('rows go in and come out under the names that GraphQL has for them', async () => {
  const { __type } = dataOf(
    await all('{ __type(name: "BadDropTableX") { fields { name type { name ofType { name } } } } }'),
  );
  const fields = __type.fields.map(({ name }: { name: string }) => name);
  expect(fields).toEqual([
    'weIrdDrop',
    'gruf6udfe',
    'u6570',
    'and2',
    'not2',
    'aB',
    'aB2',
    '_typename',
    '_1st',
    'constructor2',
    '_proto',
    'mood',
  ]);
  const values = {
    weIrdDrop: 1,
    gruf6udfe: "'; drop table x; --",
    u6570: '"',
    and2: 2,
    not2: 3,
    aB: 4,
    aB2: 5,
    _typename: 't',
    _1st: 6,
    constructor2: 'c',
    _proto: 'p',
    mood: 'a_b2',
  };
  const made = await all(
    `mutation ($rows: [BadDropTableXInsert!]!) { insertBadDropTableX(rows: $rows) { rows { ${fields.join(' ')} } } }`,
    { rows: [values] },
  );
  expect(dataOf(made).insertBadDropTableX.rows).toEqual([values]);
  const found = await all(
    `query ($w: BadDropTableXFilter!) { badDropTableX(where: $w, orderBy: [{ _proto: ASC }, { and2: DESC }]) { totalCount edges { cursor node { ${fields.join(' ')} } } } }`,
    {
      w: {
        and2: { eq: 2 },
        constructor2: { eq: 'c' },
        _proto: { like: 'p' },
        mood: { in: ['a_b2'] },
        or: [{ u6570: { eq: '"' } }],
      },
    },
  );
  expect(dataOf(found).badDropTableX).toMatchObject({ totalCount: 1, edges: [{ node: values }] });
  const rest = await project.admin<Record<string, unknown>[]>('GET', `${encodeURIComponent('bad"; drop table x; --')}`);
  // A column called `*` is for REST alone, where that means every column.
  expect(Object.values(rest.body[0]!)).toEqual([...Object.values(values).slice(0, -1), null, 'a_b']);
});

test('labels of enums have names of their own', async () => {
  const { __type } = dataOf(await all('{ __type(name: "MoodDrop") { enumValues { name } } }'));
  expect(__type.enumValues.map(({ name }: { name: string }) => name)).toEqual([
    '_',
    'a_b',
    'a_b2',
    '_null',
    'u6570',
    '_9',
  ]);
});

test('relations that would meet a column or each other go by their columns', async () => {
  await project.sql('insert into "userNotes" values (1); insert into user_notes values (1, 1, null)');
  const data = dataOf(
    await all(
      '{ userNotes2 { nodes { userNotes other { id } userNotesByUserNotes { id } } } userNotes { nodes { userNotesByUserNotes { totalCount } userNotesByOtherId { totalCount } } } }',
    ),
  );
  expect(data.userNotes2.nodes).toEqual([{ userNotes: 1, other: null, userNotesByUserNotes: { id: 1 } }]);
  expect(data.userNotes.nodes).toEqual([
    { userNotesByUserNotes: { totalCount: 1 }, userNotesByOtherId: { totalCount: 0 } },
  ]);
});

test('functions that are called alike are told apart by a number', async () => {
  const { __schema } = dataOf(
    await all('{ __schema { queryType { fields { name args { name type { name ofType { name } } } } } } }'),
  );
  const calls = __schema.queryType.fields
    .filter(({ args }: { args: { name: string }[] }) => args[0]?.name === 'args')
    .map(({ name }: { name: string }) => name);
  expect(calls).toHaveLength(3);
  const [spaced, number, text] = calls;
  expect(
    dataOf(
      await all(
        `{ a: ${spaced}(args: { where: 1, uc4rger: "x" }) b: ${number}(args: { n: 2 }) c: ${text}(args: { n: "t" }) }`,
      ),
    ),
  ).toEqual({ a: 'x1', b: 2, c: 't' });
});
