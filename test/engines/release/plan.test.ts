import { describe, expect, test } from 'vitest';
import { emptyRelease } from '../../../engines/release/model.ts';
import { planRelease } from '../../../engines/release/plan-release.ts';
import { readSpec } from '../../../engines/release/spec/read-spec.ts';
import { promoteWarnings } from '../../../engines/release/warnings/promote-rules.ts';
import { withoutText } from '../../../engines/release/warnings/sql-text.ts';
import { diffToWire, manifestMetadata } from '../../../engines/release/wire.ts';
import {
  content,
  files,
  noFacts,
  plan,
  prototypeLimits,
  refusal,
  release,
  routes,
  spec,
  toFile,
  toFunction,
} from './spec.ts';

const site = (texts: Readonly<Record<string, string>>) => ({ site: { replace: files(texts) } });
const fn = (word: string, more: object = {}) => ({ source: content(word), ...more });
const functions = (...names: string[]) => ({
  functions: { replace: Object.fromEntries(names.map((name) => [name, fn(name)])) },
});
const migration = (sql: string, more: object = {}) => ({ database: { migrations: [{ id: 'm', sql, ...more }] } });
const codes = (...of: Parameters<typeof plan>) => plan(...of).warnings.map(({ code }) => code);
const twenty = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`p${i}.txt`, `${i}`]));

describe('a release is made of another one', () => {
  const base = release({
    ...site({ 'index.html': 'home', 'old.txt': 'old' }),
    ...functions('api', 'mail'),
    ...routes(toFunction('/api/*')),
    secrets: { require: ['A', 'B'] },
    subdomains: { set: ['shop'] },
    i18n: { default_locale: 'en', locales: ['en', 'de'] },
    database: { migrations: [{ id: 'm1', sql: 'select 1' }], expose: { version: 1, tables: [] } },
  });

  test('slices that are not named stay as they are', () => {
    const next = release({ secrets: { require: ['C'] } }, base);
    expect(next).toEqual({ ...base, secretKeys: ['A', 'B', 'C'] });
  });

  test.each([
    ['a site is replaced as a whole', site({ 'a.txt': 'a' }), (one: typeof base) => [...one.site.keys()], ['a.txt']],
    [
      'a site is patched by path',
      { site: { patch: { put: files({ 'a.txt': 'a' }), delete: ['old.txt'] } } },
      (one: typeof base) => [...one.site.keys()],
      ['a.txt', 'index.html'],
    ],
    [
      'a function is deleted by name',
      { functions: { patch: { delete: ['mail'] } } },
      (one: typeof base) => [...one.functions.keys()],
      ['api'],
    ],
    [
      'secrets that are deleted are not required any more',
      { secrets: { delete: ['A'] } },
      (one: typeof base) => one.secretKeys,
      ['B'],
    ],
    ['the subdomain is set', { subdomains: { set: ['store'] } }, (one: typeof base) => one.subdomains, ['store']],
    [
      'a subdomain takes the place of one that is removed',
      { subdomains: { add: ['store'], remove: ['shop'] } },
      (one: typeof base) => one.subdomains,
      ['store'],
    ],
    [
      'a subdomain that is added again is there once',
      { subdomains: { add: ['shop'] } },
      (one: typeof base) => one.subdomains,
      ['shop'],
    ],
    ['the subdomain is removed', { subdomains: { remove: ['shop'] } }, (one: typeof base) => one.subdomains, []],
    ['routes are cleared by an empty list', { routes: { replace: [] } }, (one: typeof base) => one.routes, []],
    ['routes that are null stay', { routes: null, i18n: null }, (one: typeof base) => one.routes.length, 1],
    ['locales are cleared by null', { i18n: null }, (one: typeof base) => one.i18n, null],
    [
      'migrations are added to those that were run',
      { database: { migrations: [{ id: 'm2', sql: 'select 2' }] } },
      (one: typeof base) => one.migrations.map(({ id }) => id),
      ['m1', 'm2'],
    ],
  ] as const)('%s', (_what, slices, read, expected) => {
    expect(read(release(slices, base))).toEqual(expected);
  });

  test('a function that is set keeps what its entry omits, and null takes a gate away', () => {
    const gate = { table: 'members', id_column: 'id', role_column: 'role', allowed: ['admin'] };
    const gated = release(
      { functions: { patch: { set: { api: { require_role: gate, config: { timeout: 7 } } } } } },
      base,
    );
    expect(gated.functions.get('api')).toMatchObject({
      codeHash: content('api').sha256,
      timeoutSeconds: 7,
      requireRole: { table: 'members' },
    });
    const open = release({ functions: { patch: { set: { api: { require_role: null } } } } }, gated);
    expect(open.functions.get('api')).toMatchObject({ timeoutSeconds: 7, requireRole: null });
  });

  test.each([
    [
      'a new function needs code',
      { functions: { patch: { set: { fresh: {} } } } },
      { resource: 'functions.patch.set.fresh' },
    ],
    [
      'a route needs its function',
      { functions: { patch: { delete: ['api'] } } },
      { details: { missing_route_targets: ['api'] } },
    ],
    [
      'a route needs its file',
      routes(toFile('/x', 'gone.html')),
      { details: { missing_route_targets: ['gone.html'] } },
    ],
    [
      'a public path needs its file',
      { site: { public_paths: { mode: 'explicit', replace: { '/x': { asset: 'gone' } } } } },
      { resource: 'site.public_paths.replace./x.asset' },
    ],
    [
      'an unknown embedder is refused',
      { site: { embedding: { frame_ancestors: ['nobody'] } } },
      { resource: 'site.embedding.frame_ancestors' },
    ],
  ] as const)('%s', (_what, slices, expected) => {
    expect(refusal(() => plan(slices, base))).toMatchObject({ code: 'INVALID_SPEC', ...expected });
  });

  test('a second subdomain is refused, and the first one stays', () => {
    expect(refusal(() => plan({ subdomains: { add: ['store'] } }, base))).toMatchObject({
      code: 'SUBDOMAIN_MULTI_NOT_SUPPORTED',
      resource: 'subdomains.add',
      details: { names: ['shop', 'store'] },
    });
  });

  test('a digest has one size, which is that of its bytes', () => {
    const { sha256 } = content('a');
    const twice = { site: { replace: { a: { sha256, size: 1 }, b: { sha256, size: 2 } } } };
    expect(refusal(() => plan(twice))).toMatchObject({ code: 'INVALID_SPEC', details: { sha256 } });
    const wrong = { site: { replace: { a: { sha256, size: 2 } } } };
    expect(refusal(() => plan(wrong, base, { held: new Map([[sha256, 1]]) }))).toMatchObject({
      code: 'INVALID_SPEC',
      details: { sha256, size: 1 },
    });
  });

  test('schedules are counted over the release, and those that were there may stay', () => {
    const run = { event_type: 'e' };
    const trigger = { id: 't', type: 'schedule', cron: '0 * * * *', run };
    const given = { functions: { patch: { set: { api: { schedule: '0 * * * *', triggers: [trigger] } } } } };
    const planned = (slices: object, from: typeof base) =>
      planRelease({
        spec: readSpec(spec(slices)),
        base: { releaseId: 'rel_1', state: from },
        facts: noFacts,
        limits: prototypeLimits,
      });
    expect(refusal(() => planned(given, base))).toMatchObject({
      code: 'FUNCTION_SCHEDULE_LIMIT_EXCEEDED',
      details: { value: 2, tier: 'prototype', tier_max: 1 },
    });
    const two = release(given, base);
    expect(planned({ secrets: { require: ['C'] } }, two).state.functions).toEqual(two.functions);
  });

  test('all gates of a release ask one table', () => {
    const gate = (table: string) => ({ require_role: { table, id_column: 'id', role_column: 'role', allowed: ['a'] } });
    const two = { functions: { patch: { set: { api: gate('one'), mail: gate('two') } } } };
    expect(refusal(() => plan(two, base))).toMatchObject({
      code: 'INVALID_SPEC',
      resource: 'functions.mail.require_role',
    });
  });

  test('a migration that was run with other SQL is refused', () => {
    const registry = new Map([['m', 'f'.repeat(64)]]);
    expect(refusal(() => plan(migration('select 1'), base, { registry }))).toMatchObject({
      code: 'MIGRATION_CHECKSUM_MISMATCH',
      details: {
        migration_id: 'm',
        registered_checksum: 'f'.repeat(64),
        submitted_checksum: content('select 1').sha256,
      },
    });
  });
});

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

describe('warnings', () => {
  const api = release({
    ...functions('api', 'mail'),
    ...site({ 'index.html': 'a', 'about.html': 'b' }),
    subdomains: { set: ['shop'] },
  });
  const withSite = release(site({ 'index.html': 'a', ...twenty }));
  const explicit = (replace: object) => ({ site: { public_paths: { mode: 'explicit', replace } } });
  const many = (count: number, more: object[] = []) =>
    routes(...more, ...Array.from({ length: count - more.length }, (_, i) => toFunction(`/r${i}`)));

  test.each([
    ['FIRST_DEPLOY', 'info', false, () => plan(site({ a: 'a' }))],
    ['MISSING_REQUIRED_SECRET', 'high', true, () => plan({ secrets: { require: ['A'] } }, api)],
    [
      'MISSING_REQUIRED_SECRET',
      'high',
      true,
      () => plan(site({ b: 'b' }), release({ secrets: { require: ['A'] } }, api)),
    ],
    ['DESTRUCTIVE_FUNCTION_REMOVAL', 'high', true, () => plan({ functions: { patch: { delete: ['mail'] } } }, api)],
    ['DESTRUCTIVE_SUBDOMAIN_REMOVAL', 'high', true, () => plan({ subdomains: { remove: ['shop'] } }, api)],
    ['DESTRUCTIVE_SECRET_REMOVAL', 'warn', true, () => plan({ secrets: { delete: ['A'] } }, api)],
    [
      'DESTRUCTIVE_SITE_BULK_REMOVAL',
      'high',
      true,
      () => plan({ site: { patch: { delete: ['p0.txt', 'p1.txt', 'p2.txt'] } } }, withSite),
    ],
    ['SITE_ENTRYPOINT_REMOVED', 'warn', true, () => plan({ site: { patch: { delete: ['index.html'] } } }, withSite)],
    [
      'ZERO_SITE_FILES_AFTER',
      'high',
      true,
      () => plan({ site: { patch: { delete: ['index.html', 'about.html'] } } }, api),
    ],
    ['ZERO_FUNCTIONS_AFTER', 'high', true, () => plan({ functions: { patch: { delete: ['api', 'mail'] } } }, api)],
    ['ZERO_SUBDOMAINS_AFTER', 'warn', true, () => plan({ subdomains: { set: [] } }, api)],
    ['SITE_NO_REACHABLE_HTML', 'high', true, () => plan(explicit({}), api)],
    [
      'PUBLIC_PATH_MODE_WIDENS_TO_IMPLICIT',
      'warn',
      true,
      () =>
        plan(
          { site: { public_paths: { mode: 'implicit' } } },
          release(explicit({ '/': { asset: 'index.html' } }), api),
        ),
    ],
    ['MIGRATION_NON_TRANSACTIONAL', 'warn', true, () => plan(migration('select 1', { transaction: 'none' }))],
    ['MIGRATION_SCHEMA_SHRINKING', 'high', true, () => plan(migration('DROP TABLE a'))],
    ['MIGRATION_SCHEMA_SHRINKING', 'high', true, () => plan(migration('alter table a drop b'))],
    ['MIGRATION_SCHEMA_SHRINKING', 'high', true, () => plan(migration('truncate a'))],
    ['MIGRATION_SCHEMA_SHRINKING', 'high', true, () => plan(migration('select 1; alter\n table only a\n drop b'))],
    ['MIGRATION_LOCK_RISK', 'warn', false, () => plan(migration('create index a on b (c)'))],
    ['MIGRATION_LOCK_RISK', 'warn', false, () => plan(migration('CREATE  UNIQUE  INDEX a ON b (c)'))],
    ['MIGRATION_RLS_DISABLED', 'high', true, () => plan(migration('alter table a disable row level security'))],
    ['MIGRATION_POLICY_REMOVAL', 'warn', true, () => plan(migration('drop policy a on b'))],
    ['MIGRATION_PUBLIC_GRANT', 'warn', true, () => plan(migration('grant select on a to anon, public'))],
    ['MIGRATION_PUBLIC_GRANT', 'warn', true, () => plan(migration('GRANT ALL ON a TO GROUP PUBLIC'))],
    [
      'MIGRATION_PUBLIC_GRANT',
      'warn',
      true,
      () => plan(migration('alter default privileges grant select on tables to public')),
    ],
    [
      'MIGRATION_SECURITY_DEFINER',
      'warn',
      true,
      () => plan(migration('create function f() returns int security definer language sql as $$ select 1 $$')),
    ],
    [
      'DIFF_TRUNCATED',
      'info',
      false,
      () => plan(site(Object.fromEntries(Array.from({ length: 1_001 }, (_, i) => [`${i}`, 'x'])))),
    ],
    ['PUBLIC_ROUTED_FUNCTION', 'info', false, () => plan(routes(toFunction('/api')), api)],
    [
      'ROUTE_TARGET_CARRIED_FORWARD',
      'info',
      false,
      () => plan(site({ b: 'b' }), release(routes(toFunction('/api')), api)),
    ],
    ['ROUTE_SHADOWS_STATIC_PATH', 'warn', false, () => plan(routes(toFunction('/about.html')), api)],
    [
      'ROUTE_SHADOWS_STATIC_PATH',
      'warn',
      false,
      () => plan({ ...site({ 'x/index.html': 'x' }), ...routes(toFunction('/x')) }, api),
    ],
    [
      'WILDCARD_ROUTE_SHADOWS_STATIC_PATHS',
      'warn',
      false,
      () =>
        plan(
          {
            ...site({ a: 'a', 'w/z': 'b', 'x-': 'c', 'x/a.txt': 'd', z: 'e' }),
            ...routes(toFunction('/v/*'), toFunction('/x/*')),
          },
          api,
        ),
    ],
    [
      'METHOD_SPECIFIC_ROUTE_ALLOWS_GET_STATIC_FALLBACK',
      'info',
      false,
      () => plan(routes(toFunction('/about', { methods: ['POST'] })), api),
    ],
    [
      'WILDCARD_ROUTE_EXCLUDES_MUTATION_METHODS',
      'warn',
      true,
      () => plan(routes(toFunction('/x/*', { methods: ['GET'] })), api),
    ],
    ['ROUTE_TABLE_NEAR_LIMIT', 'warn', false, () => plan(many(90), api)],
    ['STATIC_ALIAS_TABLE_NEAR_LIMIT', 'warn', false, () => plan(many(90, [toFile('/f', 'index.html')]), api)],
    ['ROUTES_NOT_ENABLED', 'high', true, () => plan(routes(toFunction('/api')), api, { routesEnabled: false })],
    ['STATIC_ALIAS_SHADOWS_STATIC_PATH', 'warn', false, () => plan(routes(toFile('/', 'about.html')), api)],
    ['STATIC_ALIAS_RELATIVE_ASSET_RISK', 'warn', false, () => plan(routes(toFile('/deep/about', 'about.html')), api)],
    ['STATIC_ALIAS_DUPLICATE_CANONICAL_URL', 'info', false, () => plan(routes(toFile('/x', 'about.html')), api)],
    ['STATIC_ALIAS_REDUNDANT_PUBLIC_PATH', 'info', false, () => plan(routes(toFile('/about.html', 'about.html')), api)],
    [
      'STATIC_ALIAS_EXTENSIONLESS_NON_HTML',
      'warn',
      false,
      () => plan({ ...site({ 'a.txt': 'a' }), ...routes(toFile('/x', 'a.txt')) }, api),
    ],
  ] as const)('%s', (code, severity, requiresConfirmation, planned) => {
    expect(planned().warnings).toContainEqual(expect.objectContaining({ code, severity, requiresConfirmation }));
  });

  test.each([
    [
      'a secret that is set',
      'MISSING_REQUIRED_SECRET',
      () => codes({ secrets: { require: ['A'] } }, api, { secretKeys: new Set(['A']) }),
    ],
    [
      'a tenth of the files',
      'DESTRUCTIVE_SITE_BULK_REMOVAL',
      () => codes({ site: { patch: { delete: ['p0.txt', 'p1.txt'] } } }, withSite),
    ],
    [
      'a drop in a comment',
      'MIGRATION_SCHEMA_SHRINKING',
      () => codes(migration("-- drop table a\nselect 'drop table b', $$ drop table c $$ /* truncate */")),
    ],
    [
      'a constraint that is dropped',
      'MIGRATION_SCHEMA_SHRINKING',
      () =>
        codes(migration('alter table a drop  constraint b; alter table a alter b drop not null, alter c drop default')),
    ],
    [
      'a drop of something else after a change of a table',
      'MIGRATION_SCHEMA_SHRINKING',
      () => codes(migration('alter table a add b int; drop function c(); drop index d')),
    ],
    [
      'a grant on a table of the schema public',
      'MIGRATION_PUBLIC_GRANT',
      () => codes(migration('grant select on public.a to anon; alter table public.b add c int')),
    ],
    [
      'an index made concurrently',
      'MIGRATION_LOCK_RISK',
      () => codes(migration('create  index  concurrently a on b (c)')),
    ],
    [
      'a wildcard that is meant to be read',
      'WILDCARD_ROUTE_EXCLUDES_MUTATION_METHODS',
      () => codes(routes(toFunction('/x/*', { methods: ['GET'], acknowledge_readonly: true })), api),
    ],
    [
      'a folder whose name begins like another',
      'WILDCARD_ROUTE_SHADOWS_STATIC_PATHS',
      () =>
        codes({ ...site({ 'x-a.txt': 'a', 'x.txt': 'b', x0: 'c', 'xx/a': 'd' }), ...routes(toFunction('/x/*')) }, api),
    ],
    [
      'a page beside its alias',
      'STATIC_ALIAS_RELATIVE_ASSET_RISK',
      () => codes(routes(toFile('/x', 'about.html')), api),
    ],
    [
      'a migration that was run',
      'MIGRATION_NON_TRANSACTIONAL',
      () =>
        codes(migration('select 1', { transaction: 'none' }), api, {
          registry: new Map([['m', content('select 1').sha256]]),
        }),
    ],
  ] as const)('%s gives no %s', (_what, code, planned) => {
    expect(planned()).not.toContain(code);
  });

  test('the list is in the order of codes', () => {
    const found = codes(
      {
        secrets: { require: ['A'], delete: ['B'] },
        subdomains: { set: [] },
        functions: { patch: { delete: ['api', 'mail'] } },
      },
      api,
    );
    expect(found).toEqual([...found].sort());
    expect(found.length).toBeGreaterThan(4);
  });

  test('a promotion tells of newer migrations and of other code', () => {
    const newer = release({ ...migration('select 1'), functions: { patch: { set: { api: fn('newer') } } } }, api);
    expect(promoteWarnings(newer, api)).toMatchObject([
      { code: 'FUNCTION_VERSION_MISMATCH', requiresConfirmation: false, affected: ['api'] },
      { code: 'MIGRATIONS_NOT_REVERSIBLE', requiresConfirmation: true, affected: ['m'] },
    ]);
  });
});

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
