import { afterAll, expect, test } from 'vitest';
import { sharedService } from '../helpers/shared-service.ts';
import { prefer } from '../rows/rows-project.ts';
import { dataOf, graphProject } from './graph-project.ts';

const service = await sharedService();
const project = await graphProject(
  service,
  `create table lists (id int generated always as identity primary key, name text not null unique);
   create table tasks (id int primary key, list_id int references lists, title text default 'untitled', done boolean not null default false,
     big bigint, tags text[], data jsonb, twice int generated always as (id * 2) stored);
   create table mine (id int primary key, body text);
   grant select, insert, update, delete on mine to anon;
   insert into lists (name) values ('home'), ('work');
   create function add(a int, b int default 10) returns int language sql immutable as 'select a + b';
   create function huge(n bigint) returns bigint language sql stable as 'select n';
   create function bigs() returns setof numeric language sql stable as $$ values (0.10), (2) $$;
   create function open_tasks(list int) returns setof tasks language sql stable as 'select * from tasks where list_id = list and not done';
   create function newest() returns tasks language sql stable as 'select * from tasks order by id desc limit 1';
   create function pairs() returns table (word text, n bigint) language sql stable as $$ values ('a', 1::bigint), ('b', 2) $$;
   create function nothing() returns void language sql as '';
   create function finish(task int) returns boolean language sql as 'update tasks set done = true where id = task returning done';
   create function as_json(doc jsonb) returns jsonb language sql stable as $$ select jsonb_build_object('doc', doc, 'role', current_user) $$;
   create function fails() returns int language plpgsql as $$ begin raise exception 'no' using errcode = 'P0001', hint = 'try'; end $$;
   alter default privileges grant execute on functions to service_role;
   grant execute on all functions in schema public to service_role;`,
);
afterAll(async () => {
  await project.end();
  await service.stop();
});

const { all, any, admin } = project;
const tasks = async () => (await admin<Record<string, unknown>[]>('GET', 'tasks?order=id')).body;

test('rows are added, many at once, each with its own defaults, and answered with what belongs to them', async () => {
  const data = dataOf(
    await all(
      `mutation ($rows: [TasksInsert!]!) { insertTasks(rows: $rows) { affectedCount rows { id title done big twice list { name } } } }`,
      {
        rows: [
          { id: 1, listId: 1, title: 'a', big: '9007199254740993' },
          { id: 2, tags: ['x', 'y'], data: { a: [1] } },
          { id: 3, title: null },
        ],
      },
    ),
  );
  expect(data.insertTasks).toEqual({
    affectedCount: 3,
    rows: [
      { id: 1, title: 'a', done: false, big: '9007199254740993', twice: 2, list: { name: 'home' } },
      { id: 2, title: 'untitled', done: false, big: null, twice: 4, list: null },
      { id: 3, title: null, done: false, big: null, twice: 6, list: null },
    ],
  });
  const rest = await admin('POST', 'tasks?columns=id,title', {
    body: [{ id: 4 }, { id: 5, title: 'b' }],
    ...prefer('missing=default', 'return=representation'),
  });
  expect(rest.body).toMatchObject([{ title: 'untitled' }, { title: 'b' }]);
  expect((await tasks())[1]).toMatchObject({ tags: ['x', 'y'], data: { a: [1] } });
});

test('what PostgreSQL makes itself cannot be given', async () => {
  const fields = dataOf(
    await all(
      '{ insert: __type(name: "TasksInsert") { inputFields { name } } update: __type(name: "ListsUpdate") { inputFields { name } } }',
    ),
  );
  const names = ({ inputFields }: { inputFields: { name: string }[] }) => inputFields.map(({ name }) => name);
  expect(names(fields.insert)).toEqual(['id', 'listId', 'title', 'done', 'big', 'tags', 'data']);
  expect(names(fields.update)).toEqual(['name']);
});

test('rows are changed and deleted by a filter, of related rows too', async () => {
  const changed = dataOf(
    await all(
      'mutation { updateTasks(set: { done: true }, where: { list: { some: { name: { eq: "home" } } } }) { affectedCount rows { id done } } }',
    ),
  );
  expect(changed.updateTasks).toEqual({ affectedCount: 1, rows: [{ id: 1, done: true }] });
  const gone = dataOf(await all('mutation { deleteTasks(where: { id: { gte: 4 } }) { affectedCount rows { id } } }'));
  expect(gone.deleteTasks.affectedCount).toBe(2);
  expect((await tasks()).map(({ id }) => id)).toEqual([1, 2, 3]);
  const nothing = dataOf(
    await all('mutation { updateTasks(set: {}, where: { id: { eq: 1 } }) { affectedCount rows { id } } }'),
  );
  expect(nothing.updateTasks).toEqual({ affectedCount: 0, rows: [] });
});

test('an upsert changes what is there by the key that is named, or leaves it', async () => {
  const upsert = (more: string) =>
    all(
      `mutation { upsertTasks(rows: [{ id: 1, title: "up" }, { id: 6, title: "new" }]${more}) { affectedCount rows { id title } } }`,
    );
  expect(dataOf(await upsert(', ignoreDuplicates: true')).upsertTasks).toEqual({
    affectedCount: 1,
    rows: [{ id: 6, title: 'new' }],
  });
  expect(dataOf(await upsert('')).upsertTasks.affectedCount).toBe(2);
  expect((await tasks())[0]).toMatchObject({ id: 1, title: 'up', done: true });
  const byName = dataOf(
    await all('mutation { upsertLists(rows: [{ name: "home" }], onConflict: [name]) { rows { id name } } }'),
  );
  expect(byName.upsertLists.rows).toEqual([{ id: 1, name: 'home' }]);
});

test('an upsert of rows that name different columns leaves what a row does not name', async () => {
  await project.sql(
    `create table kept (id int primary key, title text, stars int default 0, note text);
     grant all on kept to service_role;
     insert into kept values (1, 'one', 5, 'mine'), (2, 'two', 6, 'mine')`,
  );
  const rows =
    '{ id: 1, title: "new" }, { id: 2, title: "b", stars: 7 }, { id: 3, note: null }, { stars: 9, id: 4 }, { note: "x", id: 5, title: null }';
  const upsert = (given: string) =>
    all(`mutation { upsertKept(rows: [${given}]) { affectedCount rows { id title stars note } } }`);
  expect(dataOf(await upsert(rows)).upsertKept).toEqual({
    affectedCount: 5,
    rows: [
      { id: 1, title: 'new', stars: 5, note: 'mine' },
      { id: 2, title: 'b', stars: 7, note: 'mine' },
      { id: 3, title: null, stars: 0, note: null },
      { id: 4, title: null, stars: 9, note: null },
      { id: 5, title: null, stars: 0, note: 'x' },
    ],
  });
  // One row twice is refused as ever, and nothing of the list is done.
  const { errors } = await upsert('{ id: 6, title: "a" }, { id: 6, stars: 1 }');
  expect(errors).toMatchObject([{ extensions: { code: 'SQL_ERROR', sqlstate: '21000' } }]);
  const twice = await upsert('{ id: 1, title: "a" }, { id: 1, stars: 1 }');
  expect(twice.errors).toMatchObject([{ extensions: { code: 'SQL_ERROR', sqlstate: '21000' } }]);
  expect(await project.sql('select title, stars from kept where id in (1, 6)')).toEqual([{ title: 'new', stars: 5 }]);
});

test('only the service key changes every row at once', async () => {
  await project.sql("insert into mine values (1, 'x'), (2, 'y')");
  for (const change of ['updateMine(set: { body: "z" }, where: {})', 'deleteMine(where: {})']) {
    const { data, errors } = await any(`mutation { ${change} { affectedCount } }`);
    expect(data).toBeNull();
    expect(errors).toMatchObject([
      { message: expect.stringContaining('WHERE clause'), extensions: { code: 'SQL_ERROR', sqlstate: '21000' } },
    ]);
  }
  expect(
    dataOf(await all('mutation { updateMine(set: { body: "z" }, where: {}) { affectedCount } }')).updateMine
      .affectedCount,
  ).toBe(2);
});

test('changes of one request are made in order, and all or none of them', async () => {
  const both = await all(`mutation {
    first: insertMine(rows: [{ id: 10, body: "a" }]) { affectedCount }
    second: updateMine(set: { body: "b" }, where: { id: { eq: 10 } }) { rows { body } }
    third: deleteMine(where: { body: { eq: "b" } }) { affectedCount } }`);
  expect(dataOf(both)).toEqual({
    first: { affectedCount: 1 },
    second: { rows: [{ body: 'b' }] },
    third: { affectedCount: 1 },
  });
  const failed = await all(
    'mutation { one: insertMine(rows: [{ id: 11 }]) { affectedCount } two: insertMine(rows: [{ id: 11 }]) { affectedCount } }',
  );
  expect(failed.data).toBeNull();
  expect(failed.errors?.[0]?.extensions).toMatchObject({ sqlstate: '23505', mutation_state: 'rolled_back' });
  expect((await admin('GET', 'mine?id=eq.11')).body).toEqual([]);
});

test('functions are queries where they only read, and answer what REST answers', async () => {
  await project.sql('update tasks set list_id = 1, done = false');
  const data = dataOf(
    await all(`{ two: add(args: { a: 1 }) add(args: { a: 1, b: 2 }) huge(args: { n: "9007199254740993" }) bigs
      openTasks(args: { list: 1 }, where: { id: { lt: 3 } }, orderBy: [{ id: DESC }], first: 1) { totalCount nodes { id list { name } } pageInfo { hasNextPage } }
      newest { id title } pairs { nodes { word n } } asJson(args: { doc: { a: [1, null] } }) }`),
  );
  expect(data).toEqual({
    two: (await admin('POST', 'rpc/add', { body: { a: 1 } })).body,
    add: 3,
    huge: '9007199254740993',
    bigs: ['0.10', '2'],
    openTasks: { totalCount: 2, nodes: [{ id: 2, list: { name: 'home' } }], pageInfo: { hasNextPage: true } },
    newest: { id: 6, title: 'new' },
    pairs: {
      nodes: [
        { word: 'a', n: '1' },
        { word: 'b', n: '2' },
      ],
    },
    asJson: (await admin('POST', 'rpc/as_json', { body: { doc: { a: [1, null] } } })).body,
  });
});

test('a function’s one row is there by what it is, whatever is asked of it', async () => {
  await project.sql(`create table places (id int primary key, name text, owner_id int references lists);
    insert into places values (1, null, null), (2, null, 1);
    grant select on places to service_role;
    create function place(n int) returns places language sql stable as 'select * from places where id = n'`);
  const asked = `{ bare: place(args: { n: 1 }) { name } related: place(args: { n: 2 }) { owner { name } }
    none: place(args: { n: 9 }) { name } noneRelated: place(args: { n: 9 }) { owner { name } } }`;
  expect(dataOf(await all(asked))).toEqual({
    bare: { name: null },
    related: { owner: { name: 'home' } },
    none: null,
    noneRelated: null,
  });
});

test('functions that may change something are mutations, and their refusals are told', async () => {
  expect(dataOf(await all('mutation { nothing finish(args: { task: 2 }) }'))).toEqual({ nothing: true, finish: true });
  const { errors } = await all('mutation { fails }');
  expect(errors).toMatchObject([
    { message: 'no', path: ['fails'], extensions: { code: 'SQL_ERROR', sqlstate: 'P0001', hint: 'try' } },
  ]);
  expect((await all('{ add(args: { b: 1 }) }')).errors?.[0]?.extensions).toMatchObject({ code: 'VALIDATION_FAILED' });
  expect((await all('{ finish(args: { task: 2 }) }')).errors?.[0]?.extensions.code).toBe('GRAPHQL_VALIDATION_FAILED');
});

test('a change is never made by GET', async () => {
  const search = new URLSearchParams({ query: 'mutation { nothing }' });
  const answer = await service.call<{ errors: unknown[] }>(project.service, 'GET', `${project.path}?${search}`);
  expect([answer.status, answer.body.errors]).toMatchObject([405, [{ extensions: { code: 'METHOD_NOT_ALLOWED' } }]]);
  const read = new URLSearchParams({ query: '{ add(args: { a: 1, b: 1 }) }' });
  expect((await service.call(project.service, 'GET', `${project.path}?${read}`)).body).toEqual({ data: { add: 2 } });
});

test('more rows than are answered at once are refused by name, and a change of them is undone', async () => {
  await project.sql(`create table many (id int primary key, n int not null default 0); grant all on many to service_role;
    insert into many select generate_series(1, 10001);
    create function numbers() returns setof int language sql stable as 'select id from many'`);
  const { errors } = await all('mutation { updateMany(set: { n: 1 }, where: {}) { affectedCount rows { id } } }');
  expect(errors).toMatchObject([
    { path: ['updateMany'], extensions: { code: 'RESULT_TOO_LARGE', details: { limit_rows: 10_000 } } },
  ]);
  expect(dataOf(await all('{ many(where: { n: { eq: 1 } }) { totalCount } }')).many.totalCount).toBe(0);
  expect((await all('{ numbers }')).errors?.[0]?.extensions.code).toBe('RESULT_TOO_LARGE');
  const counted = dataOf(await all('mutation { updateMany(set: { n: 1 }, where: {}) { affectedCount } }'));
  expect(counted.updateMany.affectedCount).toBe(10_001);
});
