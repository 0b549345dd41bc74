import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { terminal } from '../cli/command.ts';
import { keyHolder } from '../content/upload.ts';
import { deploying, refOf, siteOf } from '../deploys/deploying.ts';
import { expectRefusal } from '../helpers/documented.ts';
import { startService } from '../helpers/service.ts';
import { asking } from './site.ts';

const service = await startService();
afterAll(() => service.stop());
const home = await service.project();
const mine = deploying(service, home.wallet, home);
const key = keyHolder(home.serviceKey);
const script = 'console.log(1);'.repeat(100);
const texts = {
  'index.html': '<h1>home</h1>',
  'about.html': 'about',
  'login.html': 'login',
  'docs/index.html': 'docs',
  'app.js': script,
  'lost.txt': 'lost',
  'large.bin': 'y'.repeat(3 * 1024 * 1024),
  'lost.bin': 'z'.repeat(3 * 1024 * 1024),
};
const released = await mine.deploy(
  { ...siteOf(texts), routes: { replace: [{ pattern: '/help', target: { type: 'static', file: 'about.html' } }] } },
  Object.values(texts),
);
const host = new URL(released.urls.site).hostname;
for (const name of ['lost.txt', 'lost.bin'] as const) {
  const { sha256 } = refOf(texts[name]);
  await rm(join(service.dataDir, 'objects', sha256.slice(0, 2), sha256));
}

const resolved = async (asked: Record<string, string>, as: typeof key | typeof home.wallet = key) => {
  // biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
  const answer = await service.call<any>(as, 'GET', `/apply/v1/resolve?${new URLSearchParams(asked)}`);
  expect(answer.status).toBe(200);
  return answer.body;
};

test.each([
  ['GET', '/'],
  ['GET', '/index.html'],
  ['HEAD', '/about'],
  ['GET', '/docs'],
  ['GET', '/docs/'],
  ['GET', '/help'],
  ['HEAD', '/help/'],
  ['DELETE', '/help'],
  ['POST', '/app.js'],
  ['OPTIONS', '/app.js'],
  ['PUT', '/nowhere'],
  ['GET', '/users/1'],
  ['GET', '/missing.js'],
  ['GET', '/%5Fsvc/x'],
  ['GET', '/_svc/nothing'],
  ['GET', '/_svc/config.js'],
  ['POST', '/_svc/config.js'],
  ['GET', '/auth/sign-in'],
  ['DELETE', '/auth/sign-in'],
  ['GET', '/auth/nothing'],
  ['GET', '/auth/nothing.js'],
  ['GET', '/a/../b'],
  ['GET', '/%zz'],
  ['GET', '//'],
  ['GET', '/_cas/x'],
  ['GET', '/large.bin'],
  ['GET', '/lost.txt'],
  ['HEAD', '/lost.txt'],
  ['GET', '/lost.bin'],
  ['HEAD', '/lost.bin'],
])('what is said of %s %s is what the request gets', async (method, path) => {
  const { result, allow } = await resolved({ host, path, method });
  for (const _time of ['made', 'at hand']) {
    const answer = await asking(service, host)(path, { method });
    expect(result).toBe(answer.status);
    if (allow !== null) expect(answer.headers.allow).toBe(allow.join(', '));
    if (result === 503) expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  }
});

test('an answer is explained', async () => {
  expect(await resolved({ host: `${host.toUpperCase()}.`, path: '/app.js' })).toMatchObject({
    hostname: host,
    project_id: home.projectId,
    channel: 'production',
    binding_status: 'active',
    release_id: released.release_id,
    release_generation: 1,
    normalized_path: '/app.js',
    match: 'static_exact',
    route: null,
    asset_path: 'app.js',
    reachability_authority: 'implicit_file_path',
    direct: true,
    static_sha256: refOf(script).sha256,
    content_type: 'text/javascript; charset=utf-8',
    cache_class: 'revalidating_asset',
    cache_policy: 'public, max-age=0, must-revalidate',
    authorization_result: 'authorized',
    cas_object: {
      sha256: refOf(script).sha256,
      exists: true,
      expected_size: script.length,
      actual_size: script.length,
    },
    response_variant: { kind: 'content_encoding', varies_by: ['accept-encoding'], path: '/app.js' },
    authorized: true,
    fallback_state: 'not_used',
    error_code: null,
    result: 200,
  });
  expect(await resolved({ host, path: '/help' })).toMatchObject({
    match: 'route_static_alias',
    route: { pattern: '/help', methods: ['GET', 'HEAD'], target: { type: 'static', file: 'about.html' } },
    target_type: 'static',
    target_file: 'about.html',
  });
  expect(await resolved({ host, path: '/lost.txt' })).toMatchObject({
    match: 'static_exact',
    authorization_result: 'missing_cas_object',
    cas_object: { exists: false, actual_size: null },
    authorized: false,
    error_code: 'STORAGE_UNAVAILABLE',
  });
  expect(await resolved({ host, path: '/über' })).toMatchObject({ normalized_path: '/über', match: 'spa_fallback' });
  const preview = `dpl-${released.urls.deployment_id.slice(4)}.sites.localhost`;
  expect(await resolved({ host: preview })).toMatchObject({
    channel: 'preview',
    release_generation: null,
    result: 200,
  });
});

test('a host is nobody’s to whom its project is not shown', async () => {
  const other = await service.project();
  for (const [asked, as] of [
    ['nobody.localhost', key],
    ['www.example.com', key],
    [host, keyHolder(other.serviceKey)],
    [host, other.wallet],
  ] as const) {
    const body = await resolved({ host: asked }, as);
    expect(body).toMatchObject({
      hostname: asked,
      match: 'host_missing',
      result: 404,
      project_id: null,
      release_id: null,
    });
  }
  expect(await resolved({ host }, home.wallet)).toMatchObject({ result: 200 });
  expectRefusal(await service.call(service.actors.nobody, 'GET', `/apply/v1/resolve?host=${host}`), 'AUTH_REQUIRED');
  for (const asked of ['host=', 'host=a:80', 'host=a/b', 'host=a&path=b', 'host=a&path=/%3Fb', 'host=a&method=get'])
    expectRefusal(await service.call(key, 'GET', `/apply/v1/resolve?${asked}`), 'VALIDATION_FAILED');
});

test('a project without a release says so, and one that is put away serves nothing', async () => {
  const other = await service.project();
  const theirs = deploying(service, other.wallet, other);
  const [{ public_id: id }] = (await service.control.sql('select public_id from projects where id = $1', [
    other.projectId,
  ])) as [{ public_id: string }];
  const name = `p-${id}.localhost`;
  const seen = async () => (await resolved({ host: name }, other.wallet)).match;
  expect(await seen()).toBe('active_release_missing');
  expect((await asking(service, name)('/')).status).toBe(404);
  await theirs.deploySite({ 'index.html': 'theirs' });
  expect(await seen()).toBe('static_index');
  await service.control.sql('update projects set archived_at = now() where id = $1', [other.projectId]);
  await expect.poll(async () => (await asking(service, name)('/')).status).toBe(403);
  expect(await resolved({ host: name }, other.wallet)).toMatchObject({ result: 403, authorized: false });
});

test('the graph and the command say the same', async () => {
  const document = `query ($host: String!) { hostResolution(host: $host, path: "/help") { match result assetPath diagnosis } }`;
  const { data } = await service.graphql(home.wallet, document, { host });
  const diagnosis = await resolved({ host, path: '/help' });
  expect(data.hostResolution).toEqual({ match: 'route_static_alias', result: 200, assetPath: 'about.html', diagnosis });
});

test('the command takes an address apart', async () => {
  const ada = await terminal(service.url);
  try {
    await ada.svc('init');
    const org = (await ada.svc('org', 'create')).json.org_id;
    const { project_id: project } = (await ada.svc('projects', 'provision', '--org', org)).json;
    await ada.file('page.html', 'a page');
    const { json: deployed } = await ada.svc('sites', 'deploy', '.', '--project', project);
    const said = await ada.svc('deploy', 'diagnose', `${deployed.url}/page?x=1#top`);
    expect(said.json).toMatchObject({
      project_id: project,
      normalized_path: '/page',
      asset_path: 'page.html',
      result: 200,
    });
    const { hostname } = new URL(deployed.url);
    const posted = await ada.svc('deploy', 'resolve', '--host', hostname, '--path', '/page', '--method', 'POST');
    expect(posted.json).toMatchObject({ result: 405, allow: ['GET', 'HEAD'] });
    expect((await ada.svc('deploy', 'diagnose', 'nobody.example.com')).json).toMatchObject({ match: 'host_missing' });
    expect((await ada.svc('deploy', 'diagnose', 'http://')).error).toMatchObject({ code: 'BAD_USAGE' });
  } finally {
    await ada.remove();
  }
});
