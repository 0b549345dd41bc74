import { afterAll, beforeEach, expect, test } from 'vitest';
import { sharedService } from '../helpers/shared-service.ts';
import { prefer, rowsProject } from './rows-project.ts';

const words = ['limit', 'offset', 'order', 'select', 'columns', 'on_conflict', 'or', 'and'] as const;

const service = await sharedService();
const project = await rowsProject(
  service,
  `create table owners (id int primary key, name text);
   create table plans (id int primary key, owner int references owners, doc jsonb,
     ${words.map((word) => `"${word}" text`).join(', ')});
   create function echoed(${words.map((word) => `"${word}" text default null`).join(', ')}) returns text language sql stable
     as $$ select concat_ws(',', ${words.map((word) => `"${word}"`).join(', ')}) $$;
   create function plans_upto("limit" int) returns setof plans language sql stable
     as $$ select * from plans where id <= plans_upto."limit" $$;
   create function all_plans() returns setof plans language sql stable as $$ select * from plans $$;`,
);
afterAll(async () => {
  await project.end();
  await service.stop();
});

beforeEach(async () => {
  await project.sql(`truncate plans, owners; insert into owners values (1, 'ada'), (2, 'bob');
    insert into plans (id, owner, ${words.map((word) => `"${word}"`).join(', ')})
    select n, 1 + n % 2, ${words.map(() => 'n::text').join(', ')} from generate_series(1, 4) n`);
});

const { admin } = project;
const full = prefer('return=representation');
const ids = async () => (await project.sql<{ id: number }>('select id from plans order by id')).map(({ id }) => id);
const untouched = async () =>
  (await project.sql<{ doc: unknown }>('select doc from plans')).filter(({ doc }) => doc === null).length;

interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

const values = ['eq.4', 'lt.0', 'not.eq.1', '', ' ', '1.5', '1e3', 'NaN', 'undefined', 'null', '0x10', '٣', '1,2'];

test.each(['limit', 'offset'])(
  'a value of %s that is no whole number is refused, in a read and in a change',
  async (name) => {
    for (const value of values) {
      const path = `plans?id=gt.0&${name}=${encodeURIComponent(value)}`;
      for (const [method, options] of [
        ['GET', {}],
        ['HEAD', {}],
        ['DELETE', {}],
        ['PATCH', { body: { doc: {} } }],
      ] as const) {
        const answer = await admin<Refusal>(method, path, options);
        expect([answer.status, path]).toEqual([400, path]);
        if (method !== 'HEAD') expect(answer.body.code).toBe('PGRST100');
      }
    }
    const embedded = await admin<Refusal>('GET', `owners?select=id,plans(id)&plans.${name}=eq.1`);
    expect(embedded).toMatchObject({
      status: 400,
      body: { code: 'PGRST100', hint: expect.stringContaining(`"${name}"`) },
    });
    expect(await admin('GET', `rpc/all_plans?${name}=eq.1`)).toMatchObject({ status: 400, body: { code: 'PGRST100' } });
    expect(await ids()).toEqual([1, 2, 3, 4]);
    expect(await untouched()).toBe(4);
  },
);

test('a whole number is read with the spaces around it and whatever its length', async () => {
  expect((await admin<unknown[]>('GET', 'plans?limit=%202%20')).body).toHaveLength(2);
  expect((await admin<unknown[]>('GET', `plans?limit=${'9'.repeat(30)}`)).body).toHaveLength(4);
});

test.each(words)('a column named %s is meant when its name is quoted', async (word) => {
  const at = (value: string, by = `%22${word}%22`) => `plans?${by}=eq.${value}`;
  expect((await admin<{ id: number }[]>('GET', `${at('2')}&select=id`)).body).toEqual([{ id: 2 }]);
  const changed = await admin<{ id: number }[]>('PATCH', `${at('2')}&select=id`, { body: { doc: {} }, ...full });
  expect(changed.body).toEqual([{ id: 2 }]);
  expect((await admin('DELETE', at('3', `"${word}"`))).status).toBe(204);
  expect(await ids()).toEqual([1, 2, 4]);
});

test.each(words)('an unquoted %s with a condition changes nothing', async (word) => {
  for (const condition of ['eq.3', 'is.null', 'in.(3,4)', 'lt.3', 'not.eq.3'])
    for (const method of ['DELETE', 'PATCH']) {
      const options = method === 'PATCH' ? { body: { doc: {} } } : {};
      const answer = await admin<Refusal>(method, `plans?${word}=${condition}`, options);
      expect([answer.status, word, condition]).toEqual([400, word, condition]);
      expect((await admin(method, `plans?id=gt.0&${word}=${condition}`, options)).status).toBe(400);
    }
  expect(await ids()).toEqual([1, 2, 3, 4]);
  expect(await untouched()).toBe(4);
});

test.each([
  ['a part without a value', 'id', {}],
  ['a part without a value beside a condition', 'id=eq.1&owner', {}],
  ['an order and a limit', 'order=id&limit=1', {}],
  ['a limit beside a condition', 'id=gt.0&limit=1', {}],
  ['a limit where the rows are answered', 'id=gt.0&limit=1', { prefer: 'return=representation' }],
  ['an offset', 'id=gt.0&offset=2', {}],
  ['an order of rows that are not answered', 'id=gt.0&order=id', {}],
  ['a range', 'id=gt.0', { range: '0-0' }],
  ['a range with its unit', 'id=gt.0', { range: 'items=0-0', 'range-unit': 'items' }],
  ['a range without a condition', '', { range: '0-0' }],
  ['a condition on an embedded relation', 'select=id,owners(name)&owners.name=eq.bob', {}],
  [
    'a condition on an embedded relation alone',
    'select=id,owners(name)&owners.name=eq.bob',
    { prefer: 'return=representation' },
  ],
  ['an inner join', 'id=gt.0&select=id,owners!inner(name)&owners.name=eq.bob', { prefer: 'return=representation' }],
  ['a path that leads nowhere', 'doc->>a.limit=1', {}],
  ['a conflict target', 'id=gt.0&on_conflict=id', {}],
] as const)('PATCH and DELETE refuse %s, with a hint', async (_case, search, headers) => {
  const deleted = await admin<Refusal>('DELETE', `plans?${search}`, { headers });
  const changed = await admin<Refusal>('PATCH', `plans?${search}`, { headers, body: { doc: {} } });
  for (const { status, body } of [deleted, changed])
    expect([status, body.code, body.hint]).toEqual([400, 'PGRST100', expect.any(String)]);
  expect(await ids()).toEqual([1, 2, 3, 4]);
  expect(await untouched()).toBe(4);
});

test('DELETE takes no columns of a body', async () => {
  expect(await admin('DELETE', 'plans?id=gt.0&columns=id')).toMatchObject({ status: 400, body: { code: 'PGRST100' } });
  expect(await ids()).toEqual([1, 2, 3, 4]);
});

test('parts that shape the answer of a change still do', async () => {
  const path = 'plans?id=lt.3&select=id,owners(name)&owners.name=eq.bob&order=id.desc&';
  expect((await admin('PATCH', path, { body: { doc: {} }, ...full })).body).toEqual([
    { id: 2, owners: null },
    { id: 1, owners: { name: 'bob' } },
  ]);
  expect((await admin('PATCH', 'plans?order=id.desc&select=id', { body: { doc: {} }, ...full })).body).toEqual(
    [4, 3, 2, 1].map((id) => ({ id })),
  );
  expect((await admin('PATCH', 'plans?id=eq.1&columns=doc', { body: { doc: {}, id: 9 } })).status).toBe(204);
});

test.each([
  ['select', 'select=id&select=eq.b'],
  ['order', 'order=id&order=owner'],
  ['limit', 'limit=1&limit=2'],
  ['offset', 'offset=1&offset=2'],
])('%s given twice is refused', async (name, search) => {
  const answer = await admin<Refusal>('GET', `plans?${search}`);
  expect(answer).toMatchObject({ status: 400, body: { code: 'PGRST100', hint: expect.stringContaining(`"${name}"`) } });
});

test.each([
  ['columns', 'columns=id&columns=owner'],
  ['on_conflict', 'on_conflict=id&on_conflict=owner'],
])('%s given twice is refused', async (_name, search) => {
  expect(await admin('POST', `plans?${search}`, { body: { id: 9 } })).toMatchObject({
    status: 400,
    body: { code: 'PGRST100' },
  });
  expect(await ids()).toEqual([1, 2, 3, 4]);
});

test('windows and orders of several relations are no repetition', async () => {
  const path = 'owners?select=id,plans(id)&order=id&limit=1&plans.order=id.desc&plans.limit=1';
  expect((await admin('GET', path)).body).toEqual([{ id: 1, plans: [{ id: 4 }] }]);
});

test.each(words)('a function by GET takes an argument named %s, as by POST', async (word) => {
  const posted = await admin('POST', 'rpc/echoed', { body: { [word]: '7' } });
  expect(posted).toMatchObject({ status: 200, body: '7' });
  expect(await admin('GET', `rpc/echoed?${word}=7`)).toMatchObject({ status: 200, body: '7' });
  expect(await admin('GET', `rpc/echoed?%22${word}%22=7`)).toMatchObject({ status: 200, body: '7' });
});

test('a function that takes no such argument keeps the parameters of its rows', async () => {
  expect((await admin('GET', 'rpc/all_plans?select=id&order=id.desc&limit=1')).body).toEqual([{ id: 4 }]);
  expect((await admin('GET', 'rpc/plans_upto?limit=3&order=id.desc&"limit"=eq.2')).body).toMatchObject([{ id: 2 }]);
});
