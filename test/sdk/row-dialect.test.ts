import { expect, test } from 'vitest';
import * as clients from '../../clients/sdk/src/row-dialect.ts';
import { comparisons, parameterName, searches } from '../../engines/rows/request/filter.ts';
import { reservedNames } from '../../engines/rows/request/names.ts';

// Clients know the dialect by a list of their own, since the SDK holds nothing of the engine.

const conditions = [...Object.keys(comparisons), ...Object.keys(searches), 'is', 'in'].flatMap((name) => [
  `${name}.5`,
  `not.${name}.5`,
]);
const others = [
  '5',
  '(id.eq.1,id.eq.2)',
  'eq(any).{1,2}',
  'wfts(english).cat',
  'id.desc',
  'eq.desc',
  'lt.nullslast',
  'none.5',
  '',
];

test.each([...reservedNames, 'id', 'price'])(
  'clients and engine write the parameter %s alike, whatever its value',
  (name) => {
    for (const value of [...conditions, ...others])
      expect([value, clients.parameterName(name, value)]).toEqual([value, parameterName(name, value)]);
  },
);
