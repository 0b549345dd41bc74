import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { get } from 'node:http';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { forgetHostNames } from '../../resolvers/hosts/shared/find-host.ts';
import { deploying, refOf, siteOf } from '../deploys/deploying.ts';
import { startService } from '../helpers/service.ts';
import { asking } from './site.ts';

const service = await startService();
const closed = await startService({
  env: {
    NODE_ENV: 'production',
    PUBLIC_BASE_URL: 'https://api.example.com',
    PLATFORM_DOMAIN: 'apps.example.com',
    SVC_SECRET_KEY: randomBytes(32).toString('hex'),
    DRAIN_SECONDS: '0',
  },
});
afterAll(async () => {
  await service.stop();
  await closed.stop();
});

async function newSite(texts: Readonly<Record<string, string>>, slices: object = {}) {
  const project = await service.project();
  const theirs = deploying(service, project.wallet, project);
  const { urls, release_id } = await theirs.deploy({ ...siteOf(texts), ...slices }, Object.values(texts));
  const host = new URL(urls.site).hostname;
  const publicId = host.replace(/^p-|\.localhost$/g, '');
  return { ...theirs, project, host, publicId, releaseId: release_id, ask: asking(service, host) };
}

const page = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

test('what is at hand is answered as it was the first time, in every form', async () => {
  const text = 'body { color: red }\n'.repeat(200);
  const { ask, releaseId } = await newSite({ 'style.css': text });
  const tag = `"sha256-${refOf(text).sha256}"`;
  const forms: { method?: string; headers?: Record<string, string> }[] = [
    {},
    { method: 'HEAD' },
    { headers: { 'accept-encoding': 'br' } },
    { headers: { 'accept-encoding': 'gzip, zstd' } },
    { headers: { 'accept-encoding': 'br, identity;q=0', range: 'bytes=0-3' } },
    { headers: { range: 'bytes=10-19' } },
    { headers: { range: 'bytes=999999-' } },
    { headers: { 'if-none-match': tag } },
    { headers: { 'if-match': '"other"' } },
    { headers: { 'if-none-match': `${tag.slice(0, -1)}-br"`, 'accept-encoding': 'br' } },
  ];
  const seen = async (form: object) => {
    const { status, headers, body } = await ask('/style.css?v=1', form);
    const { date: _date, 'x-svc-trace-id': traceId, ...rest } = headers;
    expect(traceId).toMatch(/^trc_[0-9a-f]{32}$/);
    return { status, headers: rest, body: body.toString('base64') };
  };
  const first = [];
  for (const form of forms) first.push(await seen(form));
  expect(first.map(({ status }) => status)).toEqual([200, 200, 200, 200, 206, 206, 416, 304, 412, 304]);
  for (const { headers, status } of first) {
    expect(headers).toMatchObject({ 'x-svc-release-id': releaseId, 'x-content-type-options': 'nosniff' });
    if (status !== 416) expect(headers.vary).toBe('Accept-Encoding');
  }
  for (const [at, form] of forms.entries()) expect(await seen(form)).toEqual(first[at]);
});

test('another release is served from the moment that it is live, however often a file was asked for', async () => {
  const { ask, deploySite } = await newSite({ 'a.txt': 'version 0' });
  for (let version = 1; version <= 5; version += 1) {
    for (let time = 0; time < 3; time += 1) expect((await ask('/a.txt')).text).toBe(`version ${version - 1}`);
    await deploySite({ 'a.txt': `version ${version}` });
    const { text, headers } = await ask('/a.txt');
    expect([text, headers['x-svc-release-generation']]).toEqual([`version ${version}`, String(version + 1)]);
  }
});

test('requests that come while a release changes get one of both whole', async () => {
  const texts = (word: string) => ({ 'a.txt': word.repeat(2_000), 'b.txt': word.repeat(2_000) });
  const { ask, deploySite } = await newSite(texts('0'));
  let going = true;
  const seen = new Set<string>();
  const reader = async () => {
    while (going) {
      const { status, text, headers } = await ask('/a.txt');
      expect(status).toBe(200);
      expect(new Set(text).size).toBe(1);
      expect(headers['x-svc-content-sha256']).toBe(refOf(text).sha256);
      seen.add(text[0]!);
    }
  };
  const readers = [reader(), reader(), reader()];
  for (const word of ['1', '2', '3']) await deploySite(texts(word));
  await expect.poll(() => seen.has('3')).toBe(true);
  going = false;
  await Promise.all(readers);
});

test('pages of the browser’s own are one file, at whatever path', async () => {
  const { ask } = await newSite({ 'index.html': '<h1>app</h1>', 'docs/index.html': 'docs' });
  for (const path of ['/a', '/b', '/a', '/c/d', '/b'])
    expect(await ask(path)).toMatchObject({ status: 200, text: '<h1>app</h1>' });
  const moved = await ask('/docs');
  expect([moved.headers.location, moved.headers['x-svc-trace-id']]).toEqual([
    '/docs/',
    expect.stringMatching(/^trc_[0-9a-f]{32}$/),
  ]);
});

test('a site is found by a domain of its own, and no longer once that is given up', async () => {
  const { project } = await newSite({ 'index.html': 'mine' });
  const name = 'www.shop.example';
  await service.control.sql('insert into host_names (name, org_id, project_id) values ($1, $2, $3)', [
    name,
    project.orgId,
    project.projectId,
  ]);
  forgetHostNames(service.app.services);
  const ask = asking(service, name);
  expect(await ask('/')).toMatchObject({ status: 200, text: 'mine' });
  expect(await ask('/')).toMatchObject({ status: 200, text: 'mine' });
  await service.control.sql('delete from host_names where name = $1', [name]);
  forgetHostNames(service.app.services);
  expect((await ask('/')).status).toBe(421);
});

test('a project of an organization whose lease has ended goes on being served, and a deleted one does not', async () => {
  const { ask, project } = await newSite({ 'index.html': 'still here' });
  for (const state of ['past_due', 'frozen', 'dormant']) {
    await service.control.sql('update orgs set lifecycle_state = $2, lifecycle_entered_at = now() where id = $1', [
      project.orgId,
      state,
    ]);
    expect((await ask('/')).text).toBe('still here');
  }
  await service.control.sql('update projects set deleted_at = now() where id = $1', [project.projectId]);
  await expect.poll(async () => (await ask('/')).status).toBe(404);
});

test('a browser is shown a page where there is nothing, and a program an error', async () => {
  const { ask } = await newSite({ 'a.txt': 'a' });
  const shown = await ask('/gone', { headers: page });
  expect([shown.status, shown.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
  expect(shown.headers['content-security-policy']).toContain("frame-ancestors 'none'");
  expect(shown.text).toContain('Page not found');
  const told = await ask('/gone<script>');
  expect([told.status, JSON.parse(told.text).code]).toEqual([404, 'ROUTE_NOT_FOUND']);
});

test('a page of a project’s own keeps the status, is never kept, and has no conditions', async () => {
  const { ask } = await newSite({ '404.html': 'our own page', 'a.txt': 'a' });
  const sha256 = refOf('our own page').sha256;
  for (const headers of [{}, { 'if-none-match': `"sha256-${sha256}"` }, { range: 'bytes=0-2' }])
    expect(await ask('/gone', { headers })).toMatchObject({
      status: 404,
      text: 'our own page',
      headers: { 'cache-control': 'public, max-age=0, must-revalidate' },
    });
  expect((await ask('/gone', { method: 'POST' })).status).toBe(404);
});

test('OPTIONS is answered by the site below its own paths, and by the platform below others', async () => {
  const { ask } = await newSite({ 'a.txt': 'a' });
  const preflight = { origin: 'https://elsewhere.example', 'access-control-request-method': 'GET' };
  const asked = (path: string) => ask(path, { method: 'OPTIONS', headers: preflight });
  expect(await asked('/a.txt')).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
  expect((await asked('/_svc/config.json')).status).toBe(204);
  expect((await ask('/a.txt', { headers: preflight })).headers['access-control-allow-origin']).toBeUndefined();
});

test('a store that is away is said to be, and found again when it is back', async () => {
  const texts = { 'small.txt': 'small and unique', 'large.bin': 'L'.repeat(3 * 1024 * 1024) };
  const { ask } = await newSite(texts);
  for (const [path, text] of Object.entries(texts)) {
    const { sha256 } = refOf(text);
    const object = join(service.dataDir, 'objects', sha256.slice(0, 2), sha256);
    await rename(object, `${object}.away`);
    const refused = await ask(`/${path}`);
    expect(refused.status).toBe(503);
    expect(JSON.parse(refused.text)).toMatchObject({ code: 'STORAGE_UNAVAILABLE', retryable: true });
    expect(refused.headers['retry-after']).toBe('1');
    await rename(`${object}.away`, object);
    expect((await ask(`/${path}`)).text).toBe(text);
  }
});

test('a reader that goes away in the middle of a large file is no fault, and holds nothing open', async () => {
  const { host, ask } = await newSite({ 'large.bin': 'R'.repeat(8 * 1024 * 1024) });
  const { port, hostname } = new URL(service.url);
  const open = () => readdirSync('/proc/self/fd').length;
  await ask('/large.bin');
  const before = open();
  for (let time = 0; time < 10; time += 1) {
    const [answer] = await once(
      get({ hostname, port, path: '/large.bin', headers: { host }, agent: false }),
      'response',
    );
    await once(answer, 'data');
    answer.destroy();
  }
  await expect.poll(open).toBeLessThanOrEqual(before + 2);
  expect(service.logged().filter(({ msg }) => msg === 'An answer broke off.')).toEqual([]);
  expect((await ask('/large.bin')).body.length).toBe(8 * 1024 * 1024);
});

test('in development a site is also below a path, kept apart from whatever shares that origin', async () => {
  const { publicId } = await newSite({ 'index.html': '<h1>here</h1>', 'docs/index.html': 'docs', 'a.js': 'a' });
  const ask = asking(service, 'localhost');
  const shown = await ask(`/_sites/${publicId}/`);
  expect(shown).toMatchObject({ status: 200, text: '<h1>here</h1>' });
  expect(shown.headers['content-security-policy']).toMatch(/^frame-ancestors 'none'; sandbox /);
  expect(shown.headers['content-security-policy']).not.toContain('allow-same-origin');
  expect(await ask(`/_sites/${publicId}/a.js`)).toMatchObject({ headers: { 'access-control-allow-origin': '*' } });
  expect(await ask(`/_sites/${publicId}/docs?x=1`)).toMatchObject({
    status: 308,
    headers: { location: `/_sites/${publicId}/docs/?x=1` },
  });
  expect((await ask(`/_sites/${publicId}/../../console`)).status).toBe(400);
  expect((await ask('/_sites/000000000000/')).status).toBe(404);
  expect((await asking(closed, 'api.example.com')(`/_sites/${publicId}/`)).status).toBe(404);
});

test('reads of a file count for the project, and cost its address alone', async () => {
  const { ask, project } = await newSite({ 'a.txt': 'a' });
  for (let time = 0; time < 300; time += 1) expect((await ask('/a.txt')).status).toBe(200);
  await service.app.services.traffic.flush();
  const rows = await service.control.sql<{ requests: string }>(
    'select sum(requests)::text as requests from project_metrics where project_id = $1',
    [project.projectId],
  );
  expect(Number(rows[0]!.requests)).toBeGreaterThanOrEqual(300);
});
