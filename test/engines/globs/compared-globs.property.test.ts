import fc from 'fast-check';
import { expect, test } from 'vitest';
import { automatonOf } from '../../../engines/globs/automaton.ts';
import { ComparedGlobs } from '../../../engines/globs/compared-globs.ts';
import { overlapOf } from '../../../engines/globs/overlap.ts';

const wholly = (left: string, right: string) => overlapOf(automatonOf(left), automatonOf(right)).overlaps;

/** Any text is a glob; these are the characters that mean something, and few others, so that beginnings are often alike. */
const text = fc
  .array(
    fc.constantFrom('a', 'a', 'b', '.', '/', '/', './', '*', '**', '?', '[', ']', '[!a]', '{', '}', ',', '\\', '🦊'),
    {
      maxLength: 8,
    },
  )
  .map((parts) => parts.join(''));
const pair = fc.tuple(
  fc.constantFrom('', '', 'a', 'a/', './a', 'b/', '/'),
  fc.constantFrom('', '', 'a', 'a/'),
  text,
  text,
);

test('what the beginnings of globs decide, their automata would have decided alike', () => {
  const runs = 20_000;
  let [decided, overlapping] = [0, 0];
  fc.assert(
    fc.property(pair, ([first, second, left, right]) => {
      const [one, other] = [first + left, second + right];
      const globs = new ComparedGlobs();
      const overlaps = globs.overlap(one, other);
      expect([one, other, overlaps]).toEqual([one, other, wholly(one, other)]);
      if (globs.built === 0) decided++;
      if (overlaps) overlapping++;
    }),
    { numRuns: runs },
  );
  // Both roads were gone along, and both answers given.
  expect(decided).toBeGreaterThan(runs / 20);
  expect(overlapping).toBeGreaterThan(runs / 20);
  expect(runs - overlapping - decided).toBeGreaterThan(runs / 20);
});

test.each<[string, string, boolean]>([
  ['src', 'src/a', true],
  ['src', 'srcs', false],
  ['./src//a', 'src/a/*', true],
  ['src/a*', 'src/ab.ts', true],
  ['src/a/**', 'src/a', true],
  ['.', 'x', true],
  ['/', 'x', true],
  ['a\\*', 'a*', true],
  ['a{b,c}/d', 'ac/**', true],
  ['🦊/x', '🦉/x', false],
])('%s and %s: %s', (left, right, expected) => {
  expect([new ComparedGlobs().overlap(left, right), wholly(left, right)]).toEqual([expected, expected]);
});

test('of a thousand globs, those alone are taken apart whose beginnings agree', () => {
  const globs = new ComparedGlobs();
  const mine = 'packages/web/src/**/*.{ts,tsx}';
  for (let n = 0; n < 1_000; n++) expect(globs.overlap(mine, `services/s${n}/**/*.{ts,tsx}`)).toBe(false);
  expect([globs.built, globs.steps]).toEqual([0, 1_000]);
  expect(globs.overlap(mine, 'packages/**')).toBe(true);
  expect(globs.overlap(mine, 'packages/web/src/a.css')).toBe(false);
  expect(globs.built).toBe(3);
});
