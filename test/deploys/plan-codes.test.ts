import { afterAll, describe, expect, test } from 'vitest';
import { sharedService } from '../helpers/shared-service.ts';
import { deploying, refOf, siteOf } from './deploying.ts';

// What a specification is refused with, as somebody gets it who plans over REST. The members of specifications are tested
// in test/engines/release/read-spec.test.ts.

const service = await sharedService();
afterAll(() => service.stop());
const project = await service.project();
const theirs = deploying(service, project.wallet, project);

const api = `export default () => new Response('');`;
const fn = (more: object = {}) => ({ functions: { replace: { api: { source: refOf(api), ...more } } } });
const asset = (more: object = {}) => ({
  key: 'a.txt',
  sha256: refOf('a').sha256,
  size_bytes: 1,
  content_type: 'text/plain',
  ...more,
});
const put = (...some: object[]) => ({ assets: { put: some } });
const daily = { id: 'daily', type: 'schedule', cron: '0 4 * * *', run: { event_type: 'daily' } };

describe('a specification is refused with the code of what is wrong', () => {
  test.each([
    ['INVALID_SPEC', 400, fn({ runtime: 'node18' }), 'functions.replace.api.runtime'],
    ['INVALID_WIRE_SCHEMA', 400, { site: { replace: { __source: 'local-dir', path: 'dist' } } }, 'site.replace'],
    ['MANIFEST_EMPTY', 400, {}, undefined],
    ['SVC_LOCALE_NOT_CANONICAL', 400, { i18n: { default_locale: 'en-us', locales: ['en-us'] } }, 'i18n.locales.0'],
    ['ASSET_DUPLICATE_KEY_IN_PUT', 400, put(asset(), asset()), 'assets.put.1.key'],
    ['ASSET_KEY_IN_PUT_AND_DELETE', 400, { assets: { put: [asset()], delete: ['a.txt'] } }, 'assets.delete'],
    ['INVALID_ASSET_METADATA', 400, put(asset({ metadata: { a: { b: 1 } } })), 'assets.put.0.metadata'],
    ['INVALID_EXIF_POLICY', 400, put(asset({ exif_policy: 'some' })), 'assets.put.0.exif_policy'],
    ['SUBDOMAIN_MULTI_NOT_SUPPORTED', 400, { subdomains: { set: ['one-one', 'two-two'] } }, 'subdomains.set'],
    [
      'FUNCTION_CONFIG_INVALID',
      422,
      fn({ config: { timeout_seconds: 0 } }),
      'functions.replace.api.config.timeout_seconds',
    ],
    [
      'FUNCTION_TIMEOUT_EXCEEDS_TIER',
      422,
      fn({ config: { timeout_seconds: 11 } }),
      'functions.replace.api.config.timeout_seconds',
    ],
    ['FUNCTION_MEMORY_EXCEEDS_TIER', 422, fn({ config: { memory_mb: 129 } }), 'functions.replace.api.config.memory_mb'],
    ['FUNCTION_SCHEDULE_INTERVAL_TOO_SHORT', 422, fn({ schedule: '*/14 * * * *' }), 'functions.replace.api.schedule'],
    ['FUNCTION_SCHEDULE_LIMIT_EXCEEDED', 422, fn({ triggers: [daily, { ...daily, id: 'again' }] }), 'functions'],
  ])('%s', async (code, status, slices, resource) => {
    const refused = await theirs.plan(slices);
    expect(refused).toMatchObject({
      status,
      body: { code, mutation_state: 'none', ...(resource === undefined ? {} : { resource }) },
    });
    if (status !== 422 || code === 'FUNCTION_CONFIG_INVALID') return;
    expect(refused.body.details).toMatchObject({ tier: 'prototype', limit_source: 'tier_status' });
    expect(refused.body.next_actions[0]).toMatchObject({ type: 'set_tier' });
  });

  test('what the tier allows is planned, to the last second, megabyte and minute', async () => {
    const most = { config: { timeout_seconds: 10, memory_mb: 128 }, schedule: '*/15 * * * *' };
    expect(await theirs.plan(fn(most))).toMatchObject({ status: 200 });
  });
});

test('the plan of a preview cannot be committed', async () => {
  const { body } = await theirs.plan(siteOf({ 'index.html': 'x' }), {}, '?dry_run=true');
  expect(body).toMatchObject({ kind: 'plan_response', plan_id: null });
  expect(await theirs.commit(body.plan_id)).toMatchObject({
    status: 400,
    body: { code: 'DRY_RUN_PLAN_NOT_COMMITTABLE' },
  });
});

test('an organization has as many functions as its tier allows, in all of its projects', async () => {
  const { wallet, orgId, ...one } = await service.project();
  const made = await service.call<{ project_id: string; anon_key: string; service_key: string }>(
    wallet,
    'POST',
    '/projects/v1',
    { body: { org_id: orgId, name: 'other' } },
  );
  const { project_id, anon_key, service_key } = made.body;
  const other = { projectId: project_id, anonKey: anon_key, serviceKey: service_key };
  const [first, second] = [one, other].map((each) => deploying(service, wallet, each)) as [
    typeof theirs,
    typeof theirs,
  ];
  const functions = (count: number) => ({
    functions: {
      replace: Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, { source: refOf(api) }])),
    },
  });
  expect(await first.deploy(functions(3), [api])).toMatchObject({ status: 'ready' });
  expect(await second.plan(functions(3))).toMatchObject({
    status: 422,
    body: { code: 'TIER_LIMIT_EXCEEDED', details: { field: 'functions', value: 6, tier: 'prototype', tier_max: 5 } },
  });
  expect(await second.deploy(functions(2), [api])).toMatchObject({ status: 'ready' });
  expect(await first.plan(functions(4))).toMatchObject({ status: 422, body: { code: 'TIER_LIMIT_EXCEEDED' } });
  // Whoever has them already keeps them, and other slices are planned as ever.
  expect(await first.plan(functions(3))).toMatchObject({ status: 200 });
  expect(await first.plan(siteOf({ 'index.html': 'x' }))).toMatchObject({ status: 200 });

  // Nor does an older release bring back more than there may be.
  const { release_id: older } = (await first.read('/apply/v1/releases/active')).body;
  expect(await first.deploy({ functions: { patch: { delete: ['f0', 'f1', 'f2'] } } })).toMatchObject({
    status: 'ready',
  });
  expect(await second.deploy(functions(5))).toMatchObject({ status: 'ready' });
  expect(await first.call('POST', `/apply/v1/releases/${older}/promote`, { project: one.projectId })).toMatchObject({
    status: 422,
    body: { code: 'TIER_LIMIT_EXCEEDED', details: { value: 8 } },
  });
});
