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
