import { expect, test } from 'vitest';
import { type Steps, ticksUpTo } from '../../clients/console/src/design/chart-ticks.ts';

const mib = 2 ** 20;

test.each<[string, number, Steps, readonly number[]]>([
  ['one thing', 1, 'whole', [0, 1]],
  ['few things', 3, 'whole', [0, 1, 2, 3]],
  ['many things', 351, 'whole', [0, 100, 200, 300, 400]],
  ['nothing', 0, 'whole', [0, 1]],
  ['bytes', 9.3 * mib, 'binary', [0, 4 * mib, 8 * mib, 12 * mib]],
  ['few bytes', 3, 'binary', [0, 1, 2, 3]],
  ['a part of a millisecond', 0.3, 'any', [0, 0.1, 0.2, 0.3]],
  ['milliseconds', 39.7, 'any', [0, 10, 20, 30, 40]],
])('the lines of a chart of %s are at round values, up to one that no value exceeds', (_what, max, steps, ticks) => {
  expect(ticksUpTo(max, steps)).toEqual(ticks);
});
