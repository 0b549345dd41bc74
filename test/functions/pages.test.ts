import { afterAll, expect, test } from 'vitest';
import { deploying, filesOf, refOf } from '../deploys/deploying.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { hostCall } from '../hosted/host-call.ts';

const service = await sharedService();
afterAll(() => service.stop());
const project = await service.project();
const theirs = deploying(service, project.wallet, project);

const render = `
import { one } from './count.ts';
let made = 0;
export default (request) => {
  made += one;
  const { pathname, searchParams } = new URL(request.url);
  if (searchParams.has('fail')) throw new Error('a secret of the page');
  const control = searchParams.get('control') ?? 'public, s-maxage=600';
  return new Response('<h1>' + pathname + ' ' + made + ' ' + request.headers.get('x-svc-locale') + '</h1>', {
    headers: { 'content-type': 'text/html', 'cache-control': control },
  });
};`;
const count = 'export const one: number = 1;';
const page = '<h1>static</h1>';

const { urls } = await theirs.deploy(
  {
    site: { replace: filesOf({ 'about.html': page }) },
    i18n: { default_locale: 'en', locales: ['en', 'de'] },
    functions: {
      replace: {
        render: {
          files: { 'index.mjs': refOf(render), 'count.ts': refOf(count) },
          entrypoint: 'index.mjs',
          class: 'ssr',
          capabilities: ['astro.ssr.v1'],
        },
      },
    },
  },
  [render, count, page],
);
const host = new URL(urls.site).hostname;
const call = hostCall(service, host);
const get = async (path: string, headers: Record<string, string> = {}) => {
  const { text, headers: answered } = await call('GET', path, { headers });
  return [text, answered.get('x-svc-cache')];
};

test('a page that may be kept is made once for each locale, and anew after an invalidation', async () => {
  expect(await get('/shop')).toEqual(['<h1>/shop 1 en</h1>', 'MISS']);
  expect(await get('/shop')).toEqual(['<h1>/shop 1 en</h1>', 'HIT']);
  expect(await get('/shop', { 'accept-language': 'de' })).toEqual(['<h1>/shop 2 de</h1>', 'MISS']);
  const key = service.actors.bearer(project.serviceKey);
  await service.call(key, 'POST', '/cache/v1/invalidate', { body: { host, path: '/shop' } });
  expect(await get('/shop')).toEqual(['<h1>/shop 3 en</h1>', 'MISS']);
});

test('a page that may not be kept is made for each visitor, and a file comes before it', async () => {
  expect(await get('/cart?control=private')).toEqual(['<h1>/cart 4 en</h1>', 'BYPASS']);
  expect(await get('/cart?control=private')).toEqual(['<h1>/cart 5 en</h1>', 'BYPASS']);
  expect((await get('/about'))[0]).toBe(page);
});

test('a page whose code fails says so by code and id, without the error’s own words', async () => {
  const path = '/cart?fail';
  const failed = await call('GET', path);
  expect(failed).toMatchObject({
    status: 500,
    body: { code: 'SVC_SSR_RUNTIME_ERROR', details: { function: 'render' } },
  });
  expect(failed.headers.get('x-svc-error-code')).toBe('SVC_SSR_RUNTIME_ERROR');
  expect(failed.headers.get('x-svc-request-id')).toBe(failed.body.details.request_id);
  expect(failed.text).not.toContain('a secret of the page');

  const shown = await call('GET', path, { page: true });
  expect(shown.status).toBe(500);
  expect(shown.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(shown.headers.get('x-svc-error-code')).toBe('SVC_SSR_RUNTIME_ERROR');
  const id = shown.headers.get('x-svc-request-id')!;
  expect(shown.text).toContain(id);
  expect(shown.text).not.toContain('a secret of the page');

  const key = service.actors.bearer(project.serviceKey);
  const logs = await service.call<{ logs: { message: string }[] }>(
    key,
    'GET',
    `/projects/v1/admin/${project.projectId}/functions/render/logs?request_id=${id}`,
  );
  expect(JSON.stringify(logs.body)).toContain('a secret of the page');
});
