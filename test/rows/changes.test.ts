import { afterAll, beforeEach, expect, test } from 'vitest';
import { startService } from '../helpers/service.ts';
import { prefer, rowsProject } from './rows-project.ts';

const service = await startService();
const project = await rowsProject(
  service,
  `create table items (id int primary key, name text default 'unnamed', size int default 7, twice int generated always as (size * 2) stored);
   create table pairs (a int, b int, note text, primary key (a, b));
   create table codes (id serial primary key, code text unique, used int default 0);
   create table plain (a text, b text);
   create table lines (id int primary key, item_id int references items deferrable initially deferred);
   create view shown as select id, name from items;
   create table exact (n numeric, big bigint, fixed char(3), bits bit(4));`,
);
afterAll(async () => {
  await project.end();
  await service.stop();
});

beforeEach(async () => {
  await project.sql(`truncate items, pairs, codes, plain, lines, exact restart identity cascade;
    insert into items values (1, 'one', 1), (2, 'two', 2), (3, 'three', 3);
    insert into pairs values (1, 1, 'x'), (1, 2, 'y');
    insert into codes (code) values ('first')`);
});

const { admin } = project;
const full = prefer('return=representation');
const names = async () =>
  (await admin<{ name: string }[]>('GET', 'items?select=name&order=id')).body.map((row) => row.name);
const range = (answer: { headers: Headers }) => answer.headers.get('content-range');
const applied = (answer: { headers: Headers }) => answer.headers.get('preference-applied');

test('an insert answers 201 and nothing, or the row, or where it is', async () => {
  const minimal = await admin('POST', 'items', { body: { id: 4, name: 'four' } });
  expect([minimal.status, minimal.text, range(minimal), applied(minimal)]).toEqual([201, '', '*/*', null]);
  const row = await admin('POST', 'items', { body: { id: 5, name: 'five' }, ...full });
  expect([row.status, row.body]).toEqual([201, [{ id: 5, name: 'five', size: 7, twice: 14 }]]);
  expect(applied(row)).toBe('return=representation');
  const headers = await admin('POST', 'pairs', { body: { a: 8, b: 9 }, ...prefer('return=headers-only') });
  expect([headers.status, headers.text]).toEqual([201, '']);
  expect(headers.headers.get('location')).toBe('/admin/v1/rest/pairs?a=eq.8&b=eq.9');
});

test('an array inserts all of its rows, in one statement and or not at all', async () => {
  const rows = [
    { id: 7, name: 'a' },
    { id: 8, name: 'b' },
  ];
  const sent = await service.statements(() => admin('POST', 'items', { body: rows }));
  expect(sent.filter((text) => text.includes('insert into "public"'))).toHaveLength(1);
  expect(await names()).toEqual(['one', 'two', 'three', 'a', 'b']);
  expect(
    (
      await admin('POST', 'items', {
        body: [
          { id: 9, name: 'c' },
          { id: 1, name: 'again' },
        ],
      })
    ).status,
  ).toBe(409);
  expect(await names()).toEqual(['one', 'two', 'three', 'a', 'b']);
  expect(await admin('POST', 'items', { body: [], ...full })).toMatchObject({ status: 201, body: [] });
});

test('what is inserted comes back as it was selected, embedded rows too', async () => {
  const answer = await admin('POST', 'lines?select=line:id::text,items(name)', {
    body: { id: 1, item_id: 2 },
    ...full,
  });
  expect(answer.body).toEqual([{ line: '1', items: { name: 'two' } }]);
  const counted = await admin('POST', 'items?select=id', {
    body: [{ id: 6 }, { id: 7 }],
    ...prefer('return=representation', 'count=exact'),
  });
  expect([counted.body, range(counted), applied(counted)]).toEqual([
    [{ id: 6 }, { id: 7 }],
    '*/2',
    'return=representation, count=exact',
  ]);
});

test('an object without members takes every default', async () => {
  expect(await admin('POST', 'codes', { body: {}, ...full })).toMatchObject({
    status: 201,
    body: [{ id: 2, code: null, used: 0 }],
  });
  expect(await admin('POST', 'codes', { body: [{}, {}], ...full })).toMatchObject({ body: [{ id: 3 }, { id: 4 }] });
});

test('members that are absent are null, or the default where that is preferred', async () => {
  const rows = [
    { id: 7, name: 'a' },
    { id: 8, size: 9 },
  ];
  const path = 'items?columns=id,name,size&select=id,name,size';
  expect((await admin('POST', path, { body: rows, ...full })).body).toEqual([
    { id: 7, name: 'a', size: null },
    { id: 8, name: null, size: 9 },
  ]);
  await project.sql('delete from items where id > 6');
  const missing = await admin('POST', path, { body: rows, ...prefer('return=representation', 'missing=default') });
  expect(missing.body).toEqual([
    { id: 7, name: 'a', size: 7 },
    { id: 8, name: 'unnamed', size: 9 },
  ]);
  expect(applied(missing)).toBe('missing=default, return=representation');
  const one = await admin('POST', 'codes?columns=id,code&select=id', {
    body: { code: 'x' },
    ...prefer('return=representation', 'missing=default'),
  });
  expect(one.body).toEqual([{ id: 2 }]);
});

test('only the columns that are named are written', async () => {
  const body = { id: 9, name: 'kept', size: 99 };
  expect((await admin('POST', 'items?columns=id,name&select=name,size', { body, ...full })).body).toEqual([
    { name: 'kept', size: 7 },
  ]);
});

test('numbers keep all their digits, and texts their blanks', async () => {
  const body = '[{"n":0.12345678901234567890123456789,"big":9223372036854775807,"fixed":"ab","bits":"1010"}]';
  const answer = await admin('POST', 'exact', { body, ...full });
  expect(answer.text).toBe(
    '[{"n":0.12345678901234567890123456789,"big":9223372036854775807,"fixed":"ab ","bits":"1010"}]',
  );
  expect((await admin('POST', 'exact', { body: { fixed: 'abcd' } })).status).toBe(400);
});

test('rows come in as CSV and as a form', async () => {
  const csv = { body: 'id,name,size\n7,"a ""b"", c",1\n8,NULL,2\n', headers: { 'content-type': 'text/csv' } };
  expect((await admin('POST', 'items', csv)).status).toBe(201);
  expect((await admin('GET', 'items?id=gt.6&select=id,name&order=id')).body).toEqual([
    { id: 7, name: 'a "b", c' },
    { id: 8, name: null },
  ]);
  const form = { body: 'id=9&name=a+b%26c', headers: { 'content-type': 'application/x-www-form-urlencoded' } };
  expect((await admin('POST', 'items', form)).status).toBe(201);
  expect((await admin('GET', 'items?id=eq.9&select=name')).body).toEqual([{ name: 'a b&c' }]);
});

test.each([
  ['what is no JSON', '}{', 'PGRST102', 400],
  ['nothing', '', 'PGRST102', 400],
  ['rows of different members', '[{"id":7},{"id":8,"name":"x"}]', 'PGRST102', 400],
  ['a row that is none', '[1]', 'PGRST102', 400],
  ['a column that is not there', '{"id":7,"nothing":1}', 'PGRST204', 400],
  ['a value of another type', '{"id":"seven"}', '22P02', 400],
  ['a key that is taken', '{"id":1}', '23505', 409],
  ['a key without a value', '{"name":"x"}', '23502', 400],
  ['a generated column', '{"id":7,"twice":3}', '428C9', 400],
  ['bytes that are no text', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), 'PGRST102', 400],
])('a body of %s is refused', async (_case, body, code, status) => {
  const answer = await admin('POST', 'items', { body, headers: { 'content-type': 'application/json' } });
  expect([answer.status, (answer.body as { code: string }).code]).toEqual([status, code]);
});

test('a reference to nothing is 409, also when it is checked at the end alone', async () => {
  expect(await admin('POST', 'lines', { body: { id: 1, item_id: 99 }, ...full })).toMatchObject({
    status: 409,
    body: { code: '23503' },
  });
  expect((await admin('GET', 'lines')).body).toEqual([]);
});

test('a media type that is not read is PGRST102', async () => {
  const answer = await admin('POST', 'items', { body: '<a/>', headers: { 'content-type': 'application/xml' } });
  expect(answer).toMatchObject({
    status: 400,
    body: { code: 'PGRST102', message: 'Content-Type not acceptable: application/xml' },
  });
});

test('an upsert merges rows that are there: 201 when any is new, else 200', async () => {
  const merge = prefer('resolution=merge-duplicates', 'return=representation');
  const mixed = await admin('POST', 'items?select=id,name', {
    body: [
      { id: 1, name: 'eins' },
      { id: 9, name: 'neun' },
    ],
    ...merge,
  });
  expect([mixed.status, mixed.body]).toEqual([
    201,
    [
      { id: 1, name: 'eins' },
      { id: 9, name: 'neun' },
    ],
  ]);
  expect(applied(mixed)).toBe('resolution=merge-duplicates, return=representation');
  const all = await admin('POST', 'items', {
    body: [{ id: 1, name: 'uno' }],
    ...prefer('resolution=merge-duplicates'),
  });
  expect([all.status, all.text, (await names())[0]]).toEqual([200, '', 'uno']);
});

test('an upsert by other columns, and one that leaves what is there alone', async () => {
  const merged = await admin('POST', 'codes?on_conflict=code&select=id,used', {
    body: [
      { code: 'first', used: 5 },
      { code: 'second', used: 6 },
    ],
    ...prefer('resolution=merge-duplicates', 'return=representation'),
  });
  expect([merged.status, merged.body]).toMatchObject([201, [{ id: 1, used: 5 }, { used: 6 }]]);
  const ignored = await admin('POST', 'items', {
    body: [
      { id: 1, name: 'other' },
      { id: 9, name: 'nine' },
    ],
    ...prefer('resolution=ignore-duplicates', 'return=representation'),
  });
  expect([ignored.status, ignored.body]).toMatchObject([201, [{ id: 9 }]]);
  expect((await names())[0]).toBe('one');
  expect(
    await admin('POST', 'codes?on_conflict=used', { body: { used: 1 }, ...prefer('resolution=merge-duplicates') }),
  ).toMatchObject({ status: 400, body: { code: '42P10' } });
});

test('PUT replaces or makes the one row that its address names', async () => {
  const made = await admin('PUT', 'items?id=eq.9', { body: { id: 9, name: 'nine' }, ...full });
  expect([made.status, made.body]).toMatchObject([201, [{ id: 9, name: 'nine' }]]);
  const replaced = await admin('PUT', 'items?id=eq.9', { body: { id: 9, name: 'neun' }, ...full });
  expect([replaced.status, replaced.body]).toMatchObject([200, [{ name: 'neun' }]]);
  expect((await admin('PUT', 'pairs?a=eq.1&b=eq.2', { body: { a: 1, b: 2, note: 'z' } })).status).toBe(204);
});

test.each([
  ['another key than the body', 'items?id=eq.8', 400, 'PGRST115'],
  ['no key', 'items', 405, 'PGRST105'],
  ['more than the key', 'items?id=eq.9&name=eq.x', 405, 'PGRST105'],
  ['another operator', 'items?id=gt.8', 405, 'PGRST105'],
  ['logic', 'items?and=(id.eq.9)', 405, 'PGRST105'],
  ['a part of a key', 'pairs?a=eq.9', 405, 'PGRST105'],
  ['a page', 'items?id=eq.9&limit=1', 400, 'PGRST114'],
  ['a table without a key', 'plain?a=eq.9', 405, 'PGRST105'],
])('PUT to %s is refused and changes nothing', async (_case, path, status, code) => {
  const body = path.startsWith('items') ? { id: 9, name: 'x' } : { a: 9, b: 9 };
  expect(await admin('PUT', path, { body })).toMatchObject({ status, body: { code } });
  expect(await names()).toEqual(['one', 'two', 'three']);
});

test('PATCH changes the rows that its filters choose', async () => {
  const minimal = await admin('PATCH', 'items?id=eq.1', { body: { name: 'eins' } });
  expect([minimal.status, minimal.text, range(minimal)]).toEqual([204, '', '0-0/*']);
  const rows = await admin('PATCH', 'items?or=(id.eq.2,id.eq.3)&select=id,name&order=id.desc', {
    body: { name: 'same' },
    ...prefer('return=representation', 'count=exact'),
  });
  expect([rows.status, rows.body, range(rows)]).toEqual([
    200,
    [
      { id: 3, name: 'same' },
      { id: 2, name: 'same' },
    ],
    '0-1/2',
  ]);
  const none = await admin('PATCH', 'items?id=eq.99', { body: { name: 'x' }, ...full });
  expect([none.status, none.body, range(none)]).toEqual([200, [], '*/*']);
  expect((await admin('PATCH', 'items?id=eq.1', { body: {} })).status).toBe(204);
  expect(await names()).toEqual(['eins', 'same', 'same']);
});

test('a change can be made through a view', async () => {
  expect(await admin('PATCH', 'shown?id=eq.1', { body: { name: 'seen' }, ...full })).toMatchObject({
    status: 200,
    body: [{ id: 1, name: 'seen' }],
  });
});

test('DELETE removes the rows that its filters choose', async () => {
  expect((await admin('DELETE', 'items?id=eq.1')).status).toBe(204);
  const rows = await admin('DELETE', 'items?id=lt.3&select=name', prefer('return=representation', 'count=exact'));
  expect([rows.status, rows.body, range(rows)]).toEqual([200, [{ name: 'two' }], '*/1']);
  expect((await admin('DELETE', 'items?id=eq.99', full)).body).toEqual([]);
});

test('a change of every row is for the service key alone', async () => {
  await project.sql('grant select, update, delete on items to anon');
  expect(await project.open('PATCH', 'items', { body: { name: 'all' } })).toMatchObject({
    status: 400,
    body: { code: '21000', message: 'UPDATE requires a WHERE clause' },
  });
  expect(await project.open('DELETE', 'items')).toMatchObject({
    status: 400,
    body: { code: '21000', message: 'DELETE requires a WHERE clause' },
  });
  expect(await names()).toEqual(['one', 'two', 'three']);
  expect((await admin('PATCH', 'items', { body: { name: 'all' } })).status).toBe(204);
  expect(await names()).toEqual(['all', 'all', 'all']);
});

test('a change of another number of rows than one is undone when one is asked for', async () => {
  const object = { accept: 'application/vnd.pgrst.object+json' };
  const two = await admin('PATCH', 'items?id=lt.3', { body: { name: 'x' }, headers: { ...object, ...full.headers } });
  expect(two).toMatchObject({ status: 406, body: { code: 'PGRST116', details: 'The result contains 2 rows' } });
  expect((await admin('DELETE', 'items?id=lt.3', { headers: object })).status).toBe(406);
  expect((await admin('POST', 'items', { body: [{ id: 8 }, { id: 9 }], headers: object })).status).toBe(406);
  expect(await names()).toEqual(['one', 'two', 'three']);
  const one = await admin('PATCH', 'items?id=eq.3&select=name', {
    body: { name: 'x' },
    headers: { ...object, ...full.headers },
  });
  expect([one.status, one.body]).toEqual([200, { name: 'x' }]);
});

test('a change of more rows than preferred is undone when the handling is strict', async () => {
  const strict = prefer('handling=strict', 'max-affected=1');
  expect(await admin('DELETE', 'items?id=lt.3', strict)).toMatchObject({
    status: 400,
    body: { code: 'PGRST124', details: 'The query affects 2 rows' },
  });
  expect(await names()).toEqual(['one', 'two', 'three']);
  const within = await admin('DELETE', 'items?id=eq.3', strict);
  expect([within.status, applied(within)]).toEqual([204, 'handling=strict, max-affected=1']);
  expect((await admin('DELETE', 'items?id=lt.3', prefer('handling=lenient', 'max-affected=1'))).status).toBe(204);
});

test('twenty callers who upsert the same key leave one row', async () => {
  const body = { code: 'race', used: 1 };
  const options = { body, ...prefer('resolution=merge-duplicates') };
  const answers = await Promise.all(Array.from({ length: 20 }, () => admin('POST', 'codes?on_conflict=code', options)));
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(19).fill(200), 201]);
  expect((await admin<unknown[]>('GET', 'codes?code=eq.race')).body).toHaveLength(1);
});
