import { createHash } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { sharedService } from '../helpers/shared-service.ts';
import { assetStage } from './asset-door.ts';

const service = await sharedService();
afterAll(() => service.stop());
const { control } = service;
const digest = (text: string) => createHash('sha256').update(text).digest('hex');

test('an asset is served at its own address, and each version at one that lasts', async () => {
  const { put, open, host } = await assetStage(service);
  const first = (await put('css/app.css', 'body{}')).body;
  expect(first).toMatchObject({
    key: 'css/app.css',
    sha256: digest('body{}'),
    size_bytes: 6,
    content_type: 'text/css; charset=utf-8',
    visibility: 'public',
    immutable: true,
    etag: `"sha256-${digest('body{}')}"`,
    metadata: null,
    image_format: null,
  });
  expect(new URL(first.url).host).toBe(`${host}:${new URL(service.url).port}`);
  expect(first.immutable_url).toContain(`/_blob/css/app-${digest('body{}').slice(0, 8)}.css`);
  const served = await open(first.url);
  expect(served.text).toBe('body{}');
  expect(served.headers).toMatchObject({
    'content-type': 'text/css; charset=utf-8',
    'cache-control': 'public, max-age=0, must-revalidate',
    'x-svc-blob-cache-kind': 'mutable',
    'x-svc-content-sha256': digest('body{}'),
    'x-content-type-options': 'nosniff',
    'access-control-allow-origin': '*',
    'accept-ranges': 'bytes',
    etag: first.etag,
    'content-digest': first.content_digest,
  });
  const lasting = await open(first.immutable_url);
  expect(lasting.headers).toMatchObject({
    'cache-control': 'public, max-age=31536000, immutable',
    'x-svc-blob-cache-kind': 'immutable',
  });
  const second = (await put('css/app.css', 'body{color:red}')).body;
  expect((await open(first.url)).text).toBe('body{color:red}');
  expect((await open(first.immutable_url)).text).toBe('body{}');
  expect((await open(second.immutable_url)).text).toBe('body{color:red}');
});

test('conditions, ranges and HEAD are answered as of any file', async () => {
  const { put, open } = await assetStage(service);
  const { url, etag } = (await put('a.txt', '0123456789')).body;
  expect((await open(url, { headers: { 'if-none-match': etag } })).status).toBe(304);
  const part = await open(url, { headers: { range: 'bytes=2-4' } });
  expect([part.status, part.text, part.headers['content-range']]).toEqual([206, '234', 'bytes 2-4/10']);
  expect((await open(url, { headers: { range: 'bytes=20-' } })).status).toBe(416);
  const head = await open(url, { method: 'HEAD' });
  expect([head.status, head.text, head.headers['content-length']]).toEqual([200, '', '10']);
  expect((await open(url, { method: 'POST' })).status).toBe(405);
});

test('a private asset is served to nobody but by a signature, which holds for its key and its time alone', async () => {
  const stage = await assetStage(service);
  const asset = (await stage.put('reports/may.txt', 'secret', { visibility: 'private' })).body;
  expect(asset).toMatchObject({ url: null, cdn_url: null, immutable_url: null, sri: null });
  expect(await stage.ask('/_blob/reports/may.txt')).toMatchObject({ status: 404 });
  expect(await stage.ask(`/_blob/reports/may-${digest('secret').slice(0, 8)}.txt`)).toMatchObject({ status: 404 });
  expect((await stage.read('reports/may.txt')).text).toBe('secret');
  const { signed_url: url, expires_in: seconds, expires_at: at } = (await stage.sign('reports/may.txt')).body;
  expect(seconds).toBe(3_600);
  expect(Date.parse(at) - Date.now()).toBeGreaterThan(3_500_000);
  const opened = await stage.open(url);
  expect(opened.text).toBe('secret');
  expect(opened.headers).toMatchObject({ 'cache-control': 'private, no-store', 'x-svc-blob-cache-kind': 'private' });
  expect(opened.headers['access-control-allow-origin']).toBeUndefined();

  await stage.put('reports/june.txt', 'other', { visibility: 'private' });
  const signed = new URL(url);
  const tampered = [
    url.replace('may.txt', 'june.txt'),
    url.replace(
      /expires=\d+/,
      `expires=${signed.searchParams.get('expires')!.replace(/\d$/, (d) => String((Number(d) + 1) % 10))}`,
    ),
    url.replace(/signature=./, (text: string) => (text.endsWith('A') ? 'signature=B' : 'signature=A')),
    url.replace(/signature=.*/, 'signature='),
    `${url}A`,
  ];
  for (const one of tampered)
    expect(await stage.open(one), one).toMatchObject({
      status: 403,
      text: expect.stringContaining('SIGNED_URL_INVALID'),
    });
  const other = await assetStage(service);
  await other.put('reports/may.txt', 'theirs', { visibility: 'private' });
  expect((await other.ask(signed.pathname + signed.search)).status).toBe(403);
  for (const ttl of [59, 604_801, 1.5])
    expect((await stage.sign('reports/may.txt', { ttl_seconds: ttl })).status).toBe(400);
  expect((await stage.sign('reports/none.txt')).body.code).toBe('ASSET_NOT_FOUND');
});

test('a signature ends with its time', async () => {
  const stage = await assetStage(service);
  await stage.put('a.txt', 'a', { visibility: 'private' });
  const { signed_url: url } = (await stage.sign('a.txt', { ttl_seconds: 60 })).body;
  expect((await stage.open(url)).status).toBe(200);
  const { now } = service.app.services;
  try {
    (service.app.services as { now: () => Date }).now = () => new Date(now().getTime() + 61_000);
    expect((await stage.open(url)).status).toBe(403);
  } finally {
    (service.app.services as { now: () => Date }).now = now;
  }
});

test('what becomes private takes all its versions along', async () => {
  const { put, open } = await assetStage(service);
  const first = (await put('a.txt', 'one')).body;
  const second = (await put('a.txt', 'two')).body;
  await put('a.txt', 'two', { visibility: 'private' });
  for (const url of [first.url, first.immutable_url, second.immutable_url]) expect((await open(url)).status).toBe(404);
});

test('a deleted asset is gone at its address, and its versions serve until their bytes are removed', async () => {
  const stage = await assetStage(service);
  const { url, immutable_url: lasting } = (await stage.put('a.txt', 'one')).body;
  expect(await stage.remove('a.txt')).toMatchObject({ status: 200, body: { status: 'deleted', key: 'a.txt' } });
  expect((await stage.open(url)).status).toBe(404);
  expect((await stage.open(lasting)).text).toBe('one');
  expect(await stage.remove('a.txt')).toMatchObject({ status: 404, body: { code: 'ASSET_NOT_FOUND' } });
  expect((await stage.read('a.txt')).status).toBe(404);
});

test('what a user of an application has put there runs nothing at the application’s own origin', async () => {
  const { put, open, read } = await assetStage(service);
  const script = '<script>alert(document.domain)</script>';
  for (const [key, type] of [
    ['a.html', 'text/html'],
    ['a.svg', 'image/svg+xml'],
    ['a.xhtml', 'application/xhtml+xml'],
    ['a.xml', 'text/xml'],
  ] as const) {
    const { url } = (await put(key, script, { content_type: type })).body;
    expect((await open(url)).headers['content-security-policy'], type).toBe('sandbox');
  }
  const { headers } = await read('a.html');
  expect(headers.get('content-disposition')).toBe('attachment');
  expect(headers.get('content-security-policy')).toBe('sandbox');
});

test('keys are paths of ASCII, and anything else is refused', async () => {
  const { put, read, ask } = await assetStage(service);
  for (const key of ['a', 'A-Z/a_z.0', '__proto__', 'constructor/x', 'a'.repeat(1_024), '...', 'a/.hidden']) {
    const { body } = await put(key, key);
    expect((await read(key)).text, key).toBe(key);
    expect((await ask(new URL(body.url).pathname)).text).toBe(key);
  }
  for (const key of [
    '',
    '/a',
    'a/',
    'a//b',
    '.',
    'a/..',
    '../a',
    'a b',
    'ä',
    'e\u0301',
    '🙂',
    'a?b',
    'a%2fb',
    'a\\b',
    '_svc/a',
    '_cas/a',
    'a'.repeat(1_025),
  ])
    expect((await put(key, 'x')).status, JSON.stringify(key)).toBe(400);
  for (const path of ['/_blob/', '/_blob/../a', '/_blob/%2e%2e/a', '/_blob/a%00', '/_blob/%ff', '/_blob//a'])
    expect([400, 404], path).toContain((await ask(path)).status);
});

test('metadata, media types and policies are checked', async () => {
  const { put } = await assetStage(service);
  const metadata = { uploaded_by: 'ada', tags: ['a', 'b'], width: 3, ok: true };
  expect((await put('a.bin', 'x', { metadata })).body.metadata).toEqual(metadata);
  for (const [more, code] of [
    [{ metadata: { deep: { er: 1 } } }, 'INVALID_ASSET_METADATA'],
    [{ metadata: { long: 'x'.repeat(4_100) } }, 'INVALID_ASSET_METADATA'],
    [{ content_type: 'text/html\r\nset-cookie: a=b' }, 'VALIDATION_FAILED'],
    [{ visibility: 'secret' }, 'VALIDATION_FAILED'],
    [{ exif_policy: 'some' }, 'VALIDATION_FAILED'],
    [{ content: undefined }, 'VALIDATION_FAILED'],
    [{ content_base64: 'eA==' }, 'VALIDATION_FAILED'],
    [{ content: 'x'.repeat(1_000_001) }, 'VALIDATION_FAILED'],
  ] as const)
    expect((await put('a.bin', 'x', more)).body.code, JSON.stringify(more).slice(0, 80)).toBe(code);
});

test('a function sends an asset as it is, with what is to be said of it in headers', async () => {
  const { serviceKey, anonKey, read } = await assetStage(service);
  const send = async (
    headers: Record<string, string>,
    key = serviceKey,
    body: BodyInit = new Uint8Array([1, 2, 255]),
  ) => {
    const answer = await fetch(`${service.url}/apply/v1/service-asset-put`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, ...headers },
      body,
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  const metadata = Buffer.from(JSON.stringify({ tags: ['photo'] })).toString('base64url');
  const sent = await send({
    'x-svc-asset-key': 'in/a.bin',
    'x-svc-asset-visibility': 'private',
    'x-svc-asset-immutable': 'false',
    'x-svc-asset-metadata': metadata,
    'content-type': 'application/x-thing',
  });
  expect(sent).toMatchObject({
    status: 200,
    body: {
      key: 'in/a.bin',
      size_bytes: 3,
      visibility: 'private',
      immutable: false,
      content_type: 'application/x-thing',
      metadata: { tags: ['photo'] },
    },
  });
  expect((await read('in/a.bin')).status).toBe(200);
  expect((await send({ 'x-svc-asset-key': '../a' })).status).toBe(400);
  expect((await send({})).status).toBe(400);
  expect((await send({ 'x-svc-asset-key': 'a', 'x-svc-asset-immutable': 'maybe' })).status).toBe(400);
  expect((await send({ 'x-svc-asset-key': 'a', 'x-svc-asset-metadata': '!' })).status).toBe(400);
  expect((await send({ 'x-svc-asset-key': 'a' }, anonKey)).status).toBe(401);
  expect((await send({ 'x-svc-asset-key': 'a' }, 'nonsense')).status).toBe(401);
  const large = await send({ 'x-svc-asset-key': 'large' }, serviceKey, new Uint8Array(25_000_001)).catch(
    () => undefined,
  );
  if (large !== undefined) expect(large.status).toBe(413);
  expect((await read('large')).status).toBe(404);
});

test('a list goes on where it ended, in each order and both ways, by prefix and by filter', async () => {
  const { put, list, projectId, wallet } = await assetStage(service);
  for (const [at, key] of ['b/2', 'a/1', 'b/1', 'c'].entries())
    await put(key, key, { metadata: { uploaded_by: at % 2 === 0 ? 'ada' : 'bob', tags: at < 2 ? ['x'] : ['y'] } });
  const keys = async (search: string) => (await list(search)).body.blobs?.map(({ key }: { key: string }) => key);
  expect(await keys('')).toEqual(['a/1', 'b/1', 'b/2', 'c']);
  expect(await keys('?sort=createdAt:asc')).toEqual(['b/2', 'a/1', 'b/1', 'c']);
  expect(await keys('?sort=createdAt:desc')).toEqual(['c', 'b/1', 'a/1', 'b/2']);
  expect(await keys('?prefix=b/')).toEqual(['b/1', 'b/2']);
  expect(await keys('?filter[uploaded_by]=ada')).toEqual(['b/1', 'b/2']);
  expect(await keys('?filter.tag=x')).toEqual(['a/1', 'b/2']);
  expect(await keys('?filter[is_image]=true')).toEqual([]);
  expect(await keys('?filter[is_image]=false&filter[tag]=y')).toEqual(['b/1', 'c']);
  expect(await keys('?filter[min_width]=1')).toEqual([]);
  for (const sort of ['key:asc', 'createdAt:asc', 'createdAt:desc']) {
    const found = [];
    let cursor = '';
    do {
      const { body } = await list(
        `?limit=1&sort=${sort}${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
      );
      found.push(body.blobs[0].key);
      cursor = body.next_cursor ?? '';
    } while (cursor !== '');
    expect(found, sort).toEqual(await keys(`?sort=${sort}`));
  }
  const { next_cursor: cursor } = (await list('?limit=1')).body;
  expect((await list(`?sort=createdAt:asc&cursor=${cursor}`)).body.code).toBe('INVALID_CURSOR_FOR_SORT');
  expect((await list('?cursor=nonsense')).body.code).toBe('INVALID_CURSOR');
  expect((await list('?sort=size:asc')).body.code).toBe('INVALID_SORT');
  expect((await list('?filter[color]=red')).body.code).toBe('INVALID_FILTER_KEY');
  expect((await list('?filter[is_image]=perhaps')).body.code).toBe('INVALID_FILTER_VALUE');
  expect((await list('?filter[min_width]=-1')).body.code).toBe('INVALID_FILTER_VALUE');
  const graph = async (args: string) => {
    const answer = await service.graphql(
      wallet,
      `{ project(id: "${projectId}") { assets(${args}) { edges { node { key } cursor } pageInfo { hasNextPage hasPreviousPage } } } }`,
    );
    return answer.data.project.assets;
  };
  const keysOf = (page: { edges: { node: { key: string } }[] }) => page.edges.map(({ node }) => node.key);
  const last = await graph('last: 2');
  expect([keysOf(last), last.pageInfo]).toEqual([['b/2', 'c'], { hasNextPage: false, hasPreviousPage: true }]);
  const before = await graph(`last: 9, before: "${last.edges[0].cursor}", sort: "key:asc"`);
  expect(keysOf(before)).toEqual(['a/1', 'b/1']);
  expect(keysOf(await graph('first: 1, sort: "createdAt:desc"'))).toEqual(['c']);
});

test('a folder is listed without what is in folders below it, and those are told by name, both ways', async () => {
  const { put, list, projectId, wallet } = await assetStage(service);
  const all = [
    'a.txt',
    'img/logo',
    'img/icons/1',
    'img/icons/2',
    'img-2/x',
    'img/b/c/d',
    'docs/1',
    'docs.txt',
    'img/z',
  ];
  for (const key of all) await put(key, key);
  const keys = async (search: string) =>
    (await list(`?delimiter=/${search}`)).body.blobs.map(({ key }: { key: string }) => key);
  expect(await keys('')).toEqual(['a.txt', 'docs.txt']);
  expect(await keys('&prefix=img/')).toEqual(['img/logo', 'img/z']);
  expect(await keys('&prefix=img/l')).toEqual(['img/logo']);
  expect(await keys('&prefix=img/&sort=createdAt:desc')).toEqual(['img/z', 'img/logo']);
  expect(await keys('&prefix=img')).toEqual([]);
  expect((await list('?delimiter=.')).body.code).toBe('VALIDATION_FAILED');

  const folders = async (search = '') => (await list(`/folders${search}`)).body;
  expect(await folders()).toEqual({
    folders: ['docs', 'img', 'img-2']
      .map((name) => ({ prefix: `${name}/`, name }))
      .sort((a, b) => (a.prefix < b.prefix ? -1 : 1)),
    next_cursor: null,
  });
  const names = async (search: string) =>
    (await folders(search)).folders.map(({ prefix }: { prefix: string }) => prefix);
  expect(await names('?prefix=img/')).toEqual(['img/b/', 'img/icons/']);
  expect(await names('?prefix=img/i')).toEqual(['img/icons/']);
  expect(await names('?prefix=im')).toEqual(['img-2/', 'img/']);
  expect(await names('?prefix=img/b/')).toEqual(['img/b/c/']);
  expect(await names('?prefix=nothing/')).toEqual([]);
  const found = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const body = await folders(`?limit=1${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`);
    found.push(...body.folders.map(({ name }: { name: string }) => name));
    cursor = body.next_cursor;
  }
  expect(found).toEqual(['docs', 'img-2', 'img']);
  expect((await folders('?cursor=nonsense')).code).toBe('INVALID_CURSOR');

  const graph = async (args: string) =>
    (
      await service.graphql(
        wallet,
        `{ project(id: "${projectId}") { assetFolders(${args}) { edges { node { name } cursor } pageInfo { hasNextPage hasPreviousPage } } } }`,
      )
    ).data.project.assetFolders;
  const last = await graph('last: 2');
  expect(last.edges.map(({ node }: { node: { name: string } }) => node.name)).toEqual(['img-2', 'img']);
  expect(last.pageInfo).toEqual({ hasNextPage: false, hasPreviousPage: true });
  const before = await graph(`last: 2, before: "${last.edges[0].cursor}"`);
  expect(before.edges.map(({ node }: { node: { name: string } }) => node.name)).toEqual(['docs']);
});

test('an address is diagnosed by its owner alone', async () => {
  const stage = await assetStage(service);
  const other = await assetStage(service);
  const first = (await stage.put('a.txt', 'one')).body;
  const second = (await stage.put('a.txt', 'two')).body;
  const diagnose = async (url: string, as = stage) =>
    as.call('GET', `/storage/v1/blobs/diagnose?url=${encodeURIComponent(url)}`);
  expect((await diagnose(first.url)).body).toMatchObject({
    project_id: stage.projectId,
    key: 'a.txt',
    expected_sha256: second.sha256,
    observed_sha256: second.sha256,
    path_kind: 'blob-mutable',
    canonical_url: first.url,
  });
  expect((await diagnose(first.immutable_url)).body).toMatchObject({
    expected_sha256: second.sha256,
    observed_sha256: first.sha256,
    path_kind: 'blob-immutable',
  });
  expect((await diagnose(`${first.url}x`)).body).toMatchObject({ expected_sha256: null, observed_sha256: null });
  for (const answer of [
    await diagnose(first.url, other),
    await diagnose('https://example.com/_blob/a.txt'),
    await diagnose('no address'),
  ])
    expect(answer).toMatchObject({ status: 404, body: { code: 'HOST_NOT_FOUND' } });
  expect((await diagnose(first.url.replace('/_blob/', '/blob/'))).status).toBe(400);
  const fresh = await stage.call(
    'GET',
    `/storage/v1/blobs/fresh?url=${encodeURIComponent(first.url)}&sha256=${second.sha256}&timeout_ms=1000`,
  );
  expect(fresh.body).toMatchObject({ fresh: true, observed_sha256: second.sha256, attempts: 1 });
  const stale = await stage.call(
    'GET',
    `/storage/v1/blobs/fresh?url=${encodeURIComponent(first.url)}&sha256=${first.sha256}&timeout_ms=1000`,
  );
  expect(stale.body).toMatchObject({ fresh: false, observed_sha256: second.sha256 });
});

test('bytes that an asset names are kept, and those that none names any more are let go of', async () => {
  const { put, remove, projectId } = await assetStage(service);
  await put('a.txt', 'kept for good');
  const row = async () =>
    (
      await control.sql<{ named: boolean; given_up: boolean }>(
        'select named, given_up from content_objects where project_id = $1 and sha256 = $2',
        [projectId, digest('kept for good')],
      )
    )[0];
  expect(await row()).toEqual({ named: true, given_up: false });
  await put('b.txt', 'kept for good');
  await remove('a.txt');
  expect(await row()).toMatchObject({ named: true });
  await remove('b.txt');
  expect(await row()).toEqual({ named: false, given_up: true });
});
