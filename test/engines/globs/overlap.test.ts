import { expect, test } from 'vitest';
import { automatonOf } from '../../../engines/globs/automaton.ts';
import { overlapOf } from '../../../engines/globs/overlap.ts';

const overlap = (left: string, right: string): boolean => {
  const there = overlapOf(automatonOf(left), automatonOf(right)).overlaps;
  // It is the same question the other way round.
  expect(overlapOf(automatonOf(right), automatonOf(left)).overlaps).toBe(there);
  return there;
};

test.each([
  // Characters and wildcards of one segment.
  ['src/a.ts', 'src/a.ts'],
  ['src/*.ts', 'src/a*'],
  ['*a', 'b*'],
  ['a?c', '?b?'],
  ['*', '.env'],
  ['*.test.ts', 'a.*.ts'],
  ['*/b', 'a/*'],
  // Any number of segments, none among them.
  ['**', 'a/b/c'],
  ['src/**', 'src'],
  ['src/**', 'src/a/b.ts'],
  ['**/a.ts', 'a.ts'],
  ['**/a.ts', 'x/**'],
  ['a/**/z', 'a/z'],
  ['a/**/z', 'a/b/c/z'],
  ['**/b/**', 'a/**/c'],
  ['a/**/**/b', 'a/b'],
  // What has no wildcard at its end names all that is below.
  ['src/auth', 'src/auth/**'],
  ['src/auth', 'src/auth/login.ts'],
  ['src', 'src/auth/login.ts'],
  ['src/auth', 'src/*/login.ts'],
  ['src/auth/', 'src/auth/login.ts'],
  ['packages/*/src', 'packages/a/src/index.ts'],
  ['**/src', 'packages/a/src/index.ts'],
  ['{src,lib}', 'lib/a.ts'],
  ['src/*/', 'src/a/b'],
  // A name with a dot is a directory for those who spell it as one.
  ['etc/conf.d', 'etc/conf.d/a'],
  ['etc/conf.d', 'etc/conf.d/**'],
  ['etc/conf.d', '*/conf.d/a'],
  ['src/a.js', 'src/a.js'],
  ['src/a.js', '**/*.js'],
  ['.github', '**/*.yml'],
  ['src/a.js/', 'src/*/b.ts'],
  // Spellings of one path.
  ['./src/a.ts', 'src/a.ts'],
  ['/src/a.ts', 'src//a.ts'],
  ['.', 'anything/at/all'],
  ['/', '.'],
  // Classes.
  ['[abc]', 'b'],
  ['[a-c]x', '[c-z]?'],
  ['[!a]', 'b'],
  ['[^a-y]', 'z'],
  ['[]]', ']'],
  ['[!]]', 'a'],
  ['[a-]', '-'],
  ['[\\]]', ']'],
  ['[.-0]', '0'],
  ['[α-ω]', 'λ'],
  ['[🦊-🦋]', '🦊'],
  // Alternatives.
  ['{a,b}.ts', 'b.*'],
  ['{a,b{c,d}}', 'bd'],
  ['src/{a/*,b}/c', 'src/a/x/c'],
  ['{,x}a', 'a'],
  ['a{,/**}', 'a/b/c'],
  // What is not finished, and what is escaped, is itself.
  ['[a', '\\[a'],
  ['{a,b', '\\{a,b'],
  ['{a}', '\\{a\\}'],
  ['a\\*', 'a[*]'],
  ['a\\', 'a\\\\'],
  ['{[,],b}', '[,]'],
])('%s and %s overlap', (left, right) => {
  expect(overlap(left, right)).toBe(true);
});

test.each([
  ['src/a.ts', 'src/b.ts'],
  ['src/*.ts', 'src/a.js'],
  ['src/*', 'src/a/b'],
  ['*', 'a/b'],
  ['a*', 'ab/c'],
  ['?', 'ab'],
  ['?', '🦊🦊'],
  ['a*b', 'a*c'],
  // A segment is never empty, and no wildcard but ** goes beyond one.
  ['a/*/b', 'a/b*'],
  ['a?b', 'a/b'],
  ['a[!x]b', 'a/b'],
  ['a[.-0]b', 'a/b'],
  // Two stars beside other characters are one.
  ['a**', 'a/b'],
  ['**a', 'b/a'],
  ['a/**b', 'a/x/b'],
  ['**/a.ts', '*.bak'],
  ['src/**/test', 'lib/**'],
  // A name with a dot is a file for all others.
  ['src/a.js', '**/*.ts'],
  ['src/a.js', 'src/*/b.ts'],
  ['src/*/a.js', 'src/**/b.ts'],
  ['src/{a,b}.js', 'src/*.js/b'],
  // What is below belongs to names alone.
  ['src/*.ts', 'src/a.ts/b'],
  ['src/auth', 'src/authentication/a.ts'],
  ['src/auth', 'src/aut'],
  ['src/{a,b*}', 'src/bc/x'],
  ['[abc]', 'd'],
  ['[!a-z]', 'q'],
  ['[z-a]', 'a'],
  ['[z-a]', '[z-a]'],
  ['[a-c]', '[d-f]'],
  ['{a,b}', '{c,d}'],
  ['{a}', 'a'],
  ['\\*', 'a'],
  ['\\{a,b}', 'a'],
  ['{a,}', 'b'],
  ['A', 'a'],
  ['../a', 'a'],
])('%s and %s do not overlap', (left, right) => {
  expect(overlap(left, right)).toBe(false);
});
