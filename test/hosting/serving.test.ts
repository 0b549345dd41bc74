import { randomBytes } from 'node:crypto';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { deploying, refOf, siteOf } from '../deploys/deploying.ts';
import { startService } from '../helpers/service.ts';
import { asking } from './site.ts';

const service = await startService({ env: { EMBEDDING_ORIGINS: 'docs=https://docs.example.com' } });
afterAll(() => service.stop());
const home = await service.project();
const mine = deploying(service, home.wallet, home);
const [{ public_id: publicId }] = (await service.control.sql('select public_id from projects where id = $1', [
  home.projectId,
])) as [{ public_id: string }];
const ask = asking(service, `p-${publicId}.localhost`);

const script = 'console.log(1);'.repeat(500);
const texts = {
  'index.html': '<h1>home</h1>',
  'about.html': 'about',
  'docs/index.html': 'docs',
  'app.3f2a9c1b.js': script,
  'plain.txt': 'plain text',
  'ünïcode 😀.txt': 'emoji',
  'large.bin': 'x'.repeat(3 * 1024 * 1024),
};
const released = await mine.deploySite(texts);
const etag = (text: string) => `"sha256-${refOf(text).sha256}"`;

describe('files', () => {
  test.each([
    ['/', 'index.html', 'text/html; charset=utf-8'],
    ['/index.html', 'index.html', 'text/html; charset=utf-8'],
    ['/about', 'about.html', 'text/html; charset=utf-8'],
    ['/docs/', 'docs/index.html', 'text/html; charset=utf-8'],
    ['/plain.txt?x=1', 'plain.txt', 'text/plain; charset=utf-8'],
    ['/%C3%BCn%C3%AFcode%20%F0%9F%98%80.txt', 'ünïcode 😀.txt', 'text/plain; charset=utf-8'],
    ['/app.3f2a9c1b.js', 'app.3f2a9c1b.js', 'text/javascript; charset=utf-8'],
    ['/large.bin', 'large.bin', 'application/octet-stream'],
  ] as const)('%s is %s byte for byte', async (path, file, type) => {
    const { status, headers, text } = await ask(path);
    expect([status, text === texts[file]]).toEqual([200, true]);
    expect(headers).toMatchObject({
      'content-type': type,
      etag: etag(texts[file]),
      'x-svc-content-sha256': refOf(texts[file]).sha256,
      'content-digest': `sha-256=:${Buffer.from(refOf(texts[file]).sha256, 'hex').toString('base64')}:`,
      'x-svc-release-id': released.release_id,
      'x-svc-release-generation': '1',
      'x-content-type-options': 'nosniff',
      'accept-ranges': 'bytes',
    });
    const head = await ask(path, { method: 'HEAD' });
    expect([head.status, head.text, head.headers.etag, head.headers['content-length']]).toEqual([
      200,
      '',
      headers.etag,
      headers['content-length'],
    ]);
  });

  test('only what has its digest in its name is kept for ever', async () => {
    const control = async (path: string) => (await ask(path)).headers['cache-control'];
    expect(await control('/app.3f2a9c1b.js')).toBe('public, max-age=31536000, immutable');
    expect(await control('/plain.txt')).toBe('public, max-age=0, must-revalidate');
    expect(await control('/')).toBe('public, max-age=0, must-revalidate');
  });

  test('what a client has is not sent again, in whatever coding it came', async () => {
    const again = async (tag: string) => (await ask('/app.3f2a9c1b.js', { headers: { 'if-none-match': tag } })).status;
    expect(await again(etag(script))).toBe(304);
    expect(await again(`W/${etag(script)}, "x"`)).toBe(304);
    expect(await again('*')).toBe(304);
    expect(await again(`"sha256-${refOf(script).sha256}-br"`)).toBe(304);
    expect(await again(etag('other'))).toBe(200);
  });

  test.each([
    ['br', brotliDecompressSync],
    ['zstd', zstdDecompressSync],
    ['gzip', gunzipSync],
  ] as const)('text comes in %s where that is asked for', async (coding, decode) => {
    const { status, headers, body } = await ask('/app.3f2a9c1b.js', { headers: { 'accept-encoding': coding } });
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-encoding': coding,
      vary: 'Accept-Encoding',
      etag: `"sha256-${refOf(script).sha256}-${coding}"`,
    });
    expect(decode(body).toString()).toBe(script);
    expect(body.length).toBeLessThan(script.length / 4);
  });

  test('a client that refuses a coding does not get it', async () => {
    const { headers, text } = await ask('/app.3f2a9c1b.js', { headers: { 'accept-encoding': 'br;q=0, identity' } });
    expect([headers['content-encoding'], text]).toEqual([undefined, script]);
  });

  test.each(['plain.txt', 'large.bin'] as const)('parts of %s are answered', async (file) => {
    const whole = texts[file];
    const part = (range: string, more: Record<string, string> = {}) => ask(`/${file}`, { headers: { range, ...more } });
    expect(await part('bytes=2-4')).toMatchObject({
      status: 206,
      text: whole.slice(2, 5),
      headers: { 'content-range': `bytes 2-4/${whole.length}` },
    });
    expect(await part('bytes=-3')).toMatchObject({ status: 206, text: whole.slice(-3) });
    expect(await part(`bytes=${whole.length - 1}-`)).toMatchObject({ status: 206, text: whole.slice(-1) });
    expect(await part(`bytes=${whole.length}-`)).toMatchObject({
      status: 416,
      headers: { 'content-range': `bytes */${whole.length}` },
    });
    expect((await part('bytes=5-2')).status).toBe(200);
    expect((await part('bytes=0-0,2-3')).status).toBe(200);
    expect((await part('bytes=0-0', { 'if-range': etag('other') })).status).toBe(200);
    expect((await part('bytes=0-0', { 'if-range': etag(whole) })).status).toBe(206);
  });

  test('a folder without its slash is found with it', async () => {
    expect(await ask('/docs?a=b')).toMatchObject({ status: 308, headers: { location: '/docs/?a=b' } });
  });

  test('other methods are refused', async () => {
    const { status, headers, text } = await ask('/plain.txt', { method: 'POST' });
    expect([status, headers.allow, JSON.parse(text).code]).toEqual([405, 'GET, HEAD', 'ROUTE_METHOD_NOT_ALLOWED']);
  });

  test('a page that is not there is the app’s, and a script that is not there is missing', async () => {
    expect(await ask('/some/page')).toMatchObject({ status: 200, text: texts['index.html'] });
    expect(await ask('/gone.js', { headers: { accept: '*/*' } })).toMatchObject({ status: 404 });
    expect(await ask('/v1.2', { headers: { accept: 'text/html' } })).toMatchObject({
      status: 200,
      text: texts['index.html'],
    });
  });

  test.each([
    '//etc/passwd',
    '/a//b',
    '/..',
    '/../a',
    '/%2e%2e/a',
    '/a/%2E%2e',
    '/./a',
    '/a/.',
    '/a%2fb',
    '/a%2Fb',
    '/a%5cb',
    '/a\\b',
    '/%00',
    '/a%00.html',
    '/%0a',
    '/%7f',
    '/%252e%252e/a',
    '/%25%32%65',
    '/%c0%ae%c0%ae/a',
    '/%ff',
    '/%',
    '/a%2',
    '/%ed%a0%80',
    '/_cas/x',
    `/${'a'.repeat(5_000)}`,
  ])('%s is no path', async (path) => {
    const { status, text } = await ask(path);
    expect([status, JSON.parse(text).code]).toEqual([400, 'VALIDATION_FAILED']);
  });
});

test('nobody may embed a page unless its release names somebody', async () => {
  const policy = async () => (await ask('/')).headers['content-security-policy'];
  expect(await policy()).toBe("frame-ancestors 'none'");
  await mine.deploy({ site: { embedding: { frame_ancestors: ['docs'] } } });
  expect(await policy()).toBe("frame-ancestors 'self' https://docs.example.com");
  await mine.deploy({ site: { embedding: null } });
  expect(await policy()).toBe("frame-ancestors 'none'");
});

test('the console alone may embed the host of a deployment, and no other host of the project', async () => {
  const { port } = new URL(service.url);
  const { release_id: releaseId, deployment_id: deploymentId } = (await mine.read('/apply/v1/releases/active')).body;
  const preview = asking(service, `dpl-${deploymentId.slice(4)}.sites.localhost`);
  // The same file, by turns: what is kept of one host is not sent from the other.
  for (let turn = 0; turn < 2; turn += 1) {
    const shown = await preview('/');
    expect([shown.headers['x-svc-release-id'], shown.headers['content-security-policy']]).toEqual([
      releaseId,
      `frame-ancestors 'self' http://localhost:${port}`,
    ]);
    expect((await ask('/')).headers['content-security-policy']).toBe("frame-ancestors 'none'");
  }
});

test('a release replaces the one before at once, and each stays at its own host', async () => {
  const other = await service.project();
  const theirs = deploying(service, other.wallet, other);
  const first = await theirs.deploySite({ 'index.html': 'one' });
  const second = await theirs.deploySite({ 'index.html': 'two', '404.html': 'nothing here' });
  const host = new URL(second.urls.site).hostname;
  const site = asking(service, host);
  expect(await site('/')).toMatchObject({
    status: 200,
    text: 'two',
    headers: { 'x-svc-release-id': second.release_id },
  });
  const preview = asking(service, `dpl-${first.urls.deployment_id.slice(4)}.sites.localhost`);
  expect(await preview('/')).toMatchObject({
    text: 'one',
    headers: { 'x-svc-release-id': first.release_id, 'x-robots-tag': 'noindex' },
  });
  const also = asking(service, host.replace(/^p-/, 'pr-'));
  expect((await also('/')).text).toBe('two');
  await theirs.call('POST', `/apply/v1/releases/${first.release_id}/promote`, { project: other.projectId });
  expect((await site('/')).text).toBe('one');
});

test('a project may say itself that there is nothing', async () => {
  const other = await service.project();
  const theirs = deploying(service, other.wallet, other);
  const { urls } = await theirs.deploy({ site: { ...siteOf({ '404.html': 'nothing here', 'a.html': 'a' }).site } }, [
    'nothing here',
    'a',
  ]);
  const site = asking(service, new URL(urls.site).hostname);
  expect(await site('/gone')).toMatchObject({
    status: 404,
    text: 'nothing here',
    headers: { 'content-type': 'text/html; charset=utf-8' },
  });
  expect(await site('/404.html')).toMatchObject({ status: 200 });
});

test('only what a table names is public, and aliases lead to files', async () => {
  const other = await service.project();
  const theirs = deploying(service, other.wallet, other);
  const { urls } = await theirs.deploy(
    {
      site: {
        ...siteOf({ 'a.html': 'a', 'hidden.txt': 'hidden' }).site,
        public_paths: { mode: 'explicit', replace: { '/': { asset: 'a.html' } } },
      },
      routes: { replace: [{ pattern: '/events', target: { type: 'static', file: 'a.html' } }] },
    },
    ['a', 'hidden'],
  );
  const site = asking(service, new URL(urls.site).hostname);
  expect((await site('/')).text).toBe('a');
  expect((await site('/events')).text).toBe('a');
  expect((await site('/events/')).text).toBe('a');
  expect((await site('/hidden.txt')).status).toBe(404);
  expect((await site('/a.html')).status).toBe(404);
  expect(await site('/events', { method: 'DELETE' })).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
});

test('a project without a release answers that there is nothing, and its own paths as before', async () => {
  const other = await service.project();
  const [{ public_id }] = (await service.control.sql('select public_id from projects where id = $1', [
    other.projectId,
  ])) as [{ public_id: string }];
  const site = asking(service, `p-${public_id}.localhost`);
  expect((await site('/')).status).toBe(404);
  expect(await site('/_svc/config.js')).toMatchObject({ status: 200 });
});

test('a site whose list of files is not there says so, and is asked again in a while', async () => {
  const other = await service.project();
  const { urls } = await deploying(service, other.wallet, other).deploySite({ 'index.html': 'home' });
  await service.control.sql('delete from release_parts where project_id = $1', [other.projectId]);
  const answer = await asking(service, new URL(urls.site).hostname)('/');
  expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
  expect(JSON.parse(answer.text)).toMatchObject({ code: 'ROUTE_MANIFEST_LOAD_FAILED', retryable: true });
});

test('what was never live has no host', async () => {
  expect((await asking(service, `dpl-${randomBytes(8).toString('hex')}.sites.localhost`)('/')).status).toBe(404);
});
