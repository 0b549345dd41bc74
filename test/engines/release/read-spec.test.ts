import { expect, test } from 'vitest';
import { readSpec } from '../../../engines/release/spec/read-spec.ts';
import { content, files, prototypeLimits, refusal, spec } from './spec.ts';

const of = (slices: object) => refusal(() => readSpec(spec(slices)));
const a = content('a');
const route = (more: object) => ({
  routes: { replace: [{ pattern: '/x', target: { type: 'function', name: 'f' }, ...more }] },
});
const fn = (more: object) => ({ functions: { replace: { api: { source: a, ...more } } } });
const asset = (more: object) => ({ assets: { put: [{ key: 'k', sha256: a.sha256, size_bytes: 1, ...more }] } });
const gate = { table: 'members', id_column: 'user_id', role_column: 'role', allowed: ['admin'] };
const schedule = { id: 't', type: 'schedule', cron: '* * * * *', run: { event_type: 'e' } };
const mail = { id: 't', type: 'email', mailbox: 'm', events: ['delivery'], run: { event_type: 'e' } };

/** An object within an object, and so on. */
const nested = (levels: number): object => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`);

test.each([
  ['an unknown member', { nope: 1 }, 'nope'],
  ['a base of two kinds', { base: { release: 'current', release_id: 'rel_1' } }, 'base'],
  ['an unknown base', { base: { release: 'last' } }, 'base.release'],
  ['a base that is no release', { base: { release_id: 'x' } }, 'base.release_id'],
  ['a migration without SQL', { database: { migrations: [{ id: 'm', checksum: a.sha256 }] } }, 'database.migrations.0'],
  [
    'a migration with two texts',
    { database: { migrations: [{ id: 'm', sql: 'x', sql_ref: a }] } },
    'database.migrations.0',
  ],
  [
    'a migration with two names',
    { database: { migrations: [{ id: 'm', name: 'n', sql: 'select 1' }] } },
    'database.migrations.0',
  ],
  [
    'a wrong checksum',
    { database: { migrations: [{ id: 'm', sql: 'select 1', checksum: a.sha256 }] } },
    'database.migrations.0.checksum',
  ],
  [
    'a checksum of other bytes',
    { database: { migrations: [{ id: 'm', sql_ref: a, checksum: content('b').sha256 }] } },
    'database.migrations.0.checksum',
  ],
  [
    'a migration that is there twice',
    {
      database: {
        migrations: [
          { id: 'm', sql: 'a' },
          { id: 'm', sql: 'b' },
        ],
      },
    },
    'database.migrations.1.id',
  ],
  [
    'an unknown transaction',
    { database: { migrations: [{ id: 'm', sql: 'a', transaction: 'some' }] } },
    'database.migrations.0.transaction',
  ],
  [
    'SQL that is longer than memory should hold',
    { database: { migrations: [{ id: 'm', checksum: a.sha256, sql_ref: { ...a, size: 17 * 1024 * 1024 } }] } },
    'database.migrations.0.sql_ref.size',
  ],
  [
    'long SQL of many migrations',
    {
      database: {
        migrations: Array.from({ length: 5 }, (_, i) => ({
          id: `${i}`,
          checksum: a.sha256,
          sql_ref: { ...a, size: 16 * 1024 * 1024 },
        })),
      },
    },
    'database.migrations',
  ],
  [
    'a path of the authoring form',
    { database: { migrations: [{ id: 'm', sql_path: 'a.sql' }] } },
    'database.migrations.0.sql_path',
  ],
  [
    'an expose manifest that is nested without end',
    { database: { expose: { version: 1, ...nested(50_000) } } },
    'database.expose.a',
  ],
  ['another expose version', { database: { expose: { version: 2 } } }, 'database.expose.version'],
  ['downtime that is no boolean', { database: { zero_downtime: 'yes' } }, 'database.zero_downtime'],
  ['values of secrets', { secrets: { set: { A: 'b' } } }, 'secrets.set'],
  ['a key in small letters', { secrets: { require: ['a'] } }, 'secrets.require.0'],
  ['a key that is required and deleted', { secrets: { require: ['A'], delete: ['A'] } }, 'secrets.delete'],
  ['functions of two kinds', { functions: { replace: {}, patch: {} } }, 'functions'],
  [
    'a function that is set and deleted',
    { functions: { patch: { set: { f: { source: a } }, delete: ['f'] } } },
    'functions.patch.delete',
  ],
  ['a function in capital letters', { functions: { replace: { Api: { source: a } } } }, 'functions.replace.Api'],
  ['an unknown runtime', fn({ runtime: 'node18' }), 'functions.replace.api.runtime'],
  ['two kinds of code', fn({ files: { 'a.js': a } }), 'functions.replace.api.files'],
  [
    'an entry point that is no file',
    { functions: { replace: { api: { files: { 'a.js': a }, entrypoint: 'b.js' } } } },
    'functions.replace.api.entrypoint',
  ],
  ['31 dependencies', fn({ deps: Array.from({ length: 31 }, (_, i) => `d${i}`) }), 'functions.replace.api.deps'],
  ['a dependency with a space', fn({ deps: ['a b'] }), 'functions.replace.api.deps.0'],
  ['a package by its address', fn({ deps: ['x@https://a.example/x.tgz'] }), 'functions.replace.api.deps.0'],
  ['a package by a path', fn({ deps: ['../x'] }), 'functions.replace.api.deps.0'],
  ['a package in two versions', fn({ deps: ['a@1', 'a@2'] }), 'functions.replace.api.deps.1'],
  ['the library of functions', fn({ deps: ['@svc/functions@3'] }), 'functions.replace.api.deps.0'],
  ['a package with a binary', fn({ deps: ['ok', 'sharp@^0.33'] }), 'functions.replace.api.deps.1'],
  ['a schedule of four fields', fn({ schedule: '* * * *' }), 'functions.replace.api.schedule'],
  ['a schedule that never comes due', fn({ schedule: '0 0 30 2 *' }), 'functions.replace.api.schedule'],
  [
    'an offset in place of a time zone',
    fn({ triggers: [{ ...schedule, timezone: '+02:00' }] }),
    'functions.replace.api.triggers.0.timezone',
  ],
  [
    'an unknown member of a retry',
    fn({ triggers: [{ ...mail, run: { event_type: 'e', retry: { preset: 'standard', times: 3 } } }] }),
    'functions.replace.api.triggers.0.run.retry.times',
  ],
  [
    'a payload that is nested too deep',
    fn({ triggers: [{ ...mail, run: { event_type: 'e', payload: nested(200) } }] }),
    'functions.replace.api.triggers.0.run.payload.a',
  ],
  [
    'a sign-in page of another host',
    fn({ require_role: { ...gate, sign_in_path: '/\\evil.example' } }),
    'functions.replace.api.require_role.sign_in_path',
  ],
  ['a trigger without a type', fn({ triggers: [{ id: 't' }] }), 'functions.replace.api.triggers.0.type'],
  ['two triggers of one id', fn({ triggers: [schedule, schedule] }), 'functions.replace.api.triggers.1.id'],
  [
    'a mailbox of a schedule',
    fn({ triggers: [{ ...schedule, mailbox: 'm' }] }),
    'functions.replace.api.triggers.0.mailbox',
  ],
  ['a cron of a mailbox', fn({ triggers: [{ ...mail, cron: '* * * * *' }] }), 'functions.replace.api.triggers.0.cron'],
  [
    'an unknown event of mail',
    fn({ triggers: [{ ...mail, events: ['read'] }] }),
    'functions.replace.api.triggers.0.events.0',
  ],
  ['no event of mail', fn({ triggers: [{ ...mail, events: [] }] }), 'functions.replace.api.triggers.0.events'],
  [
    'an unknown time zone',
    fn({ triggers: [{ ...schedule, timezone: 'Mars/Olympus' }] }),
    'functions.replace.api.triggers.0.timezone',
  ],
  [
    'a gate of another schema',
    fn({ require_role: { ...gate, table: 'auth.users' } }),
    'functions.replace.api.require_role.table',
  ],
  [
    'a gate that lets nobody in',
    fn({ require_role: { ...gate, allowed: [] } }),
    'functions.replace.api.require_role.allowed',
  ],
  [
    'a gate that remembers too long',
    fn({ require_role: { ...gate, cache_ttl: 601 } }),
    'functions.replace.api.require_role.cache_ttl',
  ],
  ['an unknown class', fn({ class: 'edge' }), 'functions.replace.api.class'],
  ['a site of two kinds', { site: { replace: {}, patch: {} } }, 'site.patch'],
  [
    'a path that is put and deleted',
    { site: { patch: { put: files({ a: 'a' }), delete: ['a'] } } },
    'site.patch.delete',
  ],
  ['a path that begins with a slash', { site: { replace: { '/a': a } } }, 'site.replace./a'],
  ['a path that leads up', { site: { replace: { 'a/../b': a } } }, 'site.replace.a/../b'],
  ['a path with a backslash', { site: { replace: { 'a\\b': a } } }, 'site.replace.a\\b'],
  ['a path with an empty segment', { site: { replace: { 'a//b': a } } }, 'site.replace.a//b'],
  ['a path of the platform', { site: { replace: { '_svc/x': a } } }, 'site.replace._svc/x'],
  ['a path with a control character', { site: { replace: { 'a\u0001': a } } }, 'site.replace.a\u0001'],
  ['a path of 1,025 bytes', { site: { replace: { ['a'.repeat(1025)]: a } } }, `site.replace.${'a'.repeat(1025)}`],
  [
    'two paths that are one in normal form',
    { site: { replace: { 'e\u0301': a, '\u00e9': a } } },
    'site.replace.\u00e9',
  ],
  ['a media type that is none', { site: { replace: { a: content('a', 'html') } } }, 'site.replace.a.content_type'],
  [
    'a media type that no header can carry',
    { site: { replace: { a: content('a', 'text/html\u2028; charset=utf-8') } } },
    'site.replace.a.content_type',
  ],
  [
    'implicit paths with a table',
    { site: { public_paths: { mode: 'implicit', replace: {} } } },
    'site.public_paths.replace',
  ],
  ['explicit paths without a table', { site: { public_paths: { mode: 'explicit' } } }, 'site.public_paths.replace'],
  [
    'a public path with a query',
    { site: { public_paths: { mode: 'explicit', replace: { '/a?b': { asset: 'a' } } } } },
    'site.public_paths.replace./a?b',
  ],
  [
    'embedding by two equal keys',
    { site: { embedding: { frame_ancestors: ['a', 'a'] } } },
    'site.embedding.frame_ancestors.1',
  ],
  ['an asset key with a space', asset({ key: 'a b' }), 'assets.put.0.key'],
  ['an asset key of the platform', asset({ key: '_cas/a' }), 'assets.put.0.key'],
  ['an asset without a size', { assets: { put: [{ key: 'k', sha256: a.sha256 }] } }, 'assets.put.0.size_bytes'],
  ['an unknown visibility', asset({ visibility: 'secret' }), 'assets.put.0.visibility'],
  ['a prune that is none', { assets: { sync: { prefix: 'a', prune: false } } }, 'assets.sync.prune'],
  ['a prune of everything', { assets: { sync: { prefix: '', prune: true } } }, 'assets.sync.prefix'],
  ['a name that is added and removed', { subdomains: { add: ['abc'], remove: ['abc'] } }, 'subdomains.remove'],
  ['a name of two letters', { subdomains: { set: ['ab'] } }, 'subdomains.set.0'],
  ['a name that ends with a hyphen', { subdomains: { set: ['abc-'] } }, 'subdomains.set.0'],
  ['routes by path', { routes: { '/x': {} } }, 'routes./x'],
  [
    '101 routes',
    {
      routes: {
        replace: Array.from({ length: 101 }, (_, i) => ({ pattern: `/${i}`, target: { type: 'function', name: 'f' } })),
      },
    },
    'routes.replace',
  ],
  ['a pattern without a slash', route({ pattern: 'x' }), 'routes.replace.0.pattern'],
  ['a pattern for everything', route({ pattern: '/*' }), 'routes.replace.0.pattern'],
  ['a star in the middle', route({ pattern: '/a/*/b' }), 'routes.replace.0.pattern'],
  ['a pattern of 257 bytes', route({ pattern: `/${'a'.repeat(256)}` }), 'routes.replace.0.pattern'],
  [
    'two patterns that are one to a request',
    {
      routes: {
        replace: ['/caf%C3%A9', '/cafe\u0301/'].map((pattern) => ({
          pattern,
          target: { type: 'function', name: 'f' },
        })),
      },
    },
    'routes.replace.1',
  ],
  ['a pattern that is encoded twice', route({ pattern: '/a%2541' }), 'routes.replace.0.pattern'],
  ['a pattern that leads up', route({ pattern: '/a/%2e%2e/b' }), 'routes.replace.0.pattern'],
  ['a pattern of the platform', route({ pattern: '/_svc/*' }), 'routes.replace.0.pattern'],
  ['a pattern with a bad percent sign', route({ pattern: '/a%2' }), 'routes.replace.0.pattern'],
  ['an unknown method', route({ methods: ['TRACE'] }), 'routes.replace.0.methods.0'],
  ['no methods', route({ methods: [] }), 'routes.replace.0.methods'],
  ['a method twice', route({ methods: ['GET', 'GET'] }), 'routes.replace.0.methods.1'],
  [
    'a file behind a star',
    route({ pattern: '/a/*', target: { type: 'static', file: 'a.html' } }),
    'routes.replace.0.pattern',
  ],
  [
    'a file that is posted to',
    route({ methods: ['POST'], target: { type: 'static', file: 'a.html' } }),
    'routes.replace.0.methods',
  ],
  ['a file that leads up', route({ target: { type: 'static', file: '../a' } }), 'routes.replace.0.target.file'],
  [
    'a price of nothing',
    route({ pricing: { mode: 'always', amount_usd_micros: 0, pay_to: 'org_default_payout' } }),
    'routes.replace.0.pricing.amount_usd_micros',
  ],
  ['an acknowledgement of nothing', route({ acknowledge_readonly: true }), 'routes.replace.0.acknowledge_readonly'],
  ['a default that is no locale', { i18n: { default_locale: 'de', locales: ['en'] } }, 'i18n.default_locale'],
  [
    '51 locales',
    { i18n: { default_locale: 'x0', locales: Array.from({ length: 51 }, (_, i) => `x${i}`) } },
    'i18n.locales',
  ],
  [
    '11 sources of a locale',
    { i18n: { default_locale: 'en', locales: ['en'], detect: Array.from({ length: 11 }, (_, i) => `cookie:c${i}`) } },
    'i18n.detect',
  ],
  [
    'an unknown source of a locale',
    { i18n: { default_locale: 'en', locales: ['en'], detect: ['path'] } },
    'i18n.detect.0',
  ],
  [
    'a check without a status',
    { i18n: null, checks: [{ name: 'c', http: { path: '/', expect: {} } }] },
    'checks.0.http.expect.status',
  ],
] as const)('%s is refused by its path', (_what, slices, resource) => {
  expect(of(slices)).toMatchObject({ code: 'INVALID_SPEC', resource });
});

test.each([
  ['a folder of the client', { site: { replace: { __source: 'local-dir', path: 'dist' } } }, 'INVALID_WIRE_SCHEMA'],
  ['bytes in place of content', { site: { replace: { a: { data: 'x' } } } }, 'INVALID_WIRE_SCHEMA'],
  ['a text in place of content', { site: { replace: { a: 'x' } } }, 'INVALID_WIRE_SCHEMA'],
  ['a source of an asset', asset({ source: 'x' }), 'INVALID_WIRE_SCHEMA'],
  ['nothing', {}, 'MANIFEST_EMPTY'],
  [
    'what clients keep for themselves',
    { $schema: 'x', verify: { http: [] }, 'x-svc-omitted_features': [1] },
    'MANIFEST_EMPTY',
  ],
  ['empty slices', { site: { replace: {} }, functions: { patch: {} }, database: {}, secrets: {} }, 'MANIFEST_EMPTY'],
  ['a locale in other letters', { i18n: { default_locale: 'en-us', locales: ['en-us'] } }, 'SVC_LOCALE_NOT_CANONICAL'],
  [
    'a key that is put twice',
    { assets: { put: [...asset({}).assets.put, ...asset({}).assets.put] } },
    'ASSET_DUPLICATE_KEY_IN_PUT',
  ],
  ['a key that is put and deleted', { assets: { ...asset({}).assets, delete: ['k'] } }, 'ASSET_KEY_IN_PUT_AND_DELETE'],
  ['nested metadata', asset({ metadata: { a: { b: 1 } } }), 'INVALID_ASSET_METADATA'],
  ['much metadata', asset({ metadata: { a: 'x'.repeat(5_000) } }), 'INVALID_ASSET_METADATA'],
  ['another EXIF policy', asset({ exif_policy: 'some' }), 'INVALID_EXIF_POLICY'],
  ['a timeout of no time', fn({ config: { timeout_seconds: 0 } }), 'FUNCTION_CONFIG_INVALID'],
  ['a timeout by two names', fn({ config: { timeout_seconds: 1, timeout: 1 } }), 'FUNCTION_CONFIG_INVALID'],
  ['memory of a half', fn({ config: { memory_mb: 1.5 } }), 'FUNCTION_CONFIG_INVALID'],
  ['two subdomains', { subdomains: { set: ['abc', 'abd'] } }, 'SUBDOMAIN_MULTI_NOT_SUPPORTED'],
] as const)('%s is refused by its code', (_what, slices, code) => {
  expect(of(slices)).toMatchObject({ code });
});

test('a locale in other letters is told how it is written', () => {
  expect(of({ i18n: { default_locale: 'en-us', locales: ['en-us'] } })).toMatchObject({
    fix: { input: 'en-us', canonical: 'en-US' },
  });
});

test('two projects in one specification are refused, and the alias alone is taken', () => {
  expect(refusal(() => readSpec({ project: 'prj_1', project_id: 'prj_2', i18n: null }))).toMatchObject({
    resource: 'project',
  });
  expect(readSpec({ project: 'prj_1', i18n: null }).projectId).toBe('prj_1');
});

test('what a tier does not allow is refused by a code of its own', () => {
  const with_ = (config: object) => refusal(() => readSpec(spec(fn({ config })), prototypeLimits));
  expect(with_({ timeout: 11 })).toMatchObject({
    code: 'FUNCTION_TIMEOUT_EXCEEDS_TIER',
    details: { tier_max: 10, value: 11 },
  });
  expect(with_({ memory: 129 })).toMatchObject({ code: 'FUNCTION_MEMORY_EXCEEDS_TIER', details: { tier_max: 128 } });
});

test('a schedule that comes due too often for a tier is refused', () => {
  const of_ = (more: object) => refusal(() => readSpec(spec(fn(more)), prototypeLimits));
  const expected = {
    code: 'FUNCTION_SCHEDULE_INTERVAL_TOO_SHORT',
    details: { tier: 'prototype', min_interval_minutes: 15, limit_source: 'tier_status' },
  };
  expect(of_({ schedule: '*/10 * * * *' })).toMatchObject(expected);
  expect(of_({ triggers: [{ ...schedule, cron: '0,14 * * * *' }] })).toMatchObject(expected);
  const { functions } = readSpec(spec(fn({ schedule: '*/15 * * * *' })), prototypeLimits);
  expect(functions).toMatchObject({ kind: 'replace' });
});

test('an error repeats no more of a name than fits, and no character that cannot be kept', () => {
  const { resource } = of({ ['x'.repeat(5_000_000)]: 1 });
  expect(resource).toHaveLength(2_049);
  expect(of({ 'a\0b\ud800': 1 }).resource).toBe('a\ufffdb\ufffd');
});

test('every name is one like any other', () => {
  const raw = JSON.parse(
    `{"__proto__": ${JSON.stringify(a)}, "constructor": ${JSON.stringify(a)}, "😀.txt": ${JSON.stringify(a)}}`,
  );
  const { site } = readSpec(spec({ site: { replace: raw } }));
  expect([...(site?.kind === 'replace' ? site.entries.keys() : [])]).toEqual(['__proto__', 'constructor', '😀.txt']);
});

test('a file without a type has that of its extension', () => {
  const { site } = readSpec(spec({ site: { replace: files({ 'a.html': 'a', 'b.unknown': 'b', 'c.js': 'c' }) } }));
  const types =
    site?.kind === 'replace' ? [...site.entries.values()].map((one) => [one.contentType, one.inferred]) : [];
  expect(types).toEqual([
    ['text/html; charset=utf-8', true],
    ['application/octet-stream', true],
    ['text/javascript; charset=utf-8', true],
  ]);
});

test('a hundred thousand files are read, and one more is refused', () => {
  const many = (count: number) =>
    spec({ site: { replace: Object.fromEntries(Array.from({ length: count }, (_, i) => [`${i}.txt`, a])) } });
  const { site } = readSpec(many(100_000));
  expect(site?.kind === 'replace' && site.entries.size).toBe(100_000);
  expect(refusal(() => readSpec(many(100_001)))).toMatchObject({ code: 'INVALID_SPEC', resource: 'site.replace' });
});
