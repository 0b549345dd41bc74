import fc from 'fast-check';
import { expect, test } from 'vitest';
import { comparisons, identities } from '../../engines/rows/request/filter.ts';
import type { RowMethod } from '../../engines/rows/request/row-request.ts';
import { columns, inQuotes, nasty, runs, type Shape, safely, statementOf, tokens } from './injection.ts';

/*
 * No text of a client's may become SQL. Statements are taken apart into what PostgreSQL would see: names in quotes,
 * placeholders, and everything else. Everything else must be the same whatever the client wrote in the places of names
 * and values, and no quote, comment or semicolon may come out of them.
 */

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

test('whatever is asked, the answer is a statement of known words or a documented refusal', () => {
  const words = new Set(
    'select from where order by group limit offset and or not is null true false unknown as on left inner join lateral with insert into values update set delete returning conflict do nothing excluded cast any all distinct asc desc nulls first last coalesce count sum avg min max row_to_json json_agg json_strip_nulls to_jsonb json_build_object json_object_keys json_to_record json_to_recordset jsonb_to_record jsonb_build_object json_array_elements jsonb_array_elements nullif current_setting set_config case when then else end exists concat string_agg replace right left ordinality explain format json jsonb text integer bigint int to_tsvector to_tsquery plainto_tsquery phraseto_tsquery websearch_to_tsquery like ilike svc_page svc_answer octet_length length pgrst_scalar svc_counted key place element unnest array_agg filter row_number over svc_row svc_text make_interval days least interval offset pg_column_size int4 int2 int8 float4 float8 numeric bool bit varbit character varchar time timetz timestamp timestamptz variadic array _ __ E'.split(
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
