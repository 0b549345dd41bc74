import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Automaton, automatonOf, isTooIntricate } from '../../../engines/globs/automaton.ts';
import { overlapOf } from '../../../engines/globs/overlap.ts';

/** As long as a resource may be, without its `repo:`. */
const longest = 507;
const filled = (piece: string, end = '') => piece.repeat(longest).slice(0, longest - end.length) + end;

const hostile: Record<string, string> = {
  stars: filled('*'),
  'stars that are apart': filled('*a'),
  'trees that are apart': filled('**/'),
  'trees and a name': filled('**/a/', '**/b'),
  'one star and a long name': `*${'a'.repeat(longest - 2)}b`,
  'alternatives that multiply': filled('{a,b}'),
  'alternatives of nothing': filled('{,*}'),
  'alternatives inside one another': `${'{a,'.repeat(126)}b${'}'.repeat(126)}`,
  'empty alternatives inside one another': '{,'.repeat(126) + '}'.repeat(126),
  'braces that are never closed': filled('{a,'),
  'one brace of many branches': `*{${'a,'.repeat(251)}b}`,
  'branches of different makes': `{,*,**,a,/}`.repeat(46),
  'brackets that are never closed': filled('['),
  'a class of many characters': `*[${Array.from({ length: 240 }, (_, i) => String.fromCodePoint(0x1000 + 2 * i)).join('')}]`,
  'every character negated': filled('[!a]'),
  'question marks': filled('?'),
  backslashes: filled('\\'),
  slashes: filled('/'),
};

const sizeOf = ({ edges, free }: Automaton) =>
  edges.length + [...edges, ...free].reduce((sum, list) => sum + list.length, 0);

test.each(Object.entries(hostile))('%s cost no more states than characters allow', (_name, glob) => {
  expect([...glob].length).toBeLessThanOrEqual(longest);
  const automaton = automatonOf(glob);
  expect(automaton.edges.length).toBeLessThanOrEqual(3 * glob.length + 8);
  expect(sizeOf(automaton)).toBeLessThanOrEqual(12 * glob.length + 32);
});

test('so does any text whatever', () => {
  const text = fc.string({ unit: fc.constantFrom(...'{},*?[]!-\\/ab'), maxLength: longest });
  fc.assert(
    fc.property(text, (glob) => {
      const automaton = automatonOf(glob);
      expect(automaton.edges.length).toBeLessThanOrEqual(3 * glob.length + 8);
      expect(sizeOf(automaton)).toBeLessThanOrEqual(12 * glob.length + 32);
    }),
    { numRuns: 1_000 },
  );
});

const allEdges = ({ edges }: Automaton) => edges.flat();
const spansOf = (automaton: Automaton) => allEdges(automaton).reduce((sum, { spans }) => sum + (spans?.length ?? 0), 0);

test('two hostile globs are compared in as many steps as they have pairs of states and of characters’ spans, at most', () => {
  const automata = Object.values(hostile).map(automatonOf);
  let most = 0;
  for (const left of automata) {
    for (const right of automata) {
      const { steps } = overlapOf(left, right);
      const states = left.edges.length * right.edges.length;
      const spans = spansOf(left) * allEdges(right).length + spansOf(right) * allEdges(left).length;
      expect(steps).toBeLessThanOrEqual(2 * (states + spans));
      most = Math.max(most, steps);
    }
  }
  // Some do cost that much: the bound is not met by answering early alone.
  expect(most).toBeGreaterThan(longest);
});

test('classes of many characters are compared in one walk along both', () => {
  const rare = (from: number) => String.fromCodePoint(...Array.from({ length: 240 }, (_, at) => from + 2 * at));
  const [even, odd] = [automatonOf(`*[${rare(0x4e00)}]`), automatonOf(`*[${rare(0x4e01)}]`)];
  const { overlaps, steps } = overlapOf(even, odd);
  expect(overlaps).toBe(false);
  expect(steps).toBeGreaterThan(480);
  expect(steps).toBeLessThan(20 * 480);
});

test('what is too intricate to be compared with many is known, and what people write is not', () => {
  const name = 'a'.repeat(longest);
  const taken = ['src/**', 'packages/{core,web,cli}/{src,test}/**/*.{ts,tsx,mts,cts}', name, `${name.slice(0, 250)}*`];
  expect(taken.map(isTooIntricate)).toEqual(taken.map(() => false));
  const refused = [`*${name}`, '{a,b}'.repeat(100), `{,*}${name.slice(0, 200)}`, '**/'.repeat(100)];
  expect(refused.map(isTooIntricate)).toEqual(refused.map(() => true));
});

test('alternatives that multiply are told apart by their last character', () => {
  const many = '{a,b}'.repeat(100);
  const ending = (end: string) => overlapOf(automatonOf(many + end), automatonOf(`${many}c`));
  expect(ending('c').overlaps).toBe(true);
  expect(ending('d')).toEqual({ overlaps: false, steps: expect.any(Number) });
  // 2^100 ways each, and a few hundred steps.
  expect(ending('d').steps).toBeLessThan(5_000);
});
