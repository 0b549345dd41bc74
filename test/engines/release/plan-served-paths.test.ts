import { describe, expect, test } from 'vitest';
import { diffToWire } from '../../../engines/release/wire.ts';
import { content, files, functions, plan, refusal, release, routes, site, toFile, toFunction } from './spec.ts';

describe('what is served at which path', () => {
  const hashed = 'app.3f2a9c1b.js';

  test('files have the URLs of their names, and index files those of their folders', () => {
    const { manifest } = release(site({ 'index.html': 'a', 'docs/index.html': 'b', 'a b.txt': 'c' }));
    expect([...manifest.files.keys()]).toEqual(['/a b.txt', '/docs/index.html', '/docs/', '/index.html', '/']);
    expect(manifest.spaFallback).toBe('/index.html');
  });

  test('a table names all paths that there are', () => {
    const table = { mode: 'explicit', replace: { '/': { asset: 'index.html' } } };
    const { manifest } = release({
      site: { replace: files({ 'index.html': 'a', 'b.txt': 'b' }), public_paths: table },
    });
    expect([...manifest.files]).toMatchObject([
      ['/', { assetPath: 'index.html', authority: 'explicit_public_path', direct: true }],
    ]);
    expect(manifest.spaFallback).toBeNull();
  });

  test('an alias takes the place of the file that is there', () => {
    const { manifest } = release({ ...site({ 'index.html': 'a', 'b.html': 'b' }), ...routes(toFile('/', 'b.html')) });
    expect(manifest.files.get('/')).toMatchObject({
      assetPath: 'b.html',
      authority: 'route_static_alias',
      direct: false,
      routeId: '/',
    });
    expect(manifest.spaFallback).toBe('/index.html');
  });

  test('an alias may repeat a public path, and hides no other file', () => {
    const pages = site({ 'a.html': 'same', 'b.html': 'same', 'c.html': 'other', 'd/index.html': 'd' });
    const alias =
      (pattern: string, file: string, more: object = {}) =>
      () =>
        release({ ...pages, ...routes(toFile(pattern, file)), ...more });
    expect(alias('/a.html', 'a.html')().manifest.files.get('/a.html')).toMatchObject({ assetPath: 'a.html' });
    expect(alias('/a.html', 'b.html')().manifest.files.get('/a.html')).toMatchObject({ assetPath: 'b.html' });
    expect(alias('/d/', 'c.html')().manifest.files.get('/d/')).toMatchObject({ assetPath: 'c.html' });
    expect(refusal(alias('/a.html', 'c.html'))).toMatchObject({
      code: 'INVALID_SPEC',
      resource: 'routes.replace.0.pattern',
      details: { pattern: '/a.html', asset: 'a.html' },
    });
    const table = { public_paths: { mode: 'explicit', replace: { '/d/': { asset: 'd/index.html' } } } };
    expect(refusal(alias('/d/', 'c.html', { site: { ...pages.site, ...table } }))).toMatchObject({
      resource: 'routes.replace.0.pattern',
    });
  });

  test('public paths are kept as requests are compared with them, and patterns as they were written', () => {
    const replace = { '/caf%C3%A9%20x': { asset: 'a.txt' } };
    const { manifest, routes: found } = release({
      ...functions('api'),
      site: { replace: files({ 'a.txt': 'a' }), public_paths: { mode: 'explicit', replace } },
      ...routes(toFunction('/cafe\u0301/%7Eme/*'), toFile('/a%20b', 'a.txt')),
    });
    expect([...manifest.files.keys()]).toEqual(['/café x', '/a%20b']);
    expect(found.map(({ pattern }) => pattern)).toEqual(['/a%20b', '/café/%7Eme/*']);
    expect(() => release(routes(toFile('/a%20b', 'a.txt'), toFile('/a b/', 'a.txt')))).toThrow('answers');
  });

  test.each([
    ['a.html', undefined, 'html', 'inferred_html'],
    ['a.3f2a9c1b.html', 'immutable_versioned', 'html', 'inferred_html'],
    [hashed, undefined, 'immutable_versioned', 'inferred_sha_filename'],
    ['app-0123456789ab', undefined, 'immutable_versioned', 'inferred_sha_filename'],
    ['app-0123456789ab.js', undefined, 'immutable_versioned', 'inferred_sha_filename'],
    ['app.1234567.js', undefined, 'revalidating_asset', 'downgraded'],
    ['app.js', 'immutable_versioned', 'revalidating_asset', 'downgraded'],
    [hashed, 'immutable_versioned', 'immutable_versioned', 'declared'],
    [hashed, 'revalidating_asset', 'revalidating_asset', 'declared'],
    ['app.js', 'some_class', 'some_class', 'declared'],
  ])('%s declared %s is %s', (path, declared, cacheClass, cacheClassSource) => {
    const replace = { [`/${path}`]: { asset: path, ...(declared === undefined ? {} : { cache_class: declared }) } };
    const { manifest } = release({
      site: { replace: files({ [path]: 'x' }), public_paths: { mode: 'explicit', replace } },
    });
    expect(manifest.files.get(`/${path}`)).toMatchObject({ cacheClass, cacheClassSource });
  });

  test('a file with a fingerprint is not kept for ever under a URL without, unless its table says so', () => {
    const at = (entry: object) =>
      release({
        site: { replace: files({ [hashed]: 'x' }), public_paths: { mode: 'explicit', replace: { '/app.js': entry } } },
      }).manifest.files.get('/app.js')?.cacheClass;
    expect(at({ asset: hashed })).toBe('revalidating_asset');
    expect(at({ asset: hashed, cache_class: 'immutable_versioned' })).toBe('immutable_versioned');
    const alias = release({ ...site({ [hashed]: 'x' }), ...routes(toFile('/app.js', hashed)) });
    expect(alias.manifest.files.get('/app.js')?.cacheClass).toBe('revalidating_asset');
  });

  test('a name of a thousand digits that is no fingerprint costs no more than its length', () => {
    const names = Array.from({ length: 2_000 }, (_, i) => [`${'a'.repeat(990)}${i}g`, 'x'] as const);
    const { manifest } = release(site(Object.fromEntries(names)));
    expect(new Set([...manifest.files.values()].map(({ cacheClass }) => cacheClass))).toEqual(
      new Set(['revalidating_asset']),
    );
  });

  test('a path that was asked about again stays so until its table says otherwise', () => {
    const at = (cacheClass?: string) => ({
      site: {
        replace: files({ [hashed]: 'x' }),
        public_paths: {
          mode: 'explicit',
          replace: {
            [`/${hashed}`]: { asset: hashed, ...(cacheClass === undefined ? {} : { cache_class: cacheClass }) },
          },
        },
      },
    });
    const before = release(at('revalidating_asset'));
    const classOf = ({ manifest }: typeof before) => manifest.files.get(`/${hashed}`)?.cacheClass;
    expect(classOf(release(at()))).toBe('immutable_versioned');
    expect(classOf(release(at(), before))).toBe('revalidating_asset');
    expect(classOf(release(at('immutable_versioned'), before))).toBe('immutable_versioned');
  });

  test('other bytes under a name that is kept for ever are told', () => {
    const before = release(site({ [hashed]: 'one' }));
    const { diff } = plan(site({ [hashed]: 'two' }), before);
    const failure = {
      path: `/${hashed}`,
      previous_sha256: content('one').sha256,
      candidate_sha256: content('two').sha256,
    };
    expect(diffToWire(diff, 1_000).static_assets.previous_immutable_failures).toEqual([failure]);
  });
});
