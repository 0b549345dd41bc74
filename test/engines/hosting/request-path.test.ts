import fc from 'fast-check';
import { expect, test } from 'vitest';
import { asSent, canonicalPath, pathCharactersMax } from '../../../engines/hosting/request-path.ts';

test.each([
  ['/', '/'],
  ['/index.html', '/index.html'],
  ['/a/b/', '/a/b/'],
  ['/.well-known/security.txt', '/.well-known/security.txt'],
  ['/a..b/...', '/a..b/...'],
  ['/caf%C3%A9', '/café'],
  ['/cafe%CC%81', '/café'],
  ['/%F0%9F%98%80', '/😀'],
  ['/a%20b', '/a b'],
  ['/100%25', '/100%'],
  ['/a%3Fb%23c', '/a?b#c'],
  ['/_casual/a', '/_casual/a'],
  ['/a/_cas/b', '/a/_cas/b'],
  ["/~!$&'()*+,;=:@", "/~!$&'()*+,;=:@"],
])('%s is the path %s', (sent, path) => expect(canonicalPath(sent)).toEqual({ path }));

test.each([
  ['', 'not_absolute'],
  ['a', 'not_absolute'],
  ['http://host/a', 'not_absolute'],
  ['*', 'not_absolute'],
  [`/${'a'.repeat(pathCharactersMax)}`, 'too_long'],
  ['/a\\b', 'backslash'],
  ['/a%5cb', 'backslash'],
  ['/a%5Cb', 'backslash'],
  ['//', 'empty_segment'],
  ['//host/a', 'empty_segment'],
  ['/a//b', 'empty_segment'],
  ['/a//', 'empty_segment'],
  ['/a%2fb', 'encoded_slash'],
  ['/a%2Fb', 'encoded_slash'],
  ['/%2f', 'encoded_slash'],
  ['/.', 'dot_segment'],
  ['/..', 'dot_segment'],
  ['/../a', 'dot_segment'],
  ['/a/./b', 'dot_segment'],
  ['/a/../b', 'dot_segment'],
  ['/a/..', 'dot_segment'],
  ['/%2e/a', 'dot_segment'],
  ['/%2e%2e/a', 'dot_segment'],
  ['/.%2E/a', 'dot_segment'],
  ['/a/%2E%2e', 'dot_segment'],
  ['/a\u0000b', 'control_character'],
  ['/a\tb', 'control_character'],
  ['/a\u007fb', 'control_character'],
  ['/a%00b', 'control_character'],
  ['/a%0ab', 'control_character'],
  ['/a%0d%0ab', 'control_character'],
  ['/a%7F', 'control_character'],
  ['/a%C2%85', 'control_character'],
  ['/%252e%252e/a', 'double_encoding'],
  ['/a%252fb', 'double_encoding'],
  ['/a%25%32%66b', 'double_encoding'],
  ['/%', 'broken_escape'],
  ['/%4', 'broken_escape'],
  ['/%zz', 'broken_escape'],
  ['/%u0041', 'broken_escape'],
  ['/%c0%af', 'broken_escape'],
  ['/%c0%ae%c0%ae/a', 'broken_escape'],
  ['/%e0%80%af', 'broken_escape'],
  ['/%f0%80%80%af', 'broken_escape'],
  ['/%ff', 'broken_escape'],
  ['/%C3', 'broken_escape'],
  ['/%ED%A0%80', 'broken_escape'],
  ['/%F4%90%80%80', 'broken_escape'],
  ['/caf\u00e9', 'not_ascii'],
  ['/_cas', 'reserved'],
  ['/_cas/ab', 'reserved'],
  ['/%5fcas/ab', 'reserved'],
])('%j is no path: %s', (sent, fault) => expect(canonicalPath(sent)).toEqual({ fault }));

/** Pieces that attacks are made of, and some that are harmless. */
const piece = fc.constantFrom(
  ...[
    '/',
    '//',
    '\\',
    '.',
    '..',
    '%2e',
    '%2E',
    '%2f',
    '%5c',
    '%25',
    '%252e',
    '%00',
    '%0a',
    '%c0',
    '%ae',
    '%',
    '%4',
    'a',
  ],
  ...['B', '_cas', '_svc', 'é', '%C3%A9', '\u0000', ' ', ';', '?', '~', '%ED%A0%80', '😀', 'index.html'],
);
const sent = fc.oneof(
  fc.array(piece, { maxLength: 12 }).map((pieces) => `/${pieces.join('')}`),
  fc.string({ unit: 'binary', maxLength: 40 }).map((text) => `/${text}`),
);

test('whatever is sent, a canonical path leads nowhere else and means the same once more', () => {
  fc.assert(
    fc.property(sent, (given) => {
      const found = canonicalPath(given);
      if ('fault' in found) return;
      const { path } = found;
      const segments = path.slice(1).split('/');
      expect(path.startsWith('/')).toBe(true);
      expect(path).toBe(path.normalize('NFC'));
      expect(path.isWellFormed()).toBe(true);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
      expect(path).not.toMatch(/[\\\u0000-\u001f\u007f-\u009f]|\/\//);
      expect(path).not.toMatch(/%[0-9a-f]{2}/i);
      expect(segments.slice(0, -1)).not.toContain('');
      expect(segments).not.toContain('.');
      expect(segments).not.toContain('..');
      expect(segments[0]).not.toBe('_cas');
      // Escaped anew, it is the same path.
      const again = path.split('/').map(encodeURIComponent).join('/');
      if (again.length <= pathCharactersMax) expect(canonicalPath(again)).toEqual({ path });
    }),
    { numRuns: 2_000 },
  );
});

test('a path of a site is found by what a browser makes of it', () => {
  const segment = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 8 })
    .map((text) => text.normalize('NFC').replace(/[/\\%\p{Cc}]/gu, '-'))
    .filter((text) => text !== '.' && text !== '..' && text !== '_cas');
  fc.assert(
    fc.property(fc.array(segment, { minLength: 1, maxLength: 5 }), (segments) => {
      const path = `/${segments.join('/')}`;
      expect(canonicalPath(`/${segments.map(encodeURIComponent).join('/')}`)).toEqual({ path });
    }),
  );
});

test('a path is escaped as a browser escapes it', () => {
  expect(asSent('/café/a b%20c')).toBe('/caf%C3%A9/a%20b%20c');
  expect(asSent('/\ud800')).toBe('/%EF%BF%BD');
});
