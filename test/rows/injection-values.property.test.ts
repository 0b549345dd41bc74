import fc from 'fast-check';
import { expect, test } from 'vitest';
import { comparisons, searches } from '../../engines/rows/request/filter.ts';
import type { RowMethod } from '../../engines/rows/request/row-request.ts';
import { columns, escaped, inQuotes, nasty, runs, type Shape, safely, statementOf } from './injection.ts';

/*
 * No text of a client's may become SQL. Statements are taken apart into what PostgreSQL would see: names in quotes,
 * placeholders, and everything else. Everything else must be the same whatever the client wrote in the places of names
 * and values, and no quote, comment or semicolon may come out of them.
 */

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
