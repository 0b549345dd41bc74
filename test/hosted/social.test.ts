import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { newEmail } from '../auth/auth-project.ts';
import { expectRefusal } from '../helpers/documented.ts';
import { browse, oidcClient, startOidcServer } from '../helpers/oidc-server.ts';
import { startService } from '../helpers/service.ts';
import { cookieName } from './host-call.ts';
import { hostedProject } from './hosted-project.ts';

const oidc = await startOidcServer();
const configured = [{ id: 'acme', issuer: oidc.issuer, ...oidcClient, display_name: 'Acme <b>' }];
const service = await startService({ env: { OIDC_PROVIDERS: JSON.stringify(configured) } });
const { port } = new URL(service.url);
await oidc.serve([`http://localhost:${port}/auth/v1/oauth/acme/callback`]);
const project = await hostedProject(service);
const { at, origin } = project;
afterAll(async () => {
  await project.end();
  await service.stop();
  await oidc.stop();
});

const startPath = '/auth/sign-in/oauth/acme/start';

function account(more: object = {}) {
  const sub = randomUUID();
  const person = { email: newEmail(), email_verified: true, name: 'Ada', ...more };
  oidc.accounts.set(sub, person);
  return { sub, ...person };
}

/** Cookies that an answer sets, by name. */
const cookiesOf = (headers: Headers) =>
  new Map(headers.getSetCookie().map((line) => [line.split('=')[0]!, line.split(';')[0]!]));

/** To the provider as somebody, and back to the project's host. @returns the path there, and the cookie of the start */
async function goThere(sub: string, query = '', headers: Record<string, string> = {}) {
  const start = await at('GET', `${startPath}?login_hint=${sub}${query}`, { page: true, headers });
  expect([start.status, start.cookie]).toEqual([302, undefined]);
  const callback = await browse(start.headers.get('location')!);
  const back = await fetch(callback.replace('//localhost', '//127.0.0.1'), { redirect: 'manual' });
  const url = new URL(back.headers.get('location')!);
  expect([back.status, url.origin, url.hash]).toEqual([302, origin, '']);
  return { path: url.pathname + url.search, flow: cookiesOf(start.headers).get('__Host-Http-svc_oauth')! };
}

const arrive = (path: string, cookie: string | undefined) =>
  at('GET', path, { page: true, ...(cookie === undefined ? {} : { cookie }) });

test('a social sign-in leads to the provider and back, and ends in a cookie of the host', async () => {
  const person = account();
  const { path, flow } = await goThere(person.sub, '&returnTo=/notes?x=1');
  // Who only looks takes nothing from it.
  expect((await at('HEAD', path, { page: true, cookie: flow })).status).toBe(405);
  const answer = await arrive(path, flow);
  expect([answer.status, answer.headers.get('location')]).toEqual([303, '/notes?x=1']);
  const cookies = cookiesOf(answer.headers);
  expect(cookies.get('__Host-Http-svc_oauth')).toBe('__Host-Http-svc_oauth=');
  const { body } = await at('GET', '/auth/account/identities', { cookie: cookies.get(cookieName)! });
  expect(body.identities).toMatchObject([{ provider: 'acme', provider_sub: person.sub }]);
  // It was good once.
  const again = await arrive(path, flow);
  expect(again.headers.get('location')).toBe('/auth/sign-in?svc_auth_error=token_exchange_failed');
});

test('what another browser began is nobody’s sign-in here', async () => {
  const { path } = await goThere(account().sub);
  const other = await goThere(account().sub);
  const named = (cookie: string) => (cookie.includes('=') ? cookie : `__Host-Http-svc_oauth=${cookie}`);
  for (const cookie of [undefined, other.flow, 'e30', 'bnVsbA', 'MQ', 'W10', '!'])
    expectRefusal(
      await at('GET', path, { ...(cookie === undefined ? {} : { cookie: named(cookie) }) }),
      'VALIDATION_FAILED',
      {
        field: 'state',
      },
    );
});

test('what goes wrong is told to the page that wants to know, which says it in words of its own', async () => {
  await project.settings(`allowed_email_domains = '{corp.example}'`);
  const { path, flow } = await goThere(account().sub, '&errorReturnTo=/login?a=b');
  const refused = await arrive(path, flow);
  expect(refused.headers.get('location')).toBe('/login?a=b&svc_auth_error=domain_not_allowed');
  await project.settings(`allowed_email_domains = '{}'`);
  const { email } = await project.user();
  const taken = await goThere(account({ email }).sub);
  const linked = await arrive(taken.path, taken.flow);
  expect(linked.headers.get('location')).toBe('/auth/sign-in?svc_auth_error=account_exists_requires_link');
  const said = await at('GET', linked.headers.get('location')!, { page: true });
  expect(said.text).toContain('role="alert"');
  const made = await at('GET', '/auth/sign-in?svc_auth_error=%3Cb%3Emade%20up', { page: true });
  expect(made.text).not.toContain('made up');
  expect(made.text).toContain('Continue with Acme &lt;b&gt;');
});

test('a cookie of who came by an address that is not admitted any more is none', async () => {
  const { path, flow } = await goThere(account().sub);
  const cookie = (await arrive(path, flow)).cookie!;
  const byPassword = await project.visitor();
  await project.settings(`allowed_email_domains = '{corp.example}'`);
  const refused = await at('GET', '/auth/account/security', { cookie });
  expectRefusal(refused, 'SVC_AUTH_DOMAIN_NOT_ALLOWED');
  expect(refused.cookie).toBe('');
  // The restriction is on social sign-in alone.
  expect((await at('GET', '/auth/account/security', { cookie: byPassword.cookie })).status).toBe(200);
  await project.settings(`allowed_email_domains = '{}'`);
});

test('the page offers social accounts first where the project prefers them', async () => {
  const text = async () => (await at('GET', '/auth/sign-in', { page: true })).text;
  const isFirst = (page: string) => page.indexOf('Continue with') < page.indexOf('<form');
  expect(isFirst(await text())).toBe(false);
  await project.settings(`preferred_sign_in_method = 'oauth_google'`);
  expect(isFirst(await text())).toBe(true);
  await project.settings('preferred_sign_in_method = null');
});

test('the ways back are of this host, and a provider is one that is configured', async () => {
  for (const query of ['returnTo=//evil.example', 'errorReturnTo=https://evil.example'])
    expectRefusal(await at('GET', `${startPath}?${query}`), 'SVC_AUTH_RETURN_TO_INVALID');
  expectRefusal(await at('GET', '/auth/sign-in/oauth/nobody/start'), 'VALIDATION_FAILED', { field: 'provider' });
  const google = await at('GET', '/auth/sign-in/oauth/google/start');
  expect(google.headers.get('location')).toBe('/auth/sign-in?svc_auth_error=provider_not_configured');
});

test('a signed-in user links an account from a page of the host, and from nowhere else', async () => {
  const { email, cookie } = await project.visitor();
  const person = account();
  const query = `?intent=link&login_hint=${person.sub}`;
  for (const site of ['cross-site', 'same-site'])
    expectRefusal(
      await at('GET', startPath + query, { cookie, headers: { 'sec-fetch-site': site } }),
      'SVC_AUTH_CSRF_ORIGIN_MISMATCH',
    );
  for (const headers of [{}, { referer: 'https://evil.example/' }, { referer: 'about:blank' }] as const)
    expectRefusal(await at('GET', startPath + query, { cookie, headers }), 'SVC_AUTH_CSRF_ORIGIN_MISMATCH');
  const stranger = await at('GET', startPath + query, { page: true, headers: { referer: `${origin}/auth/account` } });
  expect(stranger.headers.get('location')).toBe('/auth/sign-in?svc_auth_error=auth_required');
  const { path, flow } = await goThere(person.sub, '&intent=link', { 'sec-fetch-site': 'same-origin', cookie });
  const linked = await arrive(path, `${flow}; ${cookie}`);
  const { body } = await at('GET', '/auth/account/security', { cookie: cookiesOf(linked.headers).get(cookieName)! });
  expect(body).toMatchObject({ has_svc_password: true, svc_identities: [{ provider_sub: person.sub }] });
  expect((await project.sql(`select from auth.users where email = '${email}'`)).length).toBe(1);
});
