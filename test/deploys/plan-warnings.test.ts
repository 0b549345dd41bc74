import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { migrationRules } from '../../engines/release/warnings/migration-rules.ts';
import { removalRules } from '../../engines/release/warnings/removals.ts';
import { routeRules } from '../../engines/release/warnings/route-rules.ts';
import { routes, toFile, toFunction } from '../engines/release/spec.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { deploying, filesOf, refOf, siteOf } from './deploying.ts';

// Every warning of a plan as somebody gets it who plans over REST. The rules themselves are tested in
// test/engines/release/plan-warnings.test.ts.

const service = await sharedService();
afterAll(() => service.stop());

/** Its functions answer nothing of interest: only plans are looked at. */
const api = `export default () => new Response('');`;
const pages = { 'index.html': '<p>home', 'about.html': '<p>about', 'data.txt': 'data' };
const texts = [api, ...Object.values(pages)];
const functions = (...names: string[]) => ({
  functions: { replace: Object.fromEntries(names.map((name) => [name, { source: refOf(api) }])) },
});
const migration = (sql: string, more: object = {}) => ({
  database: { migrations: [{ id: 'm', sql, checksum: refOf(sql).sha256, ...more }] },
});
const many = (count: number, ...more: object[]) =>
  routes(...more, ...Array.from({ length: count - more.length }, (_, at) => toFunction(`/r${at}`)));

type Project = ReturnType<typeof deploying>;
/** With nothing yet; with a site, functions, a route, a name and a required secret; and with a table of public paths. */
let empty: Project;
let full: Project;
let explicit: Project;
beforeAll(async () => {
  const start = async () => {
    const project = await service.project();
    return { project, theirs: deploying(service, project.wallet, project) };
  };
  empty = (await start()).theirs;
  const { project, theirs } = await start();
  full = theirs;
  await service.call(project.wallet, 'POST', `/projects/v1/admin/${project.projectId}/secrets`, {
    body: { key: 'KEPT', value: 'v' },
  });
  expect(
    await full.deploy(
      {
        ...siteOf(pages),
        ...functions('api', 'mail'),
        ...routes(toFunction('/api/*')),
        subdomains: { set: ['warned'] },
      },
      texts,
    ),
  ).toMatchObject({ status: 'ready' });
  explicit = (await start()).theirs;
  const table = { mode: 'explicit', replace: { '/': { asset: 'index.html' } } };
  expect(
    await explicit.deploy({ site: { replace: filesOf(pages), public_paths: table } }, Object.values(pages)),
  ).toMatchObject({ status: 'ready' });
});

const gone = (...paths: string[]) => ({ site: { patch: { delete: paths } } });
const thousand = siteOf(Object.fromEntries(Array.from({ length: 1_001 }, (_, at) => [`${at}.txt`, 'x'])));

type Row = readonly [code: string, severity: string, confirm: boolean, of: () => Project, slices: object];
const rows: readonly Row[] = [
  ['FIRST_DEPLOY', 'info', false, () => empty, siteOf(pages)],
  ['MISSING_REQUIRED_SECRET', 'high', true, () => full, { secrets: { require: ['NOT_SET'] } }],
  ['DESTRUCTIVE_FUNCTION_REMOVAL', 'high', true, () => full, { functions: { patch: { delete: ['mail'] } } }],
  ['DESTRUCTIVE_SUBDOMAIN_REMOVAL', 'high', true, () => full, { subdomains: { remove: ['warned'] } }],
  ['DESTRUCTIVE_SECRET_REMOVAL', 'warn', true, () => full, { secrets: { delete: ['KEPT'] } }],
  ['DESTRUCTIVE_SITE_BULK_REMOVAL', 'high', true, () => full, gone('data.txt')],
  ['SITE_ENTRYPOINT_REMOVED', 'warn', true, () => full, gone('index.html')],
  ['ZERO_SITE_FILES_AFTER', 'high', true, () => full, gone(...Object.keys(pages))],
  [
    'ZERO_FUNCTIONS_AFTER',
    'high',
    true,
    () => full,
    { functions: { patch: { delete: ['api', 'mail'] } }, ...routes() },
  ],
  ['ZERO_SUBDOMAINS_AFTER', 'warn', true, () => full, { subdomains: { set: [] } }],
  ['SITE_NO_REACHABLE_HTML', 'high', true, () => full, { site: { public_paths: { mode: 'explicit', replace: {} } } }],
  [
    'PUBLIC_PATH_MODE_WIDENS_TO_IMPLICIT',
    'warn',
    true,
    () => explicit,
    { site: { public_paths: { mode: 'implicit' } } },
  ],
  ['MIGRATION_NON_TRANSACTIONAL', 'warn', true, () => empty, migration('select 1', { transaction: 'none' })],
  ['MIGRATION_SCHEMA_SHRINKING', 'high', true, () => empty, migration('drop table a')],
  ['MIGRATION_LOCK_RISK', 'warn', false, () => empty, migration('create index a on b (c)')],
  ['MIGRATION_RLS_DISABLED', 'high', true, () => empty, migration('alter table a disable row level security')],
  ['MIGRATION_POLICY_REMOVAL', 'warn', true, () => empty, migration('drop policy a on b')],
  ['MIGRATION_PUBLIC_GRANT', 'warn', true, () => empty, migration('grant select on a to public')],
  [
    'MIGRATION_SECURITY_DEFINER',
    'warn',
    true,
    () => empty,
    migration('create function f() returns int security definer language sql as $$ select 1 $$'),
  ],
  ['DIFF_TRUNCATED', 'info', false, () => empty, thousand],
  ['PUBLIC_ROUTED_FUNCTION', 'info', false, () => full, routes(toFunction('/api'))],
  ['ROUTE_TARGET_CARRIED_FORWARD', 'info', false, () => full, siteOf(pages)],
  ['ROUTE_SHADOWS_STATIC_PATH', 'warn', false, () => full, routes(toFunction('/about.html'))],
  [
    'WILDCARD_ROUTE_SHADOWS_STATIC_PATHS',
    'warn',
    false,
    () => full,
    { ...siteOf({ ...pages, 'x/a.txt': 'data' }), ...routes(toFunction('/x/*')) },
  ],
  [
    'METHOD_SPECIFIC_ROUTE_ALLOWS_GET_STATIC_FALLBACK',
    'info',
    false,
    () => full,
    routes(toFunction('/about', { methods: ['POST'] })),
  ],
  [
    'WILDCARD_ROUTE_EXCLUDES_MUTATION_METHODS',
    'warn',
    true,
    () => full,
    routes(toFunction('/x/*', { methods: ['GET'] })),
  ],
  ['ROUTE_TABLE_NEAR_LIMIT', 'warn', false, () => full, many(90)],
  ['STATIC_ALIAS_TABLE_NEAR_LIMIT', 'warn', false, () => full, many(90, toFile('/f', 'index.html'))],
  ['STATIC_ALIAS_SHADOWS_STATIC_PATH', 'warn', false, () => full, routes(toFile('/', 'about.html'))],
  ['STATIC_ALIAS_RELATIVE_ASSET_RISK', 'warn', false, () => full, routes(toFile('/deep/about', 'about.html'))],
  ['STATIC_ALIAS_DUPLICATE_CANONICAL_URL', 'info', false, () => full, routes(toFile('/x', 'about.html'))],
  ['STATIC_ALIAS_REDUNDANT_PUBLIC_PATH', 'info', false, () => full, routes(toFile('/about.html', 'about.html'))],
  ['STATIC_ALIAS_EXTENSIONLESS_NON_HTML', 'warn', false, () => full, routes(toFile('/x', 'data.txt'))],
];

/** Routes are answered for every project of this gateway. */
const withoutCause = ['ROUTES_NOT_ENABLED'];

describe('each warning is given by a plan', () => {
  test.each(rows)('%s', async (code, severity, requires_confirmation, of, slices) => {
    const { status, body } = await of().plan(slices);
    expect(status, body.message).toBe(200);
    expect(body.warnings).toContainEqual(expect.objectContaining({ code, severity, requires_confirmation }));
    const codes = body.warnings.map((one: { code: string }) => one.code);
    expect(codes).toEqual([...codes].sort());
  });

  test('there is a row for each rule', () => {
    const ruled = [...removalRules, ...migrationRules, ...routeRules].map(({ code }) => code);
    expect([...rows.map(([code]) => code), ...withoutCause]).toEqual(expect.arrayContaining(ruled));
  });
});
