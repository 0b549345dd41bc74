import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RowError } from '../../engines/rows/errors.ts';
import { planRows } from '../../engines/rows/plan-rows.ts';
import { comparisons, identities, searches } from '../../engines/rows/request/filter.ts';
import type { RowMethod, RowRequest } from '../../engines/rows/request/row-request.ts';
import type { Catalog, CatalogTable } from '../../engines/rows/schema/catalog.ts';
import { schemaCacheOf } from '../../engines/rows/schema/load.ts';

/*
 * No text of a client's may become SQL. Statements are taken apart into what PostgreSQL would see: names in quotes,
 * placeholders, and everything else. Everything else must be the same whatever the client wrote in the places of names
 * and values, and no quote, comment or semicolon may come out of them.
 */

type Token = '<name>' | '<placeholder>' | string;

/** The tokens of a statement; throws for anything that this program never writes. */
function tokens(text: string): Token[] {
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

const columns = ['id', 'name', 'data', 'tags', 'parent_id', 'we"ird; drop', "o'clock"];
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
};
const cache = schemaCacheOf(catalog);

interface Shape {
  readonly method: RowMethod;
  readonly kind: 'table' | 'function';
  readonly search: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const documented = /^(PGRST[0-9]{3}|21000|22021)$/;

/** The statement of a request, or the code of its refusal. */
function statementOf(
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
const nasty = fc.oneof(
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
const escaped = encodeURIComponent;
const safely = (text: string) => escaped(text.toWellFormed());
/** As the query language quotes a text. */
const inQuotes = (text: string) => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;

const runs = { numRuns: 400 };

test('values never change a statement, and arrive as they were', () => {
  const operators = fc.constantFrom(
    ...Object.keys(comparisons),
    ...Object.keys(searches),
    ...['eq(any)', 'like(all)', 'fts(english)', 'not.eq', 'not.match'],
  );
  fc.assert(
    fc.property(operators, nasty, (operator, value) => {
      const shape = (text: string): Shape => ({
        method: 'GET',
        kind: 'table',
        search: `name=${operator}.${safely(text)}`,
      });
      const made = statementOf(shape(value));
      if (value.includes('\0')) {
        expect(made).toBeUndefined();
        return;
      }
      expect(made!.texts).toEqual(statementOf(shape('harmless'))!.texts);
      const sent = /like/.test(operator) ? value.toWellFormed().replaceAll('*', '%') : value.toWellFormed();
      expect(made!.values).toContain(sent);
    }),
    runs,
  );
});

test('values inside lists, groups and documents never change a statement', () => {
  fc.assert(
    fc.property(nasty, nasty, (left, right) => {
      const shape = (one: string, other: string): Shape => ({
        method: 'GET',
        kind: 'table',
        search: `name=in.(${safely(`${inQuotes(one)},${inQuotes(other)}`)})&or=(name.eq.${safely(inQuotes(one))},and(id.gt.${safely(inQuotes(other))},data->${safely(inQuotes(one))}.not.is.null))&order=data->${safely(inQuotes(other))}`,
      });
      const made = statementOf(shape(left, right));
      if (`${left}${right}`.includes('\0')) {
        expect(made).toBeUndefined();
        return;
      }
      expect(made!.texts).toEqual(statementOf(shape('a', 'b'))!.texts);
    }),
    runs,
  );
});

test('names stay inside their quotes, wherever they stand', () => {
  fc.assert(
    fc.property(nasty, nasty, (column, alias) => {
      const shape = (one: string, other: string): Shape => ({
        method: 'GET',
        kind: 'table',
        search: `select=${safely(`${inQuotes(other)}:${inQuotes(one)}`)},kid:parents(${safely(inQuotes(one))})&${safely(inQuotes(one))}=eq.1&order=${safely(inQuotes(one))}.desc&kid.${safely(inQuotes(one))}=is.null`,
      });
      const made = statementOf(shape(column, alias));
      if (made === undefined) return;
      const plain = statementOf(shape('a', 'b'))!;
      // Stars are everything, not a name.
      if (column === '*') return;
      expect(made.texts.map(tokens)).toEqual(plain.texts.map(tokens));
    }),
    runs,
  );
});

test('types, hints, schemas and relations of a client’s invention are names or are refused', () => {
  fc.assert(
    fc.property(nasty, (text) => {
      for (const search of [
        `select=name::${safely(text)}`,
        `select=name.count()::${safely(text)}`,
        `select=parents!${safely(text)}(id)`,
        `select=${safely(text)}(id)`,
        `select=...${safely(text)}(id)`,
        `order=${safely(text)}(id)`,
        `on_conflict=${safely(text)}`,
        `columns=${safely(text)}`,
      ]) {
        const made = statementOf({ method: 'GET', kind: 'table', search });
        if (made === undefined) continue;
        expect(made.texts.flatMap(tokens)).not.toContain(';');
        expect(made.texts.join('')).not.toMatch(/--|\/\*/);
      }
    }),
    runs,
  );
});

test('bodies never change a statement beyond the columns they name', () => {
  const method = fc.constantFrom<RowMethod>('POST', 'PATCH');
  fc.assert(
    fc.property(method, nasty, fc.constantFrom('missing=default', 'missing=null'), (verb, value, prefer) => {
      const shape = (text: string): Shape => ({
        method: verb,
        kind: 'table',
        search: 'id=eq.1',
        body: JSON.stringify({ name: text, 'we"ird; drop': text, "o'clock": text }),
        headers: { prefer: `return=representation, ${prefer}, resolution=merge-duplicates` },
      });
      expect(statementOf(shape(value))!.texts).toEqual(statementOf(shape('x'))!.texts);
    }),
    runs,
  );
});

test('targets of conflicts are names, and columns that are written are known ones', () => {
  const prefer = fc.constantFrom('resolution=merge-duplicates', 'resolution=ignore-duplicates');
  fc.assert(
    fc.property(nasty, prefer, fc.constantFrom(...columns), (target, resolution, column) => {
      const shape = (one: string): Shape => ({
        method: 'POST',
        kind: 'table',
        search: `on_conflict=${safely(`${inQuotes(one)},${inQuotes(column)}`)}&columns=${safely(`id,${inQuotes(column)}`)}`,
        body: '[{"id":1}]',
        headers: { prefer: resolution },
      });
      const made = statementOf(shape(target));
      if (target.includes('\0') || target === '') return;
      expect(made!.texts.map(tokens)).toEqual(statementOf(shape('a'))!.texts.map(tokens));
      expect(made!.texts[0]).toContain(' on conflict ("');
      const columned = { ...shape('a'), search: `columns=${safely(inQuotes(target))}` };
      if (!columns.includes(target.toWellFormed())) expect(statementOf(columned)).toBeUndefined();
    }),
    runs,
  );
});

test('arguments of functions never change a statement, by the address, a form or a body', () => {
  const texts = (value: string) => `a=1&${escaped('b\'"')}=${safely(value)}`;
  const json = (value: string) => JSON.stringify({ a: 1, 'b\'"': value });
  fc.assert(
    fc.property(nasty, nasty, (value, filter) => {
      const shapes = (one: string, other: string): Shape[] => [
        {
          method: 'GET',
          kind: 'function',
          search: `${texts(one)}&name=eq.${safely(other)}&order=${safely(inQuotes('name'))}`,
        },
        { method: 'POST', kind: 'function', search: `name=like.${safely(other)}`, body: json(one) },
        {
          method: 'POST',
          kind: 'function',
          search: '',
          body: texts(one),
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
        },
      ];
      // The language of conditions takes an empty text of an argument for one, and never a NUL.
      fc.pre(!`${value}${filter}`.includes('\0'));
      const plain = shapes('x', 'y').map((shape) => statementOf(shape)!.texts);
      expect(shapes(value, filter).map((shape) => statementOf(shape)?.texts)).toEqual(plain);
    }),
    runs,
  );
});

test('conditions, order and pages of what is embedded never change a statement', () => {
  fc.assert(
    fc.property(nasty, nasty, (name, value) => {
      fc.pre(!`${name}${value}`.includes('\0') && name !== '' && name !== '*');
      const shape = (one: string, other: string): Shape => ({
        method: 'GET',
        kind: 'table',
        search: [
          `select=id,kids:items!inner(id,data->${safely(inQuotes(one))},${safely(inQuotes(one))}::text)`,
          `kids.${safely(inQuotes(one))}=eq.${safely(other)}`,
          `kids.or=(name.eq.${safely(inQuotes(other))},data->>${safely(inQuotes(one))}.is.null)`,
          `kids.order=${safely(inQuotes(one))}.desc.nullslast`,
          'kids.limit=3&kids.offset=1',
        ].join('&'),
        headers: { prefer: 'count=planned' },
      });
      const made = statementOf(shape(name, value), 'parents');
      expect(made!.texts.map(tokens)).toEqual(statementOf(shape('a', 'b'), 'parents')!.texts.map(tokens));
    }),
    runs,
  );
});

test('values of many rows at once never change a statement', () => {
  fc.assert(
    fc.property(fc.array(nasty, { minLength: 1, maxLength: 5 }), (values) => {
      const rows = (all: readonly string[]) =>
        JSON.stringify(Array.from({ length: 1_000 }, (_, nth) => ({ name: all[nth % all.length], "o'clock": 'x' })));
      fc.pre(values.every((value) => value.isWellFormed() && !value.includes('\0')));
      const shape = (all: readonly string[]): Shape => ({ method: 'POST', kind: 'table', search: '', body: rows(all) });
      const made = statementOf(shape(values))!;
      expect(made.texts).toEqual(statementOf(shape(['plain']))!.texts);
      expect(made.texts[0]).toContain(`unnest($1::text[]) as "name", unnest($2::text[]) as "o'clock"`);
    }),
    { numRuns: 50 },
  );
});

test('members of bodies and arguments that are no columns and no arguments are refused', () => {
  fc.assert(
    fc.property(nasty, (name) => {
      fc.pre(![...columns, 'a', 'b\'"', '__proto__'].includes(name));
      const body = JSON.stringify({ [name]: 1 });
      expect(statementOf({ method: 'POST', kind: 'table', search: '', body })).toBeUndefined();
      expect(statementOf({ method: 'POST', kind: 'function', search: '', body })).toBeUndefined();
    }),
    runs,
  );
});

test('whatever is asked, the answer is a statement of known words or a documented refusal', () => {
  const words = new Set(
    'select from where order by group limit offset and or not is null true false unknown as on left inner join lateral with insert into values update set delete returning conflict do nothing excluded cast any all distinct asc desc nulls first last coalesce count sum avg min max row_to_json json_agg json_strip_nulls to_jsonb json_build_object json_object_keys json_to_record json_to_recordset jsonb_to_record jsonb_build_object json_array_elements jsonb_array_elements nullif current_setting set_config case when then else end exists concat string_agg replace right left ordinality explain format json jsonb text integer bigint int to_tsvector to_tsquery plainto_tsquery phraseto_tsquery websearch_to_tsquery like ilike svc_page svc_answer octet_length svc_scalar svc_counted key place element unnest array_agg filter row_number over svc_row svc_text make_interval days least interval offset pg_column_size int4 int2 int8 float4 float8 numeric bool bit varbit character varchar time timetz timestamp timestamptz variadic array _ __ E'.split(
      ' ',
    ),
  );
  const piece = fc.oneof(
    nasty,
    fc.constantFrom(
      ...columns,
      ...Object.keys(comparisons),
      ...Object.keys(identities),
      'select',
      'order',
      'parents',
      'items',
    ),
    fc.constantFrom(
      '(',
      ')',
      ',',
      '.',
      ':',
      '::',
      '->',
      '->>',
      '!',
      '!inner',
      '...',
      '=',
      'not.',
      'or',
      'and',
      'in.(',
      'is.',
      'count()',
      '"',
    ),
  );
  const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
  const param = fc
    .tuple(
      fc.oneof(
        fc.constantFrom('select', 'order', 'or', 'and', 'limit', 'offset', 'columns', 'on_conflict', ...columns),
        text,
      ),
      text,
    )
    .map(([name, value]) => `${safely(name)}=${safely(value)}`);
  const methods = fc.constantFrom<RowMethod>('GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE');
  fc.assert(
    fc.property(
      methods,
      fc.constantFrom('table' as const, 'function' as const),
      fc.array(param, { maxLength: 4 }),
      text,
      fc.record({
        prefer: text,
        accept: fc.constantFrom('*/*', 'text/csv', 'application/vnd.pgrst.object+json', 'x/y'),
        range: text,
      }),
      (method, kind, params, body, headers) => {
        const made = statementOf({ method, kind, search: params.join('&'), body, headers });
        for (const token of (made?.texts ?? []).flatMap(tokens)) {
          if (/^[A-Za-z_]/.test(token)) expect(words).toContain(token);
          expect(token).not.toBe(';');
        }
      },
    ),
    { numRuns: 2_000 },
  );
});

test('a table whose name is a statement is a name', () => {
  const made = statementOf({ method: 'DELETE', kind: 'table', search: 'id=eq.1' }, 'bad"; drop table x; --')!;
  expect(made.texts[0]).toContain('delete from "public"."bad""; drop table x; --" where');
  expect(made.texts.flatMap(tokens)).not.toContain(';');
});
