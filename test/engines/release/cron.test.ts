import { expect, test } from 'vitest';
import { parseCron, shortestInterval } from '../../../engines/release/cron.ts';

test.each([
  ['* * * * *', 1],
  ['*/15 * * * *', 15],
  ['0,59 * * * *', 1],
  ['0,10,45 * * * *', 10],
  ['30 */6 * * *', 360],
  ['0 9-17/2 * * mon-fri', 120],
  ['0 0 * * *', 1_440],
  ['59,0 23,0 * * *', 1],
  // From one day to the next: only where both are selected.
  ['5 0,23 * * 1,3', 1_380],
  ['5 0,23 * * 6,0', 60],
  ['5 0,23 * * 7', 1_380],
  ['5 0,23 31 1 *', 1_380],
  ['5 0,23 1,31 1,2 *', 60],
  ['5 0,23 28,1 2,3 *', 60],
  ['5 0,23 29 feb *', 1_380],
  // A day of the month or of the week, where both are narrowed.
  ['5 0,23 1 * 3', 60],
  ['0 0 1 1 *', 1_440],
  ['10/20 * * * *', 20],
])('%s fires every %i minutes at the most often', (text, minutes) => {
  expect(shortestInterval(parseCron(text)!)).toBe(minutes);
});

test.each([
  '',
  '* * * *',
  '* * * * * *',
  '60 * * * *',
  '* 24 * * *',
  '* * 0 * *',
  '* * * 13 *',
  '* * * * 8',
  '5-1 * * * *',
  '*/0 * * * *',
  '*-5 * * * *',
  '1,,2 * * * *',
  '-1 * * * *',
  '1.5 * * * *',
  '@daily',
  'a * * * *',
  '0 0 30 2 *',
  '0 0 31 4,6 *',
  `${'1,'.repeat(200)}1 * * * *`,
])('%s is no schedule that comes due', (text) => {
  expect(parseCron(text)).toBeUndefined();
});
