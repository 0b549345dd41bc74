import { describe, expect, test } from 'vitest';
import { emptyRelease } from '../../../engines/release/model.ts';
import { withoutText } from '../../../engines/release/warnings/sql-text.ts';
import { diffToWire, manifestMetadata } from '../../../engines/release/wire.ts';
import { codes, content, fn, functions, migration, plan, release, routes, site, toFunction } from './spec.ts';

describe('diff and summary', () => {
  const base = release({
    ...site({ 'a.txt': 'a', 'b.txt': 'b' }),
    ...functions('api'),
    ...routes(toFunction('/x', { methods: ['GET'] })),
  });

  test.each([
    ['No changes (noop)', site({ 'a.txt': 'a', 'b.txt': 'b' })],
    ['1 site path added, 1 site path changed, 1 site path removed', site({ 'a.txt': 'other', 'c.txt': 'c' })],
    [
      '2 migrations new',
      {
        database: {
          migrations: [
            { id: '1', sql: 'a' },
            { id: '2', sql: 'b' },
          ],
        },
      },
    ],
    ['1 function added, 1 function changed', { functions: { patch: { set: { api: fn('new'), more: fn('more') } } } }],
    ['2 secrets required', { secrets: { require: ['A', 'B'] } }],
    ['1 subdomain added', { subdomains: { set: ['shop'] } }],
    ['1 route changed', routes(toFunction('/x', { methods: ['POST'] }))],
    ['1 route removed', routes()],
    ['i18n changed', { i18n: { default_locale: 'en', locales: ['en'] } }],
    ['embedding changed', { site: { embedding: { frame_ancestors: ['docs'] } } }],
    ['content types changed', { site: { patch: { put: { 'a.txt': content('a', 'text/css') } } } }],
  ])('%s', (summary, slices) => {
    const planned = plan(slices, base);
    expect(planned.summary).toBe(summary);
    expect(planned.isNoop).toBe(summary === 'No changes (noop)');
  });

  test('several routes of one pattern are told apart by their methods', () => {
    const before = release(
      routes(toFunction('/x', { methods: ['GET'] }), toFunction('/x/', { methods: ['POST'] })),
      base,
    );
    const { diff } = plan(
      routes(toFunction('/x', { methods: ['GET'] }), toFunction('/x/', { methods: ['PUT'] })),
      before,
    );
    expect(diff.routes).toMatchObject({ added: [{ methods: ['PUT'] }], removed: [{ methods: ['POST'] }], changed: [] });
  });

  test('routes are matched exact before prefix, and the longer prefix first', () => {
    const { routes: found } = release(
      routes(toFunction('/a/*'), toFunction('/a/b/*'), toFunction('/z'), toFunction('/b')),
      base,
    );
    expect(found.map(({ pattern }) => pattern)).toEqual(['/b', '/z', '/a/b/*', '/a/*']);
  });

  test('what is missing is told once for each object', () => {
    const planned = plan(site({ 'a.txt': 'same', 'b.txt': 'same', 'c.txt': 'c' }), base, {
      held: new Map([[content('c').sha256, 1]]),
    });
    expect(planned.content.filter(({ present }) => !present)).toMatchObject([
      { sha256: content('same').sha256, size: 4 },
    ]);
    expect(planned.cost).toMatchObject({ storageBytesAdded: 4 });
  });

  test('a long bucket is cut and its totals told', () => {
    const { diff } = plan(site(Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`${i}`, 'x']))));
    expect(diffToWire(diff, 10).site).toMatchObject({ totals: { added: 30, removed: 0, changed: 0 } });
    expect(diffToWire(diff, 10).site.added).toHaveLength(10);
    expect(diffToWire(diff, 30).site.totals).toBeUndefined();
  });

  test('a route whose spelling or acknowledgement alone is another one is changed', () => {
    const read = toFunction('/r/*', { methods: ['GET'] });
    const before = release(routes(read, toFunction('/x')), base);
    const { diff, isNoop } = plan(routes({ ...read, acknowledge_readonly: true }, toFunction('/x/')), before);
    expect(diff.routes.changed.map(({ pattern, fieldsChanged }) => [pattern, fieldsChanged])).toEqual([
      ['/r/*', ['acknowledge_readonly']],
      ['/x/', ['pattern']],
    ]);
    expect(isNoop).toBe(false);
  });

  test('classes are counted by whatever name they have', () => {
    const table = { mode: 'explicit', replace: { '/a': { asset: 'a.txt', cache_class: 'constructor' } } };
    expect(manifestMetadata(release({ site: { public_paths: table } }, base))?.cache_classes).toEqual({
      constructor: 1,
    });
  });

  test('SQL of any length is looked at statement by statement', () => {
    for (const sql of ['alter table '.repeat(80_000), 'grant to, '.repeat(80_000), `drop${' '.repeat(900_000)}x`])
      expect(codes(migration(sql))).toEqual(['FIRST_DEPLOY']);
  });

  test('SQL is looked at without its texts', () => {
    expect(withoutText(`a E'it\\'s' "q""x" $t$ b $t$ /* c /* d */ e */ f -- g\nh`).replace(/ +/g, ' ')).toBe('a E f h');
  });
});

describe('assets', () => {
  const put = (key: string, word: string, more: object = {}) => ({
    key,
    sha256: content(word).sha256,
    size_bytes: word.length,
    ...more,
  });
  const held = {
    sha256: content('a').sha256,
    size: 1,
    contentType: 'application/octet-stream',
    visibility: 'public',
    immutable: true,
    metadata: null,
    exifPolicy: 'keep',
  } as const;
  const assets = new Map([
    ['x/a', held],
    ['x/b', held],
    ['y', held],
  ]);
  const facts = { assets, held: new Map([[content('a').sha256, 1]]) };

  test('entries say what they need', () => {
    const planned = plan(
      { assets: { put: [put('x/a', 'a'), put('x/b', 'a', { visibility: 'private' }), put('z', 'new')] } },
      emptyRelease,
      facts,
    );
    expect(planned.assets.entries.map(({ status }) => status)).toEqual([
      'present',
      'satisfied_by_plan',
      'upload_pending',
    ]);
    expect(planned.cost).toMatchObject({ assetKeysAdded: 1, assetKeysRemoved: 0 });
  });

  test('what is there is no change, nor is the deletion of what is not', () => {
    expect(plan({ assets: { put: [put('x/a', 'a')], delete: ['gone'] } }, emptyRelease, facts).isNoop).toBe(true);
    expect(plan({ assets: { delete: ['y'] } }, emptyRelease, facts).isNoop).toBe(false);
    const noted = { put: [put('x/a', 'a', { metadata: { tags: ['new'] } })] };
    expect(plan({ assets: noted }, emptyRelease, facts).isNoop).toBe(false);
  });

  test('a prune tells what it would delete, by a digest that follows the keys', () => {
    const prune = (of: typeof facts) =>
      plan({ assets: { put: [put('x/a', 'a')], sync: { prefix: 'x/', prune: true } } }, emptyRelease, of).assets.sync!;
    expect(prune(facts)).toMatchObject({ prefix: 'x/', deletes: ['x/b'] });
    const more = { ...facts, assets: new Map([...assets, ['x/c', held] as const]) };
    expect(prune(more).deleteSetDigest).not.toBe(prune(facts).deleteSetDigest);
    expect(prune(more).baseRevision).not.toBe(prune(facts).baseRevision);
  });
});
