import { afterAll, expect, test } from 'vitest';
import { sharedService } from '../helpers/shared-service.ts';
import { prefer, rowsProject } from './rows-project.ts';

const service = await sharedService();
const project = await rowsProject(
  service,
  `create table items (id int primary key, name text, note text);
   insert into items select n, 'item ' || n, case when n % 2 = 0 then 'even' end from generate_series(1, 5) n;
   create table heaps (id int primary key);
   insert into heaps select generate_series(1, 12000);
   create table quotes (id int, words text);
   insert into quotes values (1, 'a,b'), (2, 'say "hi"'), (3, E'two\\nlines'), (4, 'back\\slash'), (5, null), (6, 'plain');
   create table nothing (id int primary key);
   create table moments (at timestamptz);
   insert into moments values ('2024-06-01 12:00:00Z');
   analyze;`,
);
afterAll(async () => {
  await project.end();
  await service.stop();
});

const range = (answer: { headers: Headers }) => answer.headers.get('content-range');
const object = { headers: { accept: 'application/vnd.pgrst.object+json' } };

test.each([
  ['nothing', 'items', {}, '0-4/*', 5],
  ['limit', 'items?limit=2', {}, '0-1/*', 2],
  ['limit and offset', 'items?limit=2&offset=3', {}, '3-4/*', 2],
  ['a limit of nothing', 'items?limit=0', {}, '*/*', 0],
  ['a range', 'items', { 'range-unit': 'items', range: '1-2' }, '1-2/*', 2],
  ['a range without an end', 'items', { range: '3-' }, '3-4/*', 2],
  ['a range inside a limit', 'items?limit=4', { range: '0-1' }, '0-1/*', 2],
  ['what is no range', 'items', { range: 'bytes=0-1' }, '0-4/*', 5],
  ['an offset below zero', 'items?offset=-3', {}, '0-4/*', 5],
])('a page by %s', async (_case, path, headers, expected, rows) => {
  const answer = await project.admin<unknown[]>('GET', path, { headers: headers as Record<string, string> });
  expect([answer.status, range(answer), answer.body.length]).toEqual([200, expected, rows]);
});

test('a counted page is 206, the whole is 200, and HEAD tells the same without a body', async () => {
  const part = await project.admin('GET', 'items?limit=2&offset=1', prefer('count=exact'));
  expect([part.status, range(part), part.headers.get('preference-applied')]).toEqual([206, '1-2/5', 'count=exact']);
  const whole = await project.admin('GET', 'items?id=lt.4', prefer('count=exact'));
  expect([whole.status, range(whole)]).toEqual([200, '0-2/3']);
  const head = await project.admin('HEAD', 'items?limit=2', prefer('count=exact'));
  expect([head.status, range(head), head.text]).toEqual([206, '0-1/5', '']);
});

test('a count is of the rows that are left by filters and inner joins', async () => {
  await project.sql(`create table parts (id int primary key, item_id int references items, size int);
    insert into parts values (1, 1, 5), (2, 1, 9), (3, 2, 9); grant select on parts to service_role`);
  const joined = await project.admin('GET', 'items?select=id,parts!inner(id)&parts.size=eq.9', prefer('count=exact'));
  expect(range(joined)).toBe('0-1/2');
  const without = await project.admin('GET', 'items?select=id,parts()&parts=is.null', prefer('count=exact'));
  expect(range(without)).toBe('0-2/3');
  const grouped = await project.admin('GET', 'parts?select=size,count()', prefer('count=exact'));
  expect(range(grouped)).toBe('0-1/2');
});

test('a planned count is the planner’s, an estimated one is exact while rows are few', async () => {
  const planned = await project.admin('GET', 'heaps?limit=1', prefer('count=planned'));
  expect([planned.status, range(planned)]).toEqual([206, '0-0/12000']);
  const few = await project.admin('GET', 'items?limit=1', prefer('count=estimated'));
  expect(range(few)).toBe('0-0/5');
  const many = await project.admin('GET', 'heaps?limit=1', prefer('count=estimated'));
  expect(range(many)).toBe('0-0/12000');
});

test('a list has a thousand rows unless more are asked for, and ten thousand at most', async () => {
  expect(range(await project.admin('GET', 'heaps'))).toBe('0-999/*');
  expect(range(await project.admin('GET', 'heaps?limit=20000'))).toBe('0-9999/*');
  expect(range(await project.admin('GET', 'heaps', { headers: { range: '0-20000' } }))).toBe('0-9999/*');
});

test.each([
  ['a limit below zero', 'items?limit=-1', {}, null],
  ['a range that ends before it begins', 'items', { range: '4-2' }, null],
  ['an offset behind the last row', 'items?offset=9', { prefer: 'count=exact' }, '*/5'],
  ['a page of an empty table', 'nothing?offset=1', { prefer: 'count=exact' }, '*/0'],
])('%s is 416', async (_case, path, headers, expected) => {
  const answer = await project.admin('GET', path, { headers: headers as Record<string, string> });
  expect(answer).toMatchObject({
    status: 416,
    body: { code: 'PGRST103', message: 'Requested range not satisfiable', details: expect.any(String) },
  });
  expect(range(answer)).toBe(expected);
});

test('one row comes as an object, and any other number of rows is 406', async () => {
  expect(await project.admin('GET', 'items?id=eq.1', object)).toMatchObject({
    status: 200,
    body: { id: 1, name: 'item 1', note: null },
  });
  for (const [path, rows] of [
    ['items?id=eq.99', 0],
    ['items', 5],
  ] as const) {
    expect(await project.admin('GET', path, object)).toMatchObject({
      status: 406,
      body: {
        code: 'PGRST116',
        message: 'Cannot coerce the result to a single JSON object',
        details: `The result contains ${rows} rows`,
      },
    });
  }
});

test('members that are null can be left out', async () => {
  const one = { headers: { accept: 'application/vnd.pgrst.object+json;nulls=stripped' } };
  expect((await project.admin('GET', 'items?id=eq.1', one)).body).toEqual({ id: 1, name: 'item 1' });
  const all = { headers: { accept: 'application/vnd.pgrst.array+json;nulls=stripped' } };
  expect((await project.admin('GET', 'items?id=lte.2&select=id,note&order=id', all)).body).toEqual([
    { id: 1 },
    { id: 2, note: 'even' },
  ]);
});

test('rows come as CSV that reads back as it was', async () => {
  const answer = await project.admin('GET', 'quotes?order=id', { headers: { accept: 'text/csv' } });
  expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(answer.text).toBe('id,words\n1,"a,b"\n2,"say ""hi"""\n3,"two\nlines"\n4,"back\\slash"\n5,\n6,plain');
  expect((await project.admin('GET', 'nothing', { headers: { accept: 'text/csv' } })).text).toBe('');
});

test('the first format that can be given is chosen by weight', async () => {
  const csv = { headers: { accept: 'image/png, application/json;q=0.1, text/csv;q=0.9' } };
  expect((await project.admin('GET', 'items', csv)).headers.get('content-type')).toContain('text/csv');
  expect(await project.admin('GET', 'items', { headers: { accept: 'image/png' } })).toMatchObject({
    status: 406,
    body: { code: 'PGRST107', message: 'None of these media types are available: image/png' },
  });
});

test.each([
  ['asc', 'note.asc,id', [2, 4, 1, 3, 5]],
  ['desc', 'note.desc,id', [1, 3, 5, 2, 4]],
  ['nulls first', 'note.asc.nullsfirst,id.desc', [5, 3, 1, 4, 2]],
  ['nulls last', 'note.desc.nullslast,id', [2, 4, 1, 3, 5]],
  ['nulls alone', 'note.nullsfirst,id', [1, 3, 5, 2, 4]],
])('rows are ordered by %s', async (_case, order, expected) => {
  const { body } = await project.admin<{ id: number }[]>('GET', `items?select=id&order=${order}`);
  expect(body.map(({ id }) => id)).toEqual(expected);
});

test('times are written in the time zone that is preferred, and in that request alone', async () => {
  const there = await project.admin('GET', 'moments', prefer('timezone=America/New_York'));
  expect(there.body).toEqual([{ at: '2024-06-01T08:00:00-04:00' }]);
  expect(there.headers.get('preference-applied')).toBe('timezone=America/New_York');
  expect((await project.admin('GET', 'moments')).body).toEqual([{ at: '2024-06-01T12:00:00+00:00' }]);
  expect((await project.admin('GET', 'moments', prefer('timezone=Mars/Base'))).status).toBe(400);
});

test('preferences that are not known are let pass, unless the handling is strict', async () => {
  const lenient = await project.admin('GET', 'items', prefer('handling=lenient', 'anything'));
  expect([lenient.status, lenient.headers.get('preference-applied')]).toEqual([200, 'handling=lenient']);
  expect(await project.admin('GET', 'items', prefer('handling=strict', 'anything', 'count=exact'))).toMatchObject({
    status: 400,
    body: { code: 'PGRST122', details: 'Invalid preferences: anything' },
  });
});

test('a transaction that is to be rolled back is refused, and not kept by mistake', async () => {
  const answer = await project.admin('POST', 'nothing', { body: { id: 1 }, ...prefer('tx=rollback') });
  expect(answer).toMatchObject({ status: 400, body: { code: 'PGRST122' } });
  expect((await project.admin('GET', 'nothing')).body).toEqual([]);
});

test('a result that would not fit into memory is refused by its size, and a change that would give it is undone', async () => {
  await project.sql(`create table big (id int primary key, text text);
    insert into big select n, repeat('x', 1000000) from generate_series(1, 20) n; grant all on big to service_role`);
  const refusal = {
    status: 413,
    body: { code: '54000', message: expect.stringContaining('16777216'), hint: expect.any(String) },
  };
  expect(await project.admin('GET', 'big')).toMatchObject(refusal);
  expect(await project.admin('GET', 'big', { headers: { accept: 'text/csv' } })).toMatchObject(refusal);
  expect((await project.admin('GET', 'big?limit=10')).status).toBe(200);
  expect((await project.admin('HEAD', 'big')).status).toBe(200);
  expect(await project.admin('DELETE', 'big', prefer('return=representation'))).toMatchObject(refusal);
  expect((await project.admin<unknown[]>('GET', 'big?select=id')).body).toHaveLength(20);
});
