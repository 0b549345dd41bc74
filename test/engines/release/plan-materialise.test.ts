import { describe, expect, test } from 'vitest';
import { planRelease } from '../../../engines/release/plan-release.ts';
import { readSpec } from '../../../engines/release/spec/read-spec.ts';
import {
  content,
  files,
  functions,
  migration,
  noFacts,
  plan,
  prototypeLimits,
  refusal,
  release,
  routes,
  site,
  spec,
  toFile,
  toFunction,
} from './spec.ts';

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
