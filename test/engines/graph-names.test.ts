import { expect, test } from 'vitest';
import { Names } from '../../engines/rows/graph/names.ts';

test('names that collide go on from the last number, and ask for no number twice', () => {
  const names = new Names();
  let asked = 0;
  const family = (name: string) => {
    asked += 1;
    return [name, `${name}Filter`];
  };
  const given = Array.from({ length: 1_000 }, () => names.claim('Notes', family));
  expect(given.slice(0, 3)).toEqual(['Notes', 'Notes2', 'Notes3']);
  expect(given.at(-1)).toBe('Notes1000');
  expect(new Set(given).size).toBe(1_000);
  expect(asked).toBe(1_000);
});

test('a number whose relatives are taken is passed over', () => {
  const names = new Names(['Notes2Filter']);
  const family = (name: string) => [name, `${name}Filter`];
  expect([1, 2, 3].map(() => names.claim('Notes', family))).toEqual(['Notes', 'Notes3', 'Notes4']);
});
