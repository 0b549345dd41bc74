import { expect, test } from 'vitest';
import type { Column, Table } from '../../clients/console/src/pages/tables/columns.ts';
import { primaryKey } from '../../clients/console/src/pages/tables/columns.ts';
import { CsvFault, faultOf, mappingOf, readCsv } from '../../clients/console/src/pages/tables/csv-rows.ts';
import { filtersFrom, filtersText } from '../../clients/console/src/pages/tables/filters.ts';
import { referencesOf } from '../../clients/console/src/pages/tables/references.ts';
import {
  changeColumnSql,
  dropTableSql,
  insertSql,
  newTableSql,
} from '../../clients/console/src/pages/tables/schema-sql.ts';

const column = (name: string, type: string, more: Partial<Column> = {}): Column => ({
  name,
  type,
  nullable: true,
  defaultValue: null,
  identity: null,
  generated: false,
  enumValues: null,
  ...more,
});

const table = (name: string, definitions: readonly (readonly [type: string, definition: string])[]): Table => ({
  name,
  rlsEnabled: true,
  rowEstimate: null,
  columns: [],
  constraints: definitions.map(([type, definition], at) => ({ name: `c${at}`, type, definition })),
});

test('keys and references with names of any kind are read', () => {
  const books = table('books', [
    ['PRIMARY KEY', 'PRIMARY KEY ("b.c", "a ""key""", plain)'],
    ['FOREIGN KEY', 'FOREIGN KEY (author_id) REFERENCES authors(id) ON DELETE CASCADE'],
    ['FOREIGN KEY', 'FOREIGN KEY ("x, (y)", z) REFERENCES other."Odd (1) ""name"""("p,q", r) MATCH FULL'],
  ]);
  expect(primaryKey(books)).toEqual(['b.c', 'a "key"', 'plain']);
  expect(referencesOf(books)).toEqual([
    { from: 'books', columns: ['author_id'], to: 'authors', targets: ['id'] },
    { from: 'books', columns: ['x, (y)', 'z'], to: 'Odd (1) "name"', targets: ['p,q', 'r'] },
  ]);
});

test('SQL quotes every name, and text with quotes and backslashes', () => {
  const draft = { name: 'Größe "x"', type: 'numeric(10,2)', nullable: false, defaultValue: ' 1.5 ' };
  expect(newTableSql('my"table; drop', [draft], true)).toBe(
    'create table "my""table; drop" (\n  "id" bigint generated always as identity primary key,\n' +
      '  "Größe ""x""" numeric(10,2) not null default 1.5\n);\n' +
      'alter table "my""table; drop" enable row level security;',
  );
  expect(dropTableSql('שולחן')).toBe('drop table "שולחן";');
  expect(
    insertSql(
      't',
      ['a', 'b"c'],
      [
        ["it's", null],
        ['back\\slash', ''],
      ],
    ),
  ).toBe(`insert into "t" ("a", "b""c") values\n('it''s', null),\n(E'back\\\\slash', '');`);
});

test('a changed column gets statements for what differs alone, and its new name last', () => {
  const old = column('price', 'integer', { defaultValue: '0' });
  const same = { name: 'price', type: 'integer', nullable: true, defaultValue: '0' };
  expect(changeColumnSql('t', old, same)).toBe('');
  expect(changeColumnSql('t', old, { name: 'cost', type: 'text', nullable: false, defaultValue: '' })).toBe(
    'alter table "t" alter column "price" type text using "price"::text;\n' +
      'alter table "t" alter column "price" drop default;\n' +
      'alter table "t" alter column "price" set not null;\n' +
      'alter table "t" rename column "price" to "cost";',
  );
});

test('filters come back from the address, and what does not fit the table is left out', () => {
  const columns = [column('a "b"', 'text'), column('doc', 'json')];
  const filters = [{ column: 'a "b"', operator: 'contains', value: 'x,"y"' }];
  expect(filtersFrom(filtersText(filters), columns)).toEqual(filters);
  expect(filtersFrom('[["gone","eq","1"],["doc","eq","{}"],["doc","null",""],["a",2,3]]', columns)).toEqual([
    { column: 'doc', operator: 'null', value: '' },
  ]);
  expect(filtersFrom('no list', columns)).toEqual([]);
});

test('a file keeps its text, and each row the line that it begins at', async () => {
  const { names, rows } = await readCsv('\ufeffid,Note\r\n007,"two\nlines"\r\n\r\n8,"a ""b"""\r\n');
  expect(names).toEqual(['id', 'Note']);
  expect(rows).toEqual([
    { line: 2, cells: ['007', 'two\nlines'] },
    { line: 5, cells: ['8', 'a "b"'] },
  ]);
  expect(mappingOf([' NOTE', 'other'], [column('note', 'text')])).toEqual(['note', null]);
  await expect(readCsv('a,b\n1\n')).rejects.toThrow(new CsvFault('Line 2 has 1 cells, and the header has 2.'));
  await expect(readCsv('')).rejects.toThrow(CsvFault);
});

test.each([
  [column('n', 'integer'), 'many', 'no integer'],
  [column('n', 'bigint'), '9007199254740993', undefined],
  [column('b', 'boolean'), 'maybe', 'no boolean'],
  [column('u', 'uuid'), '1', 'no uuid'],
  [column('j', 'jsonb'), '{half', 'no JSON'],
  [column('m', 'mood', { enumValues: ['glad'] }), 'sad', 'no value of mood'],
  [column('t', 'text'), 'anything', undefined],
])('%j takes %j: %s', (one, text, fault) => {
  expect(faultOf(one, text)).toBe(fault);
});
