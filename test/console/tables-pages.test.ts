import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Column } from '../../clients/console/src/pages/tables/columns.ts';
import { isBeginning, pageAddress, type Wanted } from '../../clients/console/src/pages/tables/page-address.ts';
import {
  deleteRows,
  type RowsApi,
  readFirstRows,
  readRows,
  type TextRow,
  updateRow,
  wholeRow,
} from '../../clients/console/src/pages/tables/rows-api.ts';
import { sharedService } from '../helpers/shared-service.ts';

const service = await sharedService();
afterAll(() => service.stop());
const { projectId, serviceKey } = await service.project();
const api: RowsApi = { path: `${service.url}/admin/v1/rest`, apikey: serviceKey };
const signal = new AbortController().signal;

const run = async (sql: string) => {
  const path = `/projects/v1/admin/${projectId}/sql`;
  const answer = await service.call<{ readonly rows: readonly TextRow[] }>(
    service.actors.bearer(serviceKey),
    'POST',
    path,
    { body: { sql } },
  );
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  return answer.body.rows;
};

const column = (name: string, type: string, nullable = true): Column => ({
  name,
  type,
  nullable,
  defaultValue: null,
  identity: null,
  generated: false,
  enumValues: null,
});

const alike: Wanted = {
  columns: [column('id', 'integer', false), column('Odd, "name"', 'text'), column('score', 'integer')],
  key: ['id'],
  order: undefined,
  filters: [],
};
const odd = 'Odd, "name"';

/** Reads all pages, as the grid does when it is scrolled to its end. */
async function allRows(table: string, wanted: Wanted): Promise<readonly TextRow[]> {
  const rows: TextRow[] = [];
  for (;;) {
    const page = await readRows(pageAddress(api, table, wanted, rows.at(-1), { skip: rows.length }), api, signal);
    rows.push(...page);
    if (page.length < 100) return rows;
  }
}

beforeAll(async () => {
  await run(`create table alike (id int primary key, "Odd, ""name""" text, score int);
    insert into alike select n, case n % 3 when 0 then null when 1 then 'sa,me' else 'a "b" \\c' end,
      case when n % 4 = 0 then null else n % 7 end from generate_series(1, 430) n order by md5(n::text);
    create table wide (id int primary key, doc jsonb, plain json, text text);
    insert into wide values (1, jsonb_build_object('x', repeat('y', 1000000)), '{"a": 1}', repeat('é', 40)), (2, '{}', '{}', 'short');
    create table many (id int primary key); insert into many select generate_series(1, 300000); analyze many;
    create table loose (note text); insert into loose select n::text from generate_series(1, 250) n`);
});

test.each([
  ['the key', undefined],
  ['a column with NULL, ascending', { column: odd, descending: false }],
  ['a column with NULL, descending', { column: odd, descending: true }],
  ['a number, descending', { column: 'score', descending: true }],
  ['the key, descending', { column: 'id', descending: true }],
])('each row is on one page, and the pages are in order, by %s', async (_name, order) => {
  const rows = await allRows('alike', { ...alike, order });
  const by =
    order === undefined ? 'id' : `"${order.column.replaceAll('"', '""')}" ${order.descending ? 'desc' : ''}, id`;
  const sorted = await run(`select id::text as key from alike order by ${by}`);
  expect(rows.map(({ id }) => id)).toEqual(sorted.map(({ key }) => key));
});

test('filters hold on every page', async () => {
  const filters = [
    { column: odd, operator: 'contains', value: 'a "b" \\' },
    { column: 'id', operator: 'gt', value: '10' },
    { column: 'score', operator: 'in', value: '1, 2' },
  ];
  const rows = await allRows('alike', { ...alike, filters, order: { column: 'score', descending: false } });
  const expected = await run(
    'select id::text as key from alike where id % 3 = 2 and id > 10 and score in (1, 2) order by score, id',
  );
  expect(rows.map(({ id }) => id)).toEqual(expected.map(({ key }) => key));
  expect(rows.length).toBeGreaterThan(20);
});

test('a table without a key is read to its end', async () => {
  const rows = await allRows('loose', { columns: [column('note', 'text')], key: [], order: undefined, filters: [] });
  expect(new Set(rows.map(({ note }) => note)).size).toBe(250);
});

test('the number of rows is what the planner expects, without counting them', async () => {
  const wanted = { columns: [column('id', 'integer', false)], key: ['id'], order: undefined, filters: [] };
  const { rows, estimate } = await readFirstRows(pageAddress(api, 'many', wanted, undefined), api, signal);
  expect(rows).toHaveLength(100);
  expect(estimate).toBeGreaterThan(200_000);
});

test('a page holds the beginning of a long value, and the row the whole of it', async () => {
  const columns = [
    column('id', 'integer', false),
    column('doc', 'jsonb'),
    column('plain', 'json'),
    column('text', 'text'),
  ];
  const wanted = { columns, key: ['id'], order: undefined, filters: [] };
  const [first, second] = await readRows(pageAddress(api, 'wide', wanted, undefined), api, signal);
  expect(first!.doc!.length).toBeLessThan(100);
  expect(columns.filter(({ name }) => isBeginning(first![name], columns.find((one) => one.name === name)!))).toEqual([
    columns[1],
    columns[3],
  ]);
  expect(columns.filter((one) => isBeginning(second![one.name], one))).toEqual([]);
  const whole = await wholeRow(api, 'wide', { id: '1' }, columns);
  expect([whole!.doc!.length, whole!.text]).toEqual([1_000_009, 'é'.repeat(40)]);
});

test('a change takes effect only while the row is as it was seen, and a repeated one once', async () => {
  const doc = column('doc', 'jsonb');
  const plain = column('plain', 'json');
  const change = (seen: TextRow, values: Map<Column, string | null>) =>
    updateRow(api, 'wide', { id: '2' }, seen, values);
  expect(await change({ doc: '{}' }, new Map([[doc, '{"b": 2}']]))).toBeUndefined();
  // Its answer was lost, so it is sent again.
  expect(await change({ doc: '{}' }, new Map([[doc, '{"b": 2}']]))).toBeUndefined();
  expect(await change({ doc: '{}' }, new Map([[doc, '{"c": 3}']]))).toEqual({ now: { doc: '{"b": 2}' } });
  expect(await change({ doc: '{"b": 2}' }, new Map([[doc, null]]))).toBeUndefined();
  expect(await change({ doc: null }, new Map([[doc, '{"d": 9007199254740993}']]))).toBeUndefined();
  // A type that PostgreSQL cannot compare.
  expect(await change({ plain: '{"other": 1}' }, new Map([[plain, '[]']]))).toEqual({ now: { plain: '{}' } });
  expect(await change({ plain: '{}' }, new Map([[plain, '[1]']]))).toBeUndefined();
  expect(await run('select doc::text, plain::text from wide where id = 2')).toEqual([
    { doc: '{"d": 9007199254740993}', plain: '[1]' },
  ]);
  expect(await updateRow(api, 'wide', { id: '9' }, { doc: null }, new Map([[doc, '1']]))).toEqual({ now: undefined });
});

test('a change of a megabyte names it in no address, and a repeated one is known however it is spelt', async () => {
  const doc = column('doc', 'jsonb');
  const key = { id: '1' };
  const seen = (await wholeRow(api, 'wide', key, [doc]))!;
  expect(await updateRow(api, 'wide', key, { doc: '"not this"' }, new Map([[doc, '1']]))).toEqual({ now: seen });
  const change = () => updateRow(api, 'wide', key, seen, new Map([[doc, '{ "b":1,   "a":2 }']]));
  expect([await change(), await change()]).toEqual([undefined, undefined]);
  expect(await run('select doc::text from wide where id = 1')).toEqual([{ doc: '{"a": 2, "b": 1}' }]);
});

test('rows are deleted by their keys, however many', async () => {
  const keys = Array.from({ length: 60 }, (_key, at) => ({ id: String(at + 1) }));
  expect(await deleteRows(api, 'many', keys)).toBe(60);
  expect(await deleteRows(api, 'many', keys.slice(0, 1))).toBe(0);
  expect(await run('select min(id)::text as least from many')).toEqual([{ least: '61' }]);
});
