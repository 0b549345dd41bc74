import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dropNulls } from '../../core/drop-nulls.ts';
import { findTextFault, textFault } from '../../core/text.ts';

test('a text is refused exactly when it holds a NUL or half a surrogate pair', () => {
  const units = fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)) });
  fc.assert(
    fc.property(fc.oneof(units, fc.string({ unit: 'binary' })), (text) => {
      const storable = !text.includes('\0') && Buffer.from(text).toString() === text;
      expect(textFault(text) === undefined).toBe(storable);
    }),
  );
});

test.each<[string, unknown, string | undefined]>([
  ['a member', { body: 'a\0' }, 'body'],
  ['an item of a list', { to: ['ok', '\ud800'] }, 'to[1]'],
  ['a member of an item', { rows: [{ name: '\udc00x' }] }, 'rows[0].name'],
  ['a name', { limits: { 'a\0': 1 } }, 'limits'],
  ['nothing', { a: 'é𝄞', b: [1, null, true, undefined, { c: new Date(0) }] }, undefined],
])('a fault is named by the path of %s', (_case, value, field) => {
  expect(findTextFault(value)?.field).toBe(field);
});

test('null members are dropped, everything else stays', () => {
  const kept = { zero: 0, no: false, empty: '', list: [], inner: { a: 1 }, moment: new Date(0) };
  expect(dropNulls({ ...kept, gone: null, missing: undefined })).toStrictEqual(kept);
});

test('null members of nested inputs are dropped, too', () => {
  expect(dropNulls({ inner: { a: 1, b: null }, list: [{ c: null, d: 2 }] })).toStrictEqual({
    inner: { a: 1 },
    list: [{ d: 2 }],
  });
});
