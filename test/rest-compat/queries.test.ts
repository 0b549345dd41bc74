import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseQuery } from '../../rest-compat/body.ts';

test('a query is read as browsers write it, however it is escaped', () => {
  const piece = fc.string({
    unit: fc.constantFrom('a', 'b', '1', '.', '?', '%', '2', '0', '+', 'é', '/', '#'),
    maxLength: 4,
  });
  const pair = fc.tuple(piece, fc.constantFrom('', '=', '=='), piece).map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.array(pair, { maxLength: 5 }), (pairs) => {
      const search = pairs.join('&');
      const known = [...new URLSearchParams(search)];
      const named = new Set(known.map(([name]) => name));
      if (named.size < known.length) expect(() => parseQuery(search)).toThrow('given twice');
      else expect({ ...parseQuery(search) }).toEqual(Object.fromEntries(known));
    }),
    { numRuns: 2_000 },
  );
});
