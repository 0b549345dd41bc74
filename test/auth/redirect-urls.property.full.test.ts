import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readUrl } from '../../core/urls.ts';
import { isListed, isListedOrigin, readEntry } from '../../resolvers/auth/redirect-urls.ts';

const entries = [
  'https://app.example.com/auth',
  'https://whole.example.com',
  'https://app.example.com:8443/cb',
  'http://127.0.0.1:4173/cb',
];

/** Pieces that attackers put together: of hosts, of paths, and of what readers of URLs disagree about. */
const pieces = fc.constantFrom(
  ...['https:', 'HTTPS:', 'http:', 'javascript:', 'data:', 'file:', 'blob:https:', '/', '//', '///', '\\', '\\\\'],
  ...['app.example.com', 'APP.EXAMPLE.COM', 'whole.example.com', 'evil.example', '127.0.0.1', '127.1', '[::1]'],
  ...['app。example。com', 'аpp.example.com', 'xn--pp-6kc.example.com', 'app.example.com.', '.', '..', '..;', '%2e%2e'],
  ...[
    '%2f',
    '%5c',
    '%252f',
    '%00',
    '%09',
    ':',
    ':443',
    ':8443',
    ':4173',
    '@',
    'user',
    ':pass',
    '?',
    '#',
    '&',
    'token=x',
  ],
  ...['auth', 'authx', 'cb', 'cb/', '/auth/', '/auth/..', '\t', '\n', '\r', '\0', ' ', '\u00a0', '\u200b', '*'],
);
const madeUp = fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join(''));
/** Below an entry, and then whatever: most of these have to be refused for their ends alone. */
const nearly = fc.tuple(fc.constantFrom(...entries), madeUp).map(([entry, rest]) => `${entry}${rest}`);
const anything = fc.oneof(madeUp, nearly, fc.webUrl({ withFragments: true, withQueryParameters: true }), fc.string());

test('whatever is accepted is, as a browser reads it, of an origin on the list and at or below the path of its entry', () => {
  let accepted = 0;
  fc.assert(
    fc.property(anything, (text) => {
      const url = readUrl(text);
      if (url === undefined || !isListed(url, entries)) return;
      accepted += 1;
      // What is used is the serialised URL: read again it must be the same place.
      const again = new URL(url.href);
      const entry = entries
        .map((one) => new URL(one))
        .find(({ origin, pathname }) => {
          const prefix = pathname.replace(/\/$/, '');
          return origin === again.origin && (again.pathname === prefix || again.pathname.startsWith(`${prefix}/`));
        });
      expect(entry, text).toBeDefined();
      expect([again.username, again.password]).toEqual(['', '']);
      expect(['http:', 'https:']).toContain(again.protocol);
      // A server that decodes the path once or twice more does not leave the prefix either.
      for (const decoded of [unescape(again.pathname), unescape(unescape(again.pathname))]) {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: none may be there.
        expect(decoded).not.toMatch(/\\|\/\/|[\0-\x1f]/);
        expect(decoded.replaceAll(';', '').split('/')).not.toContain('..');
      }
    }),
    { numRuns: 20_000 },
  );
  expect(accepted).toBeGreaterThan(100);
});

test('an entry that was kept reads as itself, and covers itself and what is below it', () => {
  let kept = 0;
  fc.assert(
    fc.property(anything, (text) => {
      const read = readEntry(text);
      if (!('entry' in read)) {
        expect(read.reason).toMatch(/^must /);
        return;
      }
      kept += 1;
      const { entry } = read;
      expect(readEntry(entry)).toEqual({ entry });
      for (const below of ['', '/', '/x', '/x?token=1&token=2', '?a=b#c'])
        expect(isListed(new URL(`${entry}${below}`), [entry]), `${entry}${below}`).toBe(true);
      // Neither a host nor a path that goes on without a slash.
      for (const longer of ['x', '.evil.example', '0']) {
        const url = URL.parse(`${entry}${longer}`);
        if (url !== null) expect(isListed(url, [entry])).toBe(false);
      }
      expect(isListedOrigin(new URL(new URL(entry).origin), [entry])).toBe(true);
    }),
    { numRuns: 20_000 },
  );
  expect(kept).toBeGreaterThan(100);
});
