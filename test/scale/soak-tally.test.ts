import { expect, test } from 'vitest';
import { addUp, isClean, tallyOf } from '../../scripts/soak/tally.ts';

const clean = { lost: 0, doubled: 0, outOfOrder: 0, unknown: 0 };
const table = ['a', 'b', 'c', 'd'];

test('a log that equals the table has nothing wrong', () => {
  expect(tallyOf(table, table)).toEqual(clean);
  expect(isClean(addUp([tallyOf(table, table), tallyOf([], [])]))).toBe(true);
});

test.each([
  ['a gap', ['a', 'c', 'd'], { lost: 1 }],
  ['an end that is missing', ['a'], { lost: 3 }],
  ['a repeat', ['a', 'b', 'b', 'c', 'd'], { doubled: 1 }],
  ['a page that was given twice', ['a', 'b', 'a', 'b', 'c', 'd'], { doubled: 2 }],
  ['one that comes late', ['a', 'c', 'b', 'd'], { outOfOrder: 1 }],
  ['one that comes early', ['d', 'a', 'b', 'c'], { outOfOrder: 3 }],
  ['one that is nowhere', ['a', 'b', 'x', 'c', 'd'], { unknown: 1 }],
  ['one of everything', ['b', 'a', 'b', 'x', 'd'], { lost: 1, doubled: 1, outOfOrder: 1, unknown: 1 }],
])('%s in a log is counted', (_case, received, wrong) => {
  const tally = tallyOf(received, table);
  expect(tally).toEqual({ ...clean, ...wrong });
  expect(isClean(addUp([tallyOf(table, table), tally]))).toBe(false);
});
