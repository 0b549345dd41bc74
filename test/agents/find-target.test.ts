import { expect, test, vi } from 'vitest';
import { findTarget } from '../../agents/find-target.ts';

test.each([
  ['Audit https://shop.audit-sites.net/shoes?x=1#top, please.', 'https://shop.audit-sites.net/shoes?x=1#top'],
  ['(see https://shop.audit-sites.net)', 'https://shop.audit-sites.net'],
  ['url:https://shop.audit-sites.net', 'https://shop.audit-sites.net'],
  ['<HTTP://SHOP.audit-sites.net>', 'HTTP://SHOP.audit-sites.net'],
  ['shop.audit-sites.net!', 'shop.audit-sites.net'],
  ['**shop.audit-sites.net/shoes**', 'shop.audit-sites.net/shoes'],
  ['“bücher.de” and others.net', 'bücher.de'],
  ['Make an llms.txt and robots.txt for docs.audit-sites.net', 'docs.audit-sites.net'],
  ['one.net, then https://two.net', 'one.net'],
  ['mail me@shop.audit-sites.net', undefined],
  ["('shop.audit-sites.net')}]*_’;:?!.,", 'shop.audit-sites.net'],
  ['version 1.2.3 at 10.0.0.1', undefined],
  ['e.g. this... and that', undefined],
  ['://nothing', undefined],
  ['', undefined],
])('in %j it is %j', (text, found) => {
  expect(findTarget(text)).toBe(found);
});

test('a long text is read in no more than its length', () => {
  const long = 200_000;
  for (const text of [
    'a'.repeat(long),
    'a.'.repeat(long / 2),
    'a-'.repeat(long / 2),
    '.'.repeat(long),
    '://'.repeat(long / 3),
  ])
    expect(findTarget(text)).toBe(undefined);
  expect(findTarget(`https://${'a'.repeat(long)}`)).toHaveLength(long + 8);
  // The square of this would take days.
  const dots = '.'.repeat(4_000_000);
  expect(findTarget(`https://${dots}x${dots}`)).toHaveLength(dots.length + 9);
});

test('the end of each word is looked at once, however many marks there are in it', () => {
  const words = 16;
  const looks = vi.spyOn(Set.prototype, 'has');
  try {
    // As long as a word may be that is looked at for a name.
    expect(
      findTarget(
        Array(words)
          .fill(`${'.'.repeat(2_047)}x`)
          .join(' '),
      ),
    ).toBe(undefined);
    expect(looks).toHaveBeenCalledTimes(words);
    looks.mockClear();
    expect(
      findTarget(
        Array(words)
          .fill(`x${'.'.repeat(2_047)}`)
          .join(' '),
      ),
    ).toBe(undefined);
    expect(looks).toHaveBeenCalledTimes(words * 2_048);
  } finally {
    looks.mockRestore();
  }
});
