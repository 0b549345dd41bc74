import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ServiceError } from '../../core/errors.ts';
import { returnPath } from '../../core/return-path.ts';

const outcome = (given: unknown): string => {
  try {
    return returnPath(given, '/otherwise');
  } catch (error) {
    return (error as ServiceError).code;
  }
};

test.each([
  ['/', '/'],
  ['/notes', '/notes'],
  ['/notes?x=1&y=%2F%2Fevil#z', '/notes?x=1&y=%2F%2Fevil#z'],
  ['/a?next=https://elsewhere.example', '/a?next=https://elsewhere.example'],
  ['/a%20b/%C3%A9', '/a%20b/%C3%A9'],
  ['/é', '/%C3%A9'],
  ['/a/../b', '/b'],
  ['', '/otherwise'],
  [undefined, '/otherwise'],
  [null, '/otherwise'],
])('%j leads to %j', (given, path) => {
  expect(outcome(given)).toBe(path);
});

test.each([
  'https://evil.example',
  'https://evil.example/',
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/a\\b',
  '/\t/evil.example',
  '/\n/evil.example',
  '\t//evil.example',
  ' //evil.example',
  '/a\r\nset-cookie: x=y',
  '/a\0',
  '/a\u0085b',
  '/a\u007f',
  '/%2f/evil.example',
  '/%2Fevil.example',
  '/%2F%2Fevil.example',
  '/%252Fevil.example',
  '/%25252Fevil.example',
  '/%5cevil.example',
  '/%255cevil.example',
  '/a%0d%0ab',
  '/a%00',
  '/%09/evil.example',
  '/..//evil.example',
  '/.//evil.example',
  '/a/..//evil.example',
  '/%2e%2e//evil.example',
  '/%2e%2e%2f%2fevil.example',
  '/./%2fevil.example',
  '/./%2f..',
  '/a%',
  '/a%zz',
  '/\ud800',
  'javascript:alert(1)',
  'data:text/html,x',
  'evil.example',
  'notes',
  '?x',
  '#x',
  `/${'x'.repeat(2_048)}`,
  ['/notes'],
  { path: '/notes' },
  7,
  true,
])('%j is no way back', (given) => {
  expect(outcome(given)).toBe('SVC_AUTH_RETURN_TO_INVALID');
});

test('whatever is let through is a path of the same host to every reader of URLs, and stays what it is', () => {
  const pieces = fc.constantFrom(
    '/',
    '\\',
    '.',
    '..',
    '%2f',
    '%5C',
    '%25',
    '%09',
    '\t',
    '\n',
    ' ',
    '@',
    ':',
    'evil.example',
    '?',
    '#',
    'a',
    'é',
    '\u2028',
    '\uff0f',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.array(pieces, { maxLength: 12 }).map((all) => `/${all.join('')}`),
        fc.string({ unit: 'binary' }),
      ),
      (given) => {
        const path = outcome(given);
        if (!path.startsWith('/')) return;
        for (const seen of [path, decodeURI(path.replace(/[?#].*$/s, ''))]) {
          const url = new URL(seen, 'https://own.example');
          expect(url.origin).toBe('https://own.example');
          expect(url.pathname).not.toMatch(/^\/\//);
          expect(seen).toMatch(/^\/(?![/\\])/);
        }
        expect(path).toMatch(/^[\x21-\x7e]*$/);
        expect(outcome(path)).toBe(path);
      },
    ),
    { numRuns: 20_000 },
  );
});
