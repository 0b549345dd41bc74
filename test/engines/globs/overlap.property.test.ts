import fc from 'fast-check';
import { expect, test } from 'vitest';
import { automatonOf } from '../../../engines/globs/automaton.ts';
import { overlapOf } from '../../../engines/globs/overlap.ts';

/**
 * Globs as what they say, which is made into text for the one side, and for the other multiplied out and made into
 * regular expressions: another road altogether, which every short path is tried on.
 */
type Piece = string | { readonly either: readonly (readonly Piece[])[] };

const plain = ['a', 'b', '/'];
const wild = ['*', '?', '[ab]', '[!a]', '**'];

const pieces = (depth: number): fc.Arbitrary<Piece[]> => {
  const atom = fc.constantFrom<Piece>(...plain, ...plain, ...wild);
  const one =
    depth === 0
      ? atom
      : fc.oneof(
          { weight: 5, arbitrary: atom },
          {
            weight: 1,
            arbitrary: fc.array(pieces(depth - 1), { minLength: 2, maxLength: 3 }).map((either) => ({ either })),
          },
        );
  return fc.array(one, { maxLength: depth === 0 ? 2 : 4 }).map(apart);
};

/** Stars that would be read together stand apart. */
const apart = (list: Piece[]): Piece[] =>
  list.filter((piece, at) => !(isStar(piece) && at > 0 && isStar(list[at - 1]!)));
const isStar = (piece: Piece) => piece === '*' || piece === '**';

const textOf = (list: readonly Piece[]): string =>
  list.map((piece) => (typeof piece === 'string' ? piece : `{${piece.either.map(textOf).join(',')}}`)).join('');

/** Every way to take the alternatives, as pieces without any. */
function multipliedOut(list: readonly Piece[]): string[][] {
  return list.reduce<string[][]>(
    (ways, piece) =>
      ways.flatMap((way) =>
        typeof piece === 'string'
          ? [[...way, piece]]
          : piece.either.flatMap(multipliedOut).map((branch) => [...way, ...branch]),
      ),
    [[]],
  );
}

const atoms: Record<string, string> = { '*': '[^/]*', '**': '[^/]*', '?': '[^/]', '[ab]': '[ab]', '[!a]': '[^a/]' };

/** Paths with a slash after each segment. */
function expressionOf(way: readonly string[]): RegExp {
  const segments: string[][] = [[]];
  for (const piece of way) {
    if (piece === '/') segments.push([]);
    else segments.at(-1)!.push(piece);
  }
  const below = segments.length > 1 && segments.at(-1)!.length === 0;
  const named = segments.filter((segment) => segment.length > 0);
  if (named.length === 0) return /$^/;
  const source = named.map((segment) =>
    segment.length === 1 && segment[0] === '**'
      ? '(?:[^/]+/)*'
      : `(?=[^/])${segment.map((piece) => atoms[piece] ?? piece).join('')}/`,
  );
  const isNamed = below || named.at(-1)!.every((piece) => plain.includes(piece));
  return new RegExp(`^${source.join('')}${isNamed ? '(?:[^/]+/)*' : ''}$`);
}

/** Characters of the longest path that is tried: two globs that are no longer together meet on one of these, or never. */
const longest = 7;

/** Every path of at most so many characters over a, b, c and the slash. */
const paths = (function make(length: number): string[] {
  if (length === 0) return [''];
  const shorter = make(length - 1);
  const longest = shorter.filter((path) => path.length === length - 1);
  return [...shorter, ...longest.flatMap((path) => ['a', 'b', 'c', '/'].map((next) => path + next))];
})(longest)
  .filter((path) => path !== '' && !path.startsWith('/') && !path.includes('//') && !path.endsWith('/'))
  .map((path) => `${path}/`);

const isRoot = (text: string) => text.replace(/^(\.?\/)+/, '') === '';

test('two globs overlap exactly when some path is matched by both', () => {
  let overlapping = 0;
  const runs = 2_000;
  fc.assert(
    fc.property(pieces(2), pieces(1), (left, right) => {
      const ways = [multipliedOut(left), multipliedOut(right)];
      const [long, longer] = ways.map((list) => Math.max(...list.map(({ length }) => length)));
      fc.pre(long! + longer! <= longest);
      const [matches, others] = ways.map((list) => new RegExp(list.map((way) => expressionOf(way).source).join('|')));
      const [leftText, rightText] = [textOf(left), textOf(right)];
      const witness = paths.find(
        (path) => (isRoot(leftText) || matches!.test(path)) && (isRoot(rightText) || others!.test(path)),
      );
      const { overlaps } = overlapOf(automatonOf(leftText), automatonOf(rightText));
      expect([leftText, rightText, overlaps]).toEqual([leftText, rightText, witness !== undefined]);
      if (overlaps) overlapping++;
    }),
    { numRuns: runs },
  );
  // Both answers were put to the test.
  expect(overlapping).toBeGreaterThan(runs / 20);
  expect(overlapping).toBeLessThan((runs * 19) / 20);
});
