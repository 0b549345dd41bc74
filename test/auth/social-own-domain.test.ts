import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { expectRefusal } from '../helpers/documented.ts';
import { oidcClient, startOidcServer } from '../helpers/oidc-server.ts';
import { startService } from '../helpers/service.ts';
import { authProject, expectNoSecretLogged, newEmail } from './auth-project.ts';
import { socialApp, verifierOf } from './social-app.ts';

const oidc = await startOidcServer();
const configured = [{ id: 'acme', issuer: oidc.issuer, ...oidcClient, display_name: 'Acme' }];
const service = await startService({ env: { OIDC_PROVIDERS: JSON.stringify(configured) } });
await oidc.serve([`${service.url}/auth/v1/oauth/acme/callback`]);
const project = await authProject(service);
const app = socialApp(project);
afterAll(async () => {
  expectNoSecretLogged(service);
  await project.end();
  await service.stop();
  await oidc.stop();
});

const back = 'https://app.example.com/auth/back';
const asService = service.actors.apikey(project.serviceKey);
const allow = async (...allowed_redirect_urls: string[]) => {
  const { status } = await service.call(asService, 'PATCH', '/auth/v1/settings', { body: { allowed_redirect_urls } });
  expect(status).toBe(200);
};
beforeEach(() => allow('https://app.example.com/auth'));

/** A browser that is back from the provider, and has yet to be sent on. */
async function returned(body: Record<string, unknown> = {}) {
  const [sub, verifier] = [randomUUID(), verifierOf()];
  oidc.accounts.set(sub, { email: newEmail(), email_verified: true, name: 'Ada' });
  const options = { provider: 'acme', body: { redirect_url: back, login_hint: sub, ...body } };
  return { verifier, callback: await app.visit(verifier, options) };
}
const come = async (callback: string) => {
  const response = await fetch(callback, { redirect: 'manual' });
  return { response, text: await response.text() };
};

test('a social sign-in ends on a URL of the list, with the values in the fragment', async () => {
  for (const redirect_url of [back, 'HTTPS://APP.example.com:443/x/%2e%2e/auth/back']) {
    const { verifier, callback } = await returned({ redirect_url });
    const { response } = await come(callback);
    const url = new URL(response.headers.get('location')!);
    expect([response.status, `${url.origin}${url.pathname}${url.search}`]).toEqual([302, back]);
    const { code } = Object.fromEntries(new URLSearchParams(url.hash.slice(1)));
    expect((await app.trade(code!, verifier)).status).toBe(200);
  }
});

test('a path of the gateway’s own pages gets the values in the fragment too, on another host', async () => {
  await allow('https://app.example.com');
  const { callback } = await returned({ redirect_url: 'https://app.example.com/auth/sign-in/oauth/acme/callback' });
  const location = new URL((await come(callback)).response.headers.get('location')!);
  expect(location.search).toBe('');
  expect(location.hash).toMatch(/^#code=/);
});

test('a popup posts to the origin of the list alone', async () => {
  const { callback } = await returned({ mode: 'popup' });
  const { text } = await come(callback);
  expect(text).toContain('"target":"https://app.example.com"');
});

test('a URL that is taken off the list is not gone back to, and its codes are good for nothing', async () => {
  const [away, here] = [await returned(), await returned()];
  const location = new URL((await come(here.callback)).response.headers.get('location')!);
  const code = new URLSearchParams(location.hash.slice(1)).get('code')!;
  await allow('https://app.example.com/other');
  const { response, text } = await come(away.callback);
  expect([response.status, response.headers.get('location')]).toEqual([400, null]);
  expect(JSON.parse(text)).toMatchObject({ code: 'VALIDATION_FAILED', details: { field: 'redirect_url' } });
  expectRefusal(await app.trade(code, here.verifier), 'INVALID_AUTH');
  expectRefusal(
    await app.start(verifierOf(), { provider: 'acme', body: { redirect_url: back } }),
    'VALIDATION_FAILED',
    {
      field: 'redirect_url',
      setting: 'allowed_redirect_urls',
    },
  );
});
