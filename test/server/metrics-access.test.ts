import { randomBytes } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { type Actor, withHeaders } from '../helpers/actors.ts';
import { startService } from '../helpers/service.ts';

const safe = {
  NODE_ENV: 'production',
  SVC_SECRET_KEY: randomBytes(32).toString('hex'),
  PUBLIC_BASE_URL: 'https://svc.example.com',
  PLATFORM_DOMAIN: 'apps.example.com',
};
const production = await startService({ env: safe });
const keyless = await startService({ env: { ...safe, SVC_ADMIN_KEY: '' } });
const development = await startService();
afterAll(async () => {
  await production.stop();
  await keyless.stop();
  await development.stop();
});

const read = async (service: typeof production, actor: Actor) => {
  const { status, text } = await service.call(actor, 'GET', '/metrics');
  return { status, shown: text.includes('http_requests_total') };
};

test('in production the metrics are for the platform admin, by header or by bearer', async () => {
  const { 'x-admin-key': key } = (await production.actors.admin.headers('/metrics')) as { 'x-admin-key': string };
  for (const headers of [{ 'x-admin-key': key }, { authorization: `Bearer ${key}` }]) {
    expect(await read(production, withHeaders(headers))).toEqual({ status: 200, shown: true });
  }
  const { nobody, bearer } = production.actors;
  const session = await production.actors.session();
  for (const actor of [nobody, bearer(`${key}x`), bearer(''), withHeaders({ 'x-admin-key': 'x' }), session]) {
    expect(await read(production, actor)).toEqual({ status: 401, shown: false });
  }
});

test('in production without an admin key nobody reads the metrics', async () => {
  for (const actor of [keyless.actors.nobody, keyless.actors.admin, keyless.actors.bearer('undefined')]) {
    expect(await read(keyless, actor)).toEqual({ status: 401, shown: false });
  }
});

test('in development everybody reads the metrics', async () => {
  expect(await read(development, development.actors.nobody)).toEqual({ status: 200, shown: true });
});

test.each([
  ['DELETE', '/graphql', '/graphql', 405],
  ['PUT', '/projects/v1/prj_of_ghosts/graphql', '/projects/v1/:id/graphql', 405],
  ['POST', '/console/orgs/of-ghosts', '/console', 405],
  ['GET', '/rest/v1/%zz', '/rest/v1/:table', 400],
  ['PUT', '/orgs/v1/of-ghosts', 'unknown', 405],
  ['GET', '/of-ghosts', 'unknown', 404],
])('%s %s is refused, and counts under %s', async (method, path, route, status) => {
  const { nobody } = development.actors;
  expect((await development.call(nobody, method, path)).status).toBe(status);
  const { text } = await development.call(nobody, 'GET', '/metrics');
  expect(text).toMatch(`http_requests_total{route="${route}",method="${method}",status="${status}"}`);
  expect(text).not.toContain('ghosts');
});
