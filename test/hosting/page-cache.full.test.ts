import { afterAll, describe, expect, test } from 'vitest';
import type { RenderedPage } from '../../engines/page-cache/cacheable.ts';
import type { PageAddress, PageMiss, PageRequest } from '../../resolvers/hosts/cache/page-cache.ts';
import { deploying, siteOf } from '../deploys/deploying.ts';
import { startService } from '../helpers/service.ts';

const service = await startService({ nodes: 2 });
afterAll(() => service.stop());
const [one, other] = service.nodes.map(({ services }) => services.pageCache);

// biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
type Any = any;

/** Keeps a page. @returns why it is not kept */
const keep = async (miss: PageMiss, made: RenderedPage) => {
  const headers = await one!.keep(miss, made);
  const reason = headers['x-svc-cache-reason'];
  expect(headers['x-svc-cache']).toBe(reason === undefined ? 'MISS' : 'BYPASS');
  return reason;
};

const anybody: PageRequest = { method: 'GET', headers: {}, usesAuth: false };
const fresh = ['cache-control', 'public, s-maxage=600'] as const;
const page = (text: string, ...headers: readonly (readonly [string, string])[]): RenderedPage => ({
  status: 200,
  headers: [['content-type', 'text/html'], ...headers],
  body: Buffer.from(text),
});

/** A project with a live release, as a handler of its pages sees it. */
async function newHost(slices: object = siteOf({ 'a.txt': 'one' })) {
  const project = await service.project();
  const theirs = deploying(service, project.wallet, project);
  const { urls } = await theirs.deploy(slices, ['one']);
  const host = new URL(urls.site).hostname;
  const live = async () => {
    const { body } = await theirs.read('/apply/v1/releases/active');
    return { releaseId: body.release_id as string, releaseGeneration: body.release_generation as number };
  };
  let now = await live();
  const at = (target: string, locale = ''): PageAddress => ({
    orgId: project.orgId,
    projectId: project.projectId,
    host,
    target,
    locale,
    ...now,
  });
  const missAt = async (target: string, locale = ''): Promise<PageMiss> => {
    const seen = await one!.look(at(target, locale), anybody);
    if (seen.found !== 'miss') throw new Error(`${target} is a ${seen.found}.`);
    return seen.miss;
  };
  const render = async (target: string, text = target, locale = '') =>
    keep(await missAt(target, locale), page(text, fresh));
  /** What a node answers from the cache. */
  const answer = async (target: string, cache = other, locale = '') => {
    const seen = await cache!.look(at(target, locale), anybody);
    return seen.found === 'hit' ? seen.page.body.toString() : seen.found;
  };
  const key = service.actors.bearer(project.serviceKey);
  const invalidate = async (body: object, as = key) =>
    (await service.call<Any>(as, 'POST', '/cache/v1/invalidate', { body })).body;
  const inspect = async (path: string, more = '') =>
    (await service.call<Any>(key, 'GET', `/cache/v1/inspect?host=${host}&path=${encodeURIComponent(path)}${more}`))
      .body;
  const moved = async () => {
    now = await live();
  };
  return { ...theirs, project, host, at, missAt, render, answer, invalidate, inspect, moved };
}

test('a page that one node keeps is answered by every node, with its headers and its age', async () => {
  const { host, at, missAt, render, answer, inspect } = await newHost();
  expect(await answer('/a?x=1')).toBe('miss');
  expect(await inspect('/a?x=1')).toMatchObject({ status: 'MISS', cached_at: null, headers: {} });
  expect(await render('/a?x=1', 'made')).toBeUndefined();
  expect(await answer('/a?x=1')).toBe('made');
  expect([await answer('/a'), await answer('/a?x=2')]).toEqual(['miss', 'miss']);
  const seen = await other!.look(at('/a?x=1'), { ...anybody, method: 'HEAD' });
  expect(seen).toMatchObject({ found: 'hit', page: { status: 200, headers: [['content-type', 'text/html'], fresh] } });
  expect(seen).toMatchObject({ headers: { 'x-svc-cache': 'HIT', 'x-svc-cache-age': expect.stringMatching(/^\d+$/) } });
  expect(await inspect('/a?x=1')).toMatchObject({
    status: 'HIT',
    host,
    path: '/a',
    search: '?x=1',
    method: 'GET',
    locale: null,
    release_id: at('/').releaseId,
    written_under_generation: '0',
    headers: { 'content-type': 'text/html', 'cache-control': 'public, s-maxage=600' },
  });
  await expect(missAt('/a?x=1')).rejects.toThrow('hit');
});

test('languages have pages of their own', async () => {
  const { render, answer, inspect } = await newHost({
    ...siteOf({ 'a.txt': 'one' }),
    i18n: { defaultLocale: 'en', locales: ['en', 'de'] },
  });
  await render('/a', 'hello', 'en');
  await render('/a', 'hallo', 'de');
  expect([await answer('/a', other, 'en'), await answer('/a', other, 'de')]).toEqual(['hello', 'hallo']);
  expect(await inspect('/a')).toMatchObject({ status: 'HIT', locale: 'en' });
  expect(await inspect('/a', '&locale=fr')).toMatchObject({ status: 'MISS', locale: 'fr' });
});

describe('an invalidation', () => {
  test('removes one page, what is below a path, a whole host, or a list, and says how many', async () => {
    const { host, render, answer, invalidate } = await newHost();
    const targets = ['/a', '/a?x=1', '/b/1', '/b/2', '/c'];
    for (const target of targets) await render(target);
    expect(await invalidate({ kind: 'exact', host, path: '/a' })).toEqual({
      deleted: 1,
      generation: '1',
      host,
      path: '/a',
    });
    expect(await answer('/a?x=1')).toBe('/a?x=1');
    expect(await invalidate({ kind: 'prefix', host, prefix: '/b/' })).toEqual({ deleted: 2, generation: '2', host });
    expect(await invalidate({ kind: 'many', urls: [`https://${host}/c`, `https://${host}/nothing`] })).toEqual({
      deleted: 1,
      generation: '3',
      host: '',
      results: [{ host, deleted: 1, generation: '3' }],
    });
    await render('/a');
    expect(await invalidate({ kind: 'all', host: host.toUpperCase() })).toMatchObject({ deleted: 2, generation: '4' });
    for (const target of targets) expect(await answer(target)).toBe('miss');
  });

  test('keeps out what began to be made before, even of a page that was not kept', async () => {
    const { host, missAt, answer, invalidate, inspect } = await newHost();
    const [early, never] = [await missAt('/a'), await missAt('/never')];
    await invalidate({ kind: 'exact', host, path: '/a' });
    expect(await keep(early, page('old', fresh))).toBe('superseded');
    expect(await keep(never, page('old', fresh))).toBe('superseded');
    expect(await answer('/a')).toBe('miss');
    expect(await keep(await missAt('/a'), page('new', fresh))).toBeUndefined();
    expect(await inspect('/a')).toMatchObject({ status: 'HIT', written_under_generation: '1' });
  });

  test('and what is being kept meanwhile never leave an old page behind', async () => {
    const { host, missAt, answer, invalidate } = await newHost();
    for (let round = 0; round < 20; round += 1) {
      const targets = Array.from({ length: 8 }, (_, at) => `/${round}/${at}`);
      const misses = await Promise.all(targets.map((target) => missAt(target)));
      await Promise.all([...misses.map((miss) => keep(miss, page('old', fresh))), invalidate({ kind: 'all', host })]);
      for (const target of targets) expect(await answer(target)).toBe('miss');
    }
  });

  test('of hosts that are not the project’s is refused, whatever else is named', async () => {
    const { host, render, answer, invalidate } = await newHost();
    const foreign = await newHost();
    await foreign.render('/a', 'theirs');
    await render('/a', 'mine');
    const refused = { code: 'SVC_CACHE_INVALIDATION_HOST_FORBIDDEN' };
    expect(await invalidate({ kind: 'all', host: foreign.host })).toMatchObject({ ...refused, host: foreign.host });
    expect(await invalidate({ kind: 'all', host: 'nobody.example.org' })).toMatchObject(refused);
    expect(await invalidate({ kind: 'many', urls: [`https://${host}/a`, `https://${foreign.host}/a`] })).toMatchObject(
      refused,
    );
    expect([await answer('/a'), await foreign.answer('/a')]).toEqual(['mine', 'theirs']);
    const { project } = foreign;
    expect(await invalidate({ kind: 'all', host }, project.wallet)).toMatchObject(refused);
    expect(await invalidate({ kind: 'all', host }, service.actors.apikey(project.anonKey))).toMatchObject(refused);
  });

  test.each([
    [{ kind: 'exact' }, 'host'],
    [{ kind: 'exact', host: 'a.example.org' }, 'path'],
    [{ kind: 'prefix', host: 'a.example.org', path: '/a' }, 'path'],
    [{ kind: 'many', urls: ['/a'] }, 'urls.0'],
    [{ kind: 'some', host: 'a.example.org' }, 'kind'],
  ])('that does not say what is meant is refused: %j', async (body, field) => {
    const { invalidate } = await newHost();
    expect(await invalidate(body)).toMatchObject({ code: 'VALIDATION_FAILED', details: { field } });
  });
});

test('another release begins anew, and one that comes back has nothing left of its pages', async () => {
  const { render, answer, missAt, deploySite, call, project, at, moved, inspect } = await newHost();
  await render('/a', 'first');
  const late = await missAt('/late');
  const { releaseId } = at('/');
  await deploySite({ 'a.txt': 'two' });
  expect(await keep(late, page('late', fresh))).toBe('superseded');
  await moved();
  expect(await answer('/a')).toBe('miss');
  expect(await inspect('/a', `&release_id=${releaseId}`)).toMatchObject({ status: 'MISS', release_id: releaseId });
  await render('/a', 'second');
  await call('POST', `/apply/v1/releases/${releaseId}/promote`, { project: project.projectId });
  await moved();
  expect(await answer('/a')).toBe('miss');
});

test('what is not everybody’s, or not for long, is not kept', async () => {
  const { at, missAt, answer } = await newHost();
  const reasons: [string, RenderedPage][] = [
    ['no_cache_control', page('x')],
    ['not_cacheable', page('x', ['cache-control', 'private, max-age=60'])],
    ['not_cacheable', page('x', ['Cache-Control', 'no-store'])],
    ['not_cacheable', page('x', ['cache-control', 'max-age=600, s-maxage=0'])],
    ['not_cacheable', page('x', ['cache-control', 'max-age=soon'])],
    ['set_cookie', page('x', fresh, ['Set-Cookie', 'a=b'])],
    ['unsupported_vary', page('x', fresh, ['vary', 'Cookie'])],
    ['unsupported_vary', page('x', fresh, ['vary', '*'])],
    ['status', { ...page('x', fresh), status: 500 }],
    ['too_large', { ...page('x', fresh), body: Buffer.alloc(1024 * 1024 + 1) }],
  ];
  for (const [reason, made] of reasons) expect(await keep(await missAt('/x'), made)).toBe(reason);
  expect(await answer('/x')).toBe('miss');
  expect(
    await keep(await missAt('/x'), page('x', fresh, ['vary', 'Accept-Encoding, accept-language'])),
  ).toBeUndefined();
  const bypassed = async (request: Partial<PageRequest>, address = at('/x')) => {
    const seen = await one!.look(address, { ...anybody, ...request });
    return seen.found === 'bypass' ? seen.headers['x-svc-cache-reason'] : seen.found;
  };
  expect(await bypassed({ method: 'POST' })).toBe('method');
  expect(await bypassed({ usesAuth: true })).toBe('auth');
  expect(await bypassed({ headers: { authorization: 'Bearer x' } })).toBe('auth');
  expect(await bypassed({}, { ...at('/x'), releaseGeneration: null })).toBe('preview');
  expect(await bypassed({})).toBe('hit');
});

test('a project that fills its share loses what ends first, and nobody else does', async () => {
  const { project, render, answer } = await newHost();
  const quiet = await newHost();
  await quiet.render('/quiet');
  await render('/last');
  await service.control.sql(
    `insert into cached_pages (org_id, project_id, key, host, target, locale, release_id, release_generation, generation, status,
       headers, body, bytes, sha256, expires_at)
     select $1, $2, 'k' || n, 'h', '/' || n, '', 'rel_x', 1, 0, 200, '[]', '', 0, '', now() + n * interval '1 millisecond'
     from generate_series(1, 5000) n`,
    [project.orgId, project.projectId],
  );
  await render('/new');
  expect([await answer('/new'), await answer('/last'), await quiet.answer('/quiet')]).toEqual([
    '/new',
    '/last',
    '/quiet',
  ]);
  const [row] = await service.control.sql<{ n: number }>(
    'select count(*)::int as n from cached_pages where project_id = $1',
    [project.projectId],
  );
  expect(row!.n).toBe(5_002 - 500);
});

test('what is kept is gone with its project', async () => {
  const { project, render } = await newHost();
  await render('/a');
  const left = async () => {
    const [row] = await service.control.sql<{ n: number }>(
      `select (select count(*) from cached_pages where project_id = $1)::int
         + (select count(*) from cache_generations where project_id = $1)::int as n`,
      [project.projectId],
    );
    return row!.n;
  };
  expect(await left()).toBe(2);
  expect((await service.call(project.wallet, 'DELETE', `/projects/v1/${project.projectId}`)).status).toBe(200);
  expect(await left()).toBe(0);
});
