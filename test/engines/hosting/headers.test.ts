import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  cacheControlOf,
  contentDigestOf,
  entityTagOf,
  entityTagsOf,
  framePolicyOf,
  isDocument,
} from '../../../engines/hosting/cache-headers.ts';
import { type Conditions, conditionalAnswer } from '../../../engines/hosting/conditional.ts';
import { acceptedCodings, isPackable } from '../../../engines/hosting/encoding.ts';
import { negotiateLocale } from '../../../engines/hosting/locale.ts';
import type { I18n } from '../../../engines/release/model.ts';

const tag = '"sha256-ab"';
const tags = entityTagsOf('ab');
const asked = (conditions: Conditions, method = 'GET', size = 100) =>
  conditionalAnswer(method, conditions, { tag, tags, size });
const part = (start: number, end: number) => ({ status: 206, span: { start, end } });

test.each<[string, Conditions, object]>([
  ['nothing', {}, { status: 200 }],
  ['the same tag', { 'if-none-match': tag }, { status: 304 }],
  ['the same tag, weak', { 'if-none-match': `W/${tag}` }, { status: 304 }],
  ['the tag of another coding', { 'if-none-match': '"sha256-ab-br"' }, { status: 304 }],
  ['the tag of an unknown coding', { 'if-none-match': '"sha256-ab-x"' }, { status: 200 }],
  ['a range of another coding', { range: 'bytes=0-9', 'if-range': '"sha256-ab-br"' }, { status: 200 }],
  ['one of several tags', { 'if-none-match': `"x", ${tag} , "y,z"` }, { status: 304 }],
  ['any tag', { 'if-none-match': ' * ' }, { status: 304 }],
  ['another tag', { 'if-none-match': '"sha256-abc"' }, { status: 200 }],
  ['a tag without its marks', { 'if-none-match': 'sha256-ab' }, { status: 200 }],
  ['a tag within another', { 'if-none-match': '"x"sha256-ab"' }, { status: 200 }],
  ['the tag that has to be', { 'if-match': tag }, { status: 200 }],
  ['any tag that has to be', { 'if-match': '*' }, { status: 200 }],
  ['another tag that has to be', { 'if-match': '"x"' }, { status: 412 }],
  ['a weak tag that has to be', { 'if-match': `W/${tag}` }, { status: 412 }],
  ['the first bytes', { range: 'bytes=0-9' }, part(0, 9)],
  ['one byte', { range: 'bytes=99-99' }, part(99, 99)],
  ['the rest', { range: 'bytes=90-' }, part(90, 99)],
  ['more than the rest', { range: 'bytes=90-1000' }, part(90, 99)],
  ['the last bytes', { range: 'bytes=-10' }, part(90, 99)],
  ['more than all from the end', { range: 'bytes=-1000' }, part(0, 99)],
  ['a unit in capitals', { range: 'Bytes = 0 - 9' }, part(0, 9)],
  ['from behind the end', { range: 'bytes=100-' }, { status: 416 }],
  ['no bytes from the end', { range: 'bytes=-0' }, { status: 416 }],
  ['a range that ends before it begins', { range: 'bytes=9-0' }, { status: 200 }],
  ['several ranges', { range: 'bytes=0-1,3-4' }, { status: 200 }],
  ['another unit', { range: 'items=0-1' }, { status: 200 }],
  ['no range', { range: 'bytes=-' }, { status: 200 }],
  ['a huge number', { range: `bytes=${'9'.repeat(400)}-` }, { status: 416 }],
  ['a huge end', { range: `bytes=0-${'9'.repeat(400)}` }, part(0, 99)],
  ['a range of the same bytes', { range: 'bytes=0-9', 'if-range': tag }, part(0, 9)],
  ['a range of other bytes', { range: 'bytes=0-9', 'if-range': '"x"' }, { status: 200 }],
  ['a range of bytes that are alike', { range: 'bytes=0-9', 'if-range': `W/${tag}` }, { status: 200 }],
  ['a range by date', { range: 'bytes=0-9', 'if-range': 'Sat, 29 Oct 2022 19:43:31 GMT' }, { status: 200 }],
  ['a range of what the client has', { range: 'bytes=0-9', 'if-none-match': tag }, { status: 304 }],
])('a request with %s', (_case, conditions, answer) => expect(asked(conditions)).toEqual(answer));

test('ranges are for GET alone, and none is in an empty file', () => {
  expect(asked({ range: 'bytes=0-9' }, 'HEAD')).toEqual({ status: 200 });
  expect(asked({ range: 'bytes=0-' }, 'GET', 0)).toEqual({ status: 416 });
  expect(asked({ range: 'bytes=-5' }, 'GET', 0)).toEqual({ status: 416 });
});

test('whatever range is asked for, what is answered lies in the file', () => {
  const number = fc.oneof(fc.nat(300).map(String), fc.stringMatching(/^[0-9a-z,-]{0,6}$/));
  fc.assert(
    fc.property(number, number, fc.nat(200), (first, last, size) => {
      const answer = asked({ range: `bytes=${first}-${last}` }, 'GET', size);
      if (answer.status !== 206) return;
      expect(answer.span.start).toBeLessThanOrEqual(answer.span.end);
      expect(answer.span.end).toBeLessThan(size);
    }),
  );
});

test.each([
  [undefined, []],
  ['', []],
  ['identity', []],
  ['gzip', ['gzip']],
  ['x-gzip', ['gzip']],
  ['gzip, deflate, br, zstd', ['br', 'zstd', 'gzip']],
  ['GZIP;Q=0.5, BR;Q=1', ['br', 'gzip']],
  ['br;q=0.1, gzip', ['gzip', 'br']],
  ['br;q=0, gzip', ['gzip']],
  ['*', ['br', 'zstd', 'gzip']],
  ['*;q=0, gzip', ['gzip']],
  ['br;q=0.000, *;q=0.1', ['zstd', 'gzip']],
  ['identity;q=1, *;q=0', []],
  ['identity;q=1, gzip;q=0.5', []],
  ['gzip;q=0.5, identity;q=0.5', ['gzip']],
  ['gzip;q=7', ['gzip']],
  [';;;,,,', []],
])('%j takes %j', (header, taken) => expect(acceptedCodings(header)).toEqual(taken));

test('texts are packed, and what is packed by its own format is not', () => {
  for (const type of ['text/html; charset=utf-8', 'text/css', 'application/json', 'image/svg+xml', 'application/wasm'])
    expect(isPackable(type)).toBe(true);
  for (const type of ['image/png', 'video/mp4', 'font/woff2', 'application/zip', 'application/octet-stream'])
    expect(isPackable(type)).toBe(false);
});

test('files say how long they may be kept, what they are, and who may embed them', () => {
  expect(cacheControlOf('immutable_versioned')).toBe('public, max-age=31536000, immutable');
  for (const one of ['html', 'revalidating_asset', 'of_another_day'])
    expect(cacheControlOf(one)).toBe('public, max-age=0, must-revalidate');
  expect(entityTagOf('ab')).toBe(tag);
  expect(contentDigestOf(Buffer.from('ab', 'hex'))).toBe('sha-256=:qw==:');
  expect(framePolicyOf([])).toBe("frame-ancestors 'none'");
  expect(framePolicyOf(['https://docs.example'])).toBe("frame-ancestors 'self' https://docs.example");
  expect(['text/html; charset=utf-8', 'TEXT/HTML', 'image/svg+xml', 'text/css'].map(isDocument)).toEqual([
    true,
    true,
    true,
    false,
  ]);
});

const i18n: I18n = {
  defaultLocale: 'en',
  locales: ['en', 'de', 'zh-Hant', 'pt-BR', 'x-Klingon'],
  detect: ['cookie:lang', 'accept-language'],
  unknownLocalePolicy: 'reject',
};
const spoken = (header: string, of: Partial<I18n> = {}) =>
  negotiateLocale({ ...i18n, ...of }, { 'accept-language': header });

test.each([
  ['de', 'de'],
  ['DE', 'de'],
  ['de-AT', 'de'],
  ['zh-Hant-TW', 'zh-Hant'],
  ['zh-hant-tw', 'zh-Hant'],
  ['zh-Hans, de;q=0.1', 'de'],
  ['zh', 'en'],
  ['pt', 'en'],
  ['fr, de;q=0.5, zh-Hant;q=0.9', 'zh-Hant'],
  ['fr;q=1, de;q=0', 'en'],
  ['de;q=0.5, zh-Hant;q=0.5', 'de'],
  ['*', 'en'],
  ['de-x-private', 'de'],
  ['', 'en'],
  ['de;q=zero, pt-BR;q=0.1', 'pt-BR'],
])('a browser that prefers %j is answered in %s', (header, locale) => expect(spoken(header)).toEqual({ locale }));

test('sources are asked in their order, and without one the default answers', () => {
  const both = { 'accept-language': 'de', cookie: 'a=b; lang=zh-HANT; lang=de' };
  expect(negotiateLocale(i18n, both)).toEqual({ locale: 'zh-Hant' });
  expect(negotiateLocale({ ...i18n, detect: ['accept-language', 'cookie:lang'] }, both)).toEqual({ locale: 'de' });
  expect(negotiateLocale({ ...i18n, detect: [] }, both)).toEqual({ locale: 'en' });
  expect(negotiateLocale(i18n, { 'accept-language': 'de', cookie: 'language=pt-BR' })).toEqual({ locale: 'de' });
});

test('a cookie that names an unknown locale is refused or passed on, and what is no locale says nothing', () => {
  const cookie = (value: string) => ({ 'accept-language': 'de', cookie: `lang=${value}` });
  expect(negotiateLocale(i18n, cookie('fr'))).toEqual({ unknown: 'fr' });
  expect(negotiateLocale({ ...i18n, unknownLocalePolicy: 'pass-through' }, cookie('fr'))).toEqual({ locale: 'fr' });
  for (const value of ['', '<script>', 'a'.repeat(65)])
    expect(negotiateLocale(i18n, cookie(value))).toEqual({ locale: 'de' });
});
