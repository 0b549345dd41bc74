import fc from 'fast-check';
import { expect } from 'vitest';
import { RowError } from '../../engines/rows/errors.ts';
import { planRows } from '../../engines/rows/plan-rows.ts';
import type { RowMethod, RowRequest } from '../../engines/rows/request/row-request.ts';
import type { Catalog, CatalogTable } from '../../engines/rows/schema/catalog.ts';
import { schemaCacheOf } from '../../engines/rows/schema/load.ts';

/*
 * What the tests need that no text of a client's becomes SQL: the statement of a request, and what PostgreSQL sees in it.
 */

type Token = '<name>' | '<placeholder>' | string;

/** The tokens of a statement; throws for anything that this program never writes. */
export function tokens(text: string): Token[] {
  const found: Token[] = [];
  const pattern = /"(?:[^"]|"")*"|\$\d+|'(?:[^']|'')*'|[A-Za-z_][A-Za-z0-9_]*|\d+|::|:=|->>|->|[^\sA-Za-z0-9_"'$]|\s+/y;
  while (pattern.lastIndex < text.length) {
    const at = pattern.lastIndex;
    const [token] = pattern.exec(text) ?? [];
    if (token === undefined) throw new Error(`Not to be read at ${at}: ${text.slice(at, at + 40)}`);
    if (token.startsWith('"')) found.push('<name>');
    else if (token.startsWith('$')) found.push('<placeholder>');
    else if (token.trim() !== '') found.push(token);
  }
  return found;
}

export const columns = ['id', 'name', 'data', 'tags', 'parent_id', 'we"ird; drop', "o'clock"];
const tableOf = (oid: number, name: string): CatalogTable => ({
  oid,
  name,
  kind: 'r',
  columns: columns.map((column, index) => ({
    number: index + 1,
    name: column,
    type: column === 'data' ? 'jsonb' : 'text',
    not_null: false,
    default_sql: null,
    generated: false,
    identity: '',
  })),
});

const key = (name: string, kind: 'p' | 'f', table: number, number: number, other = 0) => ({
  name,
  kind,
  table,
  columns: [number],
  column_names: [columns[number - 1]!],
  other,
  other_columns: kind === 'f' ? [1] : null,
  other_names: kind === 'f' ? ['id'] : null,
});

const catalog: Catalog = {
  tables: [tableOf(1, 'items'), tableOf(2, 'parents'), tableOf(3, 'bad"; drop table x; --')],
  keys: [key('items_pk', 'p', 1, 1), key('parents_pk', 'p', 2, 1), key('items_fk', 'f', 1, 5, 2)],
  views: [],
  routines: [
    {
      oid: 9,
      name: 'fn',
      args: [
        { name: 'a', type: 'integer', mode: 'i' },
        { name: 'b\'"', type: 'text', mode: 'i' },
      ],
      defaults: 2,
      returns_set: true,
      returns_rows: true,
      returns_table: 'items',
      returns_void: false,
      volatility: 's',
    },
  ],
  computed: [],
  triggers: false,
  code: false,
};
const cache = schemaCacheOf(catalog);

export interface Shape {
  readonly method: RowMethod;
  readonly kind: 'table' | 'function';
  readonly search: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const documented = /^(PGRST[0-9]{3}|21000|22021)$/;

/** The statement of a request, or the code of its refusal. */
export function statementOf(
  { method, kind, search, body = '', headers = {} }: Shape,
  name = kind === 'table' ? 'items' : 'fn',
) {
  const request: RowRequest = {
    method,
    target: { kind, name },
    search,
    header: (header) => headers[header],
    body: Buffer.from(body),
  };
  try {
    const { statement, estimate } = planRows(request, cache, 'service_role');
    return { texts: [statement.text, ...(estimate === undefined ? [] : [estimate.text])], values: statement.values };
  } catch (error) {
    if (!(error instanceof RowError)) throw error;
    expect(error.code).toMatch(documented);
    return undefined;
  }
}

/** Texts that have broken out of statements before. */
export const nasty = fc.oneof(
  fc.constantFrom(
    "'; drop table items; --",
    '" or 1=1 --',
    '"; select 1; --',
    "\\'; select pg_sleep(9) --",
    '/* */ union select',
    '$1',
    '$$',
    "E'\\'",
    ')) or ((1=1',
    '\u02bc\u2019\u201c\uff07\uff02',
    '\ud83d\ude00',
    '"',
    "'",
    '\\',
    '""',
    "''",
    '--',
    ';',
    '\n',
    '\t',
    '%',
    '*',
    '_',
    '{}',
    '[]',
    'null',
    '',
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: fc.constantFrom(...'"\'\\;-$(){}[],.:*%/ \n\0abc'), maxLength: 30 }),
);
export const escaped = encodeURIComponent;
export const safely = (text: string) => escaped(text.toWellFormed());
/** As the query language quotes a text. */
export const inQuotes = (text: string) => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;

export const runs = { numRuns: 400 };
