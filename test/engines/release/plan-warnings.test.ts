import { describe, expect, test } from 'vitest';
import { promoteWarnings } from '../../../engines/release/warnings/promote-rules.ts';
import {
  codes,
  content,
  fn,
  functions,
  migration,
  plan,
  release,
  routes,
  site,
  toFile,
  toFunction,
  twenty,
} from './spec.ts';

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
