import { afterAll, expect, test } from 'vitest';
import { deploying, refOf } from '../deploys/deploying.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { type Any, forking, publishing } from './stage.ts';

const service = await sharedService();
afterAll(() => service.stop());
const { nobody } = service.actors;
const browse = (query = '') => service.call<Any>(nobody, 'GET', `/apps/v1${query}`);
const inspect = (id: string) => service.call<Any>(nobody, 'GET', `/apps/v1/${id}`);

test('a fork has the schema, the functions and the site of what was published, and neither rows nor secrets', async () => {
  const one = await publishing(service);
  const published = await one.publish({
    description: 'A shop',
    tags: ['shop-of-one', 'shop'],
    visibility: 'public',
    fork_allowed: true,
    required_secrets: [{ key: 'SHOP_KEY', description: 'From the shop’s provider' }],
    bootstrap_variables: [{ name: 'OWNER', description: 'Whose shop it is' }],
  });
  expect(published.status, published.text).toBe(201);
  expect(published.body).toMatchObject({
    id: expect.stringMatching(/^appv_/),
    project_id: one.projectId,
    version: 1,
    status: 'published',
    visibility: 'public',
    fork_allowed: true,
    min_tier: 'prototype',
    table_count: 2,
    function_count: 2,
    site_file_count: 1,
    required_secrets: [{ key: 'SHOP_KEY', description: 'From the shop’s provider' }],
    bootstrap_variables: [{ name: 'OWNER', description: 'Whose shop it is' }],
    contents: { tables: ['notes', 'private_notes'], migrations: ['001', '002'], routes: 1 },
    error: null,
  });
  expect(JSON.stringify(published.body)).not.toContain('canary');
  // Anybody finds it by its tag, and sees what a fork is going to have.
  const found = await browse('?tag=nothing&tag=shop-of-one');
  expect(found.body).toMatchObject({ total: 1, has_more: false, apps: [published.body] });
  expect((await inspect(published.body.id)).body).toEqual(published.body);

  const other = forking(service);
  const made = await other.fork({
    version_id: published.body.id,
    name: 'My shop',
    subdomain: `shop-${Date.now().toString(36)}`,
    bootstrap: { OWNER: 'Ada' },
  });
  expect(made.status, made.text).toBe(201);
  expect(made.body).toMatchObject({
    status: 'ready',
    project_id: expect.stringMatching(/^prj_/),
    anon_key: expect.any(String),
    service_key: expect.any(String),
    functions: [{ name: 'api' }, { name: 'bootstrap' }],
    missing_secrets: ['SHOP_KEY'],
    bootstrap_result: { status: 'succeeded', response_status: 200 },
    paid_usd_micros: 0,
    error: null,
  });
  // The one row is of the bootstrap; its key is the first of the sequence.
  expect((await other.rowsOf(made.body, 'notes')).body).toEqual([{ id: 1, body: 'Ada' }]);
  expect(await other.sqlOf(made.body, 'select n::int from counts')).toEqual([{ n: 0 }]);
  expect((await other.rowsOf(made.body, 'private_notes')).status).not.toBe(200);
  for (const url of [made.body.site_url, made.body.subdomain_url]) {
    expect((await other.ask(url, '/')).text).toBe('<h1>The shop</h1>');
    expect(JSON.parse((await other.ask(url, '/api')).text)).toEqual({ project: made.body.project_id, mail: null });
  }
  const secrets = await service.call<Any>(
    service.actors.bearer(made.body.service_key),
    'GET',
    `/projects/v1/admin/${made.body.project_id}/secrets`,
  );
  expect(secrets.body.secrets).toEqual([]);
  // Its owner deploys on from there: migrations that it has are not run again.
  const theirs = deploying(service, other.wallet, {
    projectId: made.body.project_id,
    anonKey: made.body.anon_key,
    serviceKey: made.body.service_key,
  });
  const next = await theirs.deploy(
    {
      database: {
        migrations: [
          {
            id: '002',
            sql: 'create table private_notes (id int primary key); create materialized view counts as select count(*) as n from notes',
          },
          { id: '003', sql: 'alter table notes add column mine boolean' },
        ],
      },
      site: { patch: { put: { 'more.html': refOf('more') } } },
    },
    ['more'],
  );
  expect(next).toMatchObject({ status: 'ready' });
  expect((await other.rowsOf(made.body, 'notes')).body).toEqual([{ id: 1, body: 'Ada', mine: null }]);
  const status = await service.call<Any>(other.wallet, 'GET', `/fork/v1/${made.body.project_id}`);
  expect(status.body).toMatchObject({
    project_id: made.body.project_id,
    version_id: published.body.id,
    status: 'ready',
  });
  // What becomes of the version is nothing to a fork.
  const path = `/versions/${published.body.id}`;
  expect((await one.admin('DELETE', path)).body).toEqual({ status: 'deleted', version_id: published.body.id });
  expect((await inspect(published.body.id)).status).toBe(404);
  expect((await other.ask(made.body.site_url, '/')).status).toBe(200);
});

test('what may not be seen, forked or published is refused with its code, and a private version is as one that is not there', async () => {
  const one = await publishing(service);
  const other = forking(service);
  const published = (await one.publish()).body;
  expect(published).toMatchObject({ version: 1, visibility: 'private', fork_allowed: false, status: 'published' });
  for (const id of [published.id, 'appv_none', 'x'.repeat(80)]) {
    expect(await inspect(id)).toMatchObject({ status: 404, body: { code: 'APP_VERSION_NOT_FOUND' } });
    const refused = await other.fork({ version_id: id, name: 'Mine' });
    expect(refused).toMatchObject({ status: 404, body: { code: 'APP_VERSION_NOT_FOUND' } });
  }
  // Its own organization forks what is private.
  const own = await forking(service, one.wallet).fork({ version_id: published.id, name: 'Ours', org_id: one.orgId });
  expect(own.body).toMatchObject({ status: 'ready', org_id: one.orgId });
  const change = (body: object, as = one.key) => one.admin('PATCH', `/versions/${published.id}`, body, as);
  expect((await change({ visibility: 'unlisted' })).body).toMatchObject({
    visibility: 'unlisted',
    fork_allowed: false,
  });
  expect((await inspect(published.id)).status).toBe(200);
  expect((await browse()).body.apps.map(({ id }: Any) => id)).not.toContain(published.id);
  expect(await other.fork({ version_id: published.id, name: 'Mine' })).toMatchObject({
    status: 403,
    body: { code: 'APP_FORK_NOT_ALLOWED' },
  });
  // Nobody else's key, and nobody without one, changes or publishes anything.
  const stranger = service.actors.bearer((await service.project()).serviceKey);
  for (const as of [stranger, nobody, other.wallet]) {
    for (const refused of [await change({ fork_allowed: true }, as), await one.publish({}, as)])
      expect([401, 403, 404]).toContain(refused.status);
    expect([401, 403, 404]).toContain((await one.admin('DELETE', `/versions/${published.id}`, undefined, as)).status);
  }
  for (const body of [
    { visibility: 'secret' },
    { tags: ['No Spaces'] },
    { fork_price_usd_micros: 1 },
    { required_secrets: [{ key: 'KEY', value: 'a secret' }] },
  ])
    expect((await one.publish(body)).status, JSON.stringify(body)).toBe(400);
  const bare = await service.project();
  const nothing = await service.call<Any>(
    service.actors.bearer(bare.serviceKey),
    'POST',
    `/projects/v1/admin/${bare.projectId}/publish`,
    { body: {} },
  );
  expect(nothing).toMatchObject({ status: 409, body: { code: 'APP_NOTHING_TO_PUBLISH' } });
  expect(await service.call<Any>(bare.wallet, 'GET', `/fork/v1/${bare.projectId}`)).toMatchObject({
    status: 404,
    body: { code: 'APP_FORK_NOT_FOUND' },
  });
  await change({ fork_allowed: true });
  for (const bootstrap of [{ OWNER: 'Ada' }, { OTHER: 1 }])
    expect(await other.fork({ version_id: published.id, name: 'Mine', bootstrap })).toMatchObject({
      status: 400,
      body: { code: 'APP_VARIABLES_INVALID', details: { unknown: Object.keys(bootstrap) } },
    });
  const taken = await forking(service, one.wallet).fork({ version_id: published.id, name: 'x', subdomain: 'admin' });
  expect(taken).toMatchObject({ status: 409, body: { code: 'SUBDOMAIN_TAKEN' } });
  expect((await one.admin('GET', '/versions')).body.versions).toMatchObject([{ id: published.id, fork_allowed: true }]);
});

test('an app for a higher tier says so before it is forked, and a function bootstrap that refuses is told of', async () => {
  const one = await publishing(service);
  await service.control.sql(`update orgs set tier = 'hobby' where id = $1`, [one.orgId]);
  const slow = 'export default () => new Response("slow")';
  await one.mine.deploy(
    { functions: { patch: { set: { slow: { source: refOf(slow), config: { timeout_seconds: 20 } } } } } },
    [slow],
  );
  const published = await one.publish({
    visibility: 'public',
    fork_allowed: true,
    bootstrap_variables: [{ name: 'OWNER' }],
  });
  expect(published.body).toMatchObject({ min_tier: 'hobby', derived_min_tier: 'hobby' });
  const other = forking(service);
  const version_id = published.body.id;
  expect(await other.fork({ version_id, name: 'Mine' })).toMatchObject({
    status: 403,
    body: { code: 'TIER_FEATURE_REQUIRED', details: { min_tier: 'hobby', tier: 'prototype' } },
  });
  const own = forking(service, one.wallet);
  const refused = await own.fork({ version_id, name: 'Mine', bootstrap: { OWNER: 'fail' } });
  expect(refused.body).toMatchObject({
    status: 'ready',
    bootstrap_result: { status: 'failed' },
    bootstrap_error: { code: 'FUNCTION_RUN_HTTP_400', message: 'no such owner' },
  });
  const without = await own.fork({ version_id, name: 'Mine' });
  expect(without.body).toMatchObject({ status: 'ready', bootstrap_error: { code: 'BOOTSTRAP_SKIPPED' } });
  // The same key makes one project, and answers its keys again.
  const key = { 'idempotency-key': `fork-${version_id}` };
  const [first, second] = [
    await own.fork({ version_id, name: 'Once' }, key),
    await own.fork({ version_id, name: 'Once' }, key),
  ];
  expect(second.body).toEqual(first.body);
});
