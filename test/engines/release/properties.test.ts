import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson } from '../../../engines/release/canonical-json.ts';
import { diffReleases, isEmptyDiff } from '../../../engines/release/diff.ts';
import { manifestDigest, releaseDigest } from '../../../engines/release/digests.ts';
import type { ReleaseState } from '../../../engines/release/model.ts';
import { fingerprintOf } from '../../../engines/release/plan-release.ts';
import {
  decodeRelease,
  encodeRelease,
  partOf,
  readFilesPart,
  readSitePart,
  weightOf,
} from '../../../engines/release/stored.ts';
import { content, plan, refusal, release } from './spec.ts';

const name = fc.stringMatching(/^[a-z0-9]{1,6}$/);
const word = fc.stringMatching(/^[a-z]{1,4}$/);
const path = fc.oneof(
  fc.constantFrom('index.html', 'a/index.html', 'app.0123456789ab.js', 'ü/é.txt', '😀', '__proto__'),
  name.map((one) => `${one}.txt`),
);
const siteOf = (entries: readonly (readonly [string, string])[]) =>
  Object.fromEntries(entries.map(([key, text]) => [key.normalize('NFC'), content(text)]));

/** Slices that can be planned from nothing. */
const slices = fc
  .record({
    site: fc.array(fc.tuple(path, word), { maxLength: 8 }),
    functions: fc.array(fc.tuple(name, word), { maxLength: 3 }),
    secrets: fc.array(fc.constantFrom('A', 'B', 'C'), { maxLength: 2 }),
    host: fc.option(fc.constantFrom('shop', 'store')),
    locales: fc.option(fc.uniqueArray(fc.constantFrom('en', 'de', 'fr'), { minLength: 1 })),
    embed: fc.option(fc.constant(['docs'])),
  })
  .map(({ site, functions, secrets, host, locales, embed }) => ({
    // A folder of that name cannot be written as a member of a plain object.
    site: {
      replace: siteOf(site.filter(([key]) => key !== '__proto__')),
      embedding: embed === null ? null : { frame_ancestors: embed },
    },
    functions: { replace: Object.fromEntries(functions.map(([key, text]) => [key, { source: content(text) }])) },
    secrets: { require: [...new Set(secrets)] },
    subdomains: { set: host === null ? [] : [host] },
    i18n: locales === null ? null : { default_locale: locales[0]!, locales },
  }));

/** The slices that make one release of another, as its diff tells them. */
function patchOf(from: ReleaseState, to: ReleaseState) {
  const diff = diffReleases(from, to);
  const put = [...diff.site.added, ...diff.site.changed].map(({ path: key }) => {
    const { sha256, size, contentType } = to.site.get(key)!;
    return [key, { sha256, size, content_type: contentType }] as const;
  });
  const set = [...diff.functions.added, ...diff.functions.changed.map((one) => one.name)].map((key) => {
    const [source] = to.functions.get(key)!.files.values();
    return [key, { source }] as const;
  });
  return {
    site: {
      patch: { put: Object.fromEntries(put), delete: diff.site.removed },
      embedding: to.frameAncestors === null ? null : { frame_ancestors: to.frameAncestors },
    },
    functions: { patch: { set: Object.fromEntries(set), delete: diff.functions.removed } },
    secrets: { require: diff.secrets.added, delete: diff.secrets.removed },
    subdomains: { set: to.subdomains },
    i18n: to.i18n === null ? null : { default_locale: to.i18n.defaultLocale, locales: to.i18n.locales },
  };
}

test('the diff between two releases makes the one of the other', () => {
  fc.assert(
    fc.property(slices, slices, (a, b) => {
      const [from, to] = [release(a), release(b)];
      expect(isEmptyDiff(diffReleases(release(patchOf(from, to), from), to))).toBe(true);
    }),
  );
});

test('what is planned twice has one digest and one fingerprint, in whatever order it is written', () => {
  const reversed = (value: unknown): unknown =>
    typeof value !== 'object' || value === null || Array.isArray(value)
      ? value
      : Object.fromEntries(
          Object.entries(value)
            .reverse()
            .map(([key, one]) => [key, reversed(one)]),
        );
  fc.assert(
    fc.property(slices, (one) => {
      const [first, second] = [plan(one), plan(reversed(one) as object)];
      expect(second.digest).toBe(first.digest);
      expect(fingerprintOf(second, 'x', 'y')).toBe(fingerprintOf(first, 'x', 'y'));
      expect(manifestDigest(reversed(one) as never)).toBe(manifestDigest(one as never));
    }),
  );
});

test('what replaces a release by itself changes nothing', () => {
  fc.assert(
    fc.property(slices, (one) => {
      const base = release(one);
      expect(plan(one, base)).toMatchObject({ isNoop: true, summary: 'No changes (noop)' });
      expect(plan(one, base).digest).toBe(releaseDigest(base));
    }),
  );
});

test('a release that was kept is the same one when it is read', () => {
  fc.assert(
    fc.property(slices, (one) => {
      const state = release(one);
      const { body, site, files } = encodeRelease(state);
      const bytes = (parts: typeof site) => parts.map((part) => part.bytes);
      const read = decodeRelease(JSON.parse(JSON.stringify(body)), { site: bytes(site), files: bytes(files) });
      expect(releaseDigest(read)).toBe(releaseDigest(state));
      expect([...read.site]).toEqual([...state.site].sort(([a], [b]) => (a < b ? -1 : 1)));
    }),
  );
});

test('a change of one file changes one part, in which the file is found', () => {
  const many = (text: string) =>
    release({
      site: {
        replace: Object.fromEntries(
          Array.from({ length: 5_000 }, (_, i) => [`d/${i}.txt`, content(i === 7 ? text : 'x')]),
        ),
      },
    });
  const [before, after] = [encodeRelease(many('old')), encodeRelease(many('new'))];
  expect(after.site.length).toBe(32);
  const differ = after.site.filter(({ digest }, at) => digest !== before.site[at]!.digest);
  expect(differ).toHaveLength(1);
  const part = after.site[partOf('d/7.txt', after.site.length)]!;
  expect(new Map(readSitePart(part.bytes)).get('d/7.txt')?.sha256).toBe(content('new').sha256);
  const sizes = after.site.map(({ bytes }) => readSitePart(bytes).length);
  expect(Math.max(...sizes)).toBeLessThan(3 * (5_000 / 32));
});

test('files whose paths were chosen to lie in one part are refused, before a release of them is kept', () => {
  const chosen: string[] = [];
  for (let i = 0; chosen.length < 1_025; i += 1) if (partOf(`/${i}`, 1_024) === 7) chosen.push(`${i}`);
  const site = (paths: readonly string[]) => ({
    site: { replace: Object.fromEntries(paths.map((one) => [one, content('x')])) },
  });
  expect(refusal(() => plan(site(chosen)))).toMatchObject({ code: 'INVALID_SPEC', resource: 'site' });
  expect(encodeRelease(release(site(chosen.slice(1)))).files).toHaveLength(4);
});

test('what a part weighs follows its texts, and not how well they are compressed', () => {
  const part = (length: number) => {
    const [one] = encodeRelease(release({ site: { replace: { ['x'.repeat(length)]: content('x') } } })).files;
    return { bytes: one!.bytes.length, weight: weightOf(new Map(readFilesPart(one!.bytes))) };
  };
  const [short, long] = [part(10), part(1_000)];
  expect(long.bytes - short.bytes).toBeLessThan(50);
  expect(long.weight - short.weight).toBeGreaterThan(3_000);
});

test('what clients keep for themselves is no part of a digest, however deep it is nested', () => {
  const deep = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`);
  const notes = { $schema: deep, verify: deep, 'x-svc-omitted_features': deep };
  expect(manifestDigest({ i18n: null, ...notes })).toBe(manifestDigest({ i18n: null }));
});

test('canonical JSON has one form for equal values', () => {
  expect(
    canonicalJson({
      m: new Map<string, unknown>([
        ['z', 1],
        ['__proto__', []],
      ]),
      o: {},
      l: [],
    }),
  ).toBe('{"l":[],"m":{"__proto__":[],"z":1},"o":{}}');
  expect(canonicalJson({ b: [1, { d: null, c: undefined }], a: 'ü' })).toBe('{"a":"ü","b":[1,{"d":null}]}');
  expect(canonicalJson({ '\ud83d\ude00': 1, '\uffff': 2, a: 3 })).toBe('{"a":3,"\uffff":2,"😀":1}');
  expect(() => canonicalJson([Number.NaN])).toThrow(TypeError);
});
