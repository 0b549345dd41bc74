import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { expectRefusal, moment } from '../helpers/documented.ts';
import { oidcClient, startOidcServer } from '../helpers/oidc-server.ts';
import { startService } from '../helpers/service.ts';
import { authProject, claimsOf, expectNoSecretLogged, newEmail } from './auth-project.ts';
import { appUrl, challengeOf, socialApp, verifierOf } from './social-app.ts';

const oidc = await startOidcServer();
const configured = ['google', 'acme'].map((id) => ({
  id,
  issuer: oidc.issuer,
  ...oidcClient,
  display_name: id === 'google' ? 'Google' : 'Acme',
}));
const service = await startService({ env: { OIDC_PROVIDERS: JSON.stringify(configured) } });
await oidc.serve(configured.map(({ id }) => `${service.url}/auth/v1/oauth/${id}/callback`));
const project = await authProject(service);
const other = await authProject(service);
const { auth } = project;
const { start, visit, arrive, trade, signIn } = socialApp(project);
afterAll(async () => {
  expectNoSecretLogged(service);
  expect(JSON.stringify(service.logged())).not.toContain(oidcClient.client_secret);
  await project.end();
  await other.end();
  await service.stop();
  await oidc.stop();
});

/** Somebody new with an account at the provider. */
function account(more: object = {}) {
  const sub = randomUUID();
  const person = { email: newEmail(), email_verified: true, name: 'Ada', picture: 'https://pics.example/ada', ...more };
  oidc.accounts.set(sub, person);
  return { sub, ...person };
}
const userOf = (session: { access_token: string }) => auth('GET', '/auth/v1/user', { bearer: session.access_token });
const twenty = <Result>(run: (index: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: 20 }, (_, index) => run(index)));

test('every project tells of the providers that the operator configured', async () => {
  const { body } = await auth('GET', '/auth/v1/providers');
  expect(body.oauth).toEqual([
    { provider: 'google', enabled: true, display_name: 'Google' },
    { provider: 'acme', enabled: true, display_name: 'Acme' },
  ]);
});

test('a start answers where to go, with PKCE, a nonce and a state of its own towards the provider', async () => {
  const verifier = verifierOf();
  const started = await start(verifier, { body: { login_hint: 'ada@example.com' } });
  expect([started.status, started.body]).toEqual([
    200,
    { provider: 'google', authorization_url: expect.any(String), expires_in: 600 },
  ]);
  const url = new URL(started.body.authorization_url);
  expect(url.origin).toBe(oidc.issuer);
  expect(Object.fromEntries(url.searchParams)).toEqual({
    client_id: 'svc',
    redirect_uri: `${service.url}/auth/v1/oauth/google/callback`,
    response_type: 'code',
    scope: 'openid email profile',
    state: expect.stringContaining(project.projectId),
    nonce: expect.any(String),
    code_challenge: expect.not.stringMatching(challengeOf(verifier)),
    code_challenge_method: 'S256',
    login_hint: 'ada@example.com',
  });
  const again = new URL((await start(verifier)).body.authorization_url).searchParams;
  for (const name of ['state', 'nonce', 'code_challenge']) expect(again.get(name)).not.toBe(url.searchParams.get(name));
});

test('who comes for the first time becomes a user without a password, with name, picture and address', async () => {
  const { sub, email } = account();
  const session = await signIn(sub, { body: { login_hint: sub } });
  expect([session.status, session.body]).toEqual([
    200,
    {
      access_token: expect.any(String),
      refresh_token: expect.any(String),
      token_type: 'bearer',
      expires_in: 3600,
      user: expect.objectContaining({
        id: expect.any(String),
        email,
        display_name: 'Ada',
        avatar_url: 'https://pics.example/ada',
        email_verified_at: moment,
      }),
      provider: 'google',
    },
  ]);
  expect(claimsOf(session.body.access_token)).toMatchObject({ amr: ['oauth'], aal: 'aal1', role: 'authenticated' });
  const identity = { provider: 'google', provider_sub: sub, provider_email: email, created_at: moment };
  expect((await userOf(session.body)).body.identities).toMatchObject([identity]);
  const listed = await auth('GET', '/auth/v1/account/identities', { bearer: session.body.access_token });
  expect(listed.body).toEqual({ identities: [identity] });
  const secure = await auth('GET', '/auth/v1/account/security', { bearer: session.body.access_token });
  expect(secure.body).toMatchObject({ has_svc_password: false, svc_identities: [identity] });
  const refreshed = await project.refresh(session.body.refresh_token);
  expect(refreshed.body).toMatchObject({ provider: 'google', user: { email } });
  expect(claimsOf(refreshed.body.access_token).amr).toEqual(['oauth']);
  const denied = await project.signIn(email, 'any password');
  expectRefusal(denied, 'INVALID_AUTH', { provider: 'google' });
});

test('who comes back is the same user, whatever the provider says of it now', async () => {
  const { sub, email } = account();
  const first = await signIn(sub);
  oidc.accounts.set(sub, { email: newEmail(), email_verified: false, name: 'Augusta' });
  const second = await signIn(sub);
  expect(second.body.user).toEqual({ ...first.body.user, email, display_name: 'Ada' });
});

test('an account of one provider is no account of another, and users of one project none of another', async () => {
  const { sub } = account();
  const here = await signIn(sub);
  expectRefusal(await signIn(sub, { provider: 'acme' }), 'account_exists_requires_link', { provider: 'acme' });
  const there = await socialApp(other).signIn(sub);
  expect(there.status).toBe(200);
  expect(there.body.user.id).not.toBe(here.body.user.id);
});

test('the address of another user is never merged, whoever that user is', async () => {
  const withPassword = await project.user();
  const taken = account({ email: withPassword.email.toUpperCase() });
  const refused = await signIn(taken.sub);
  expectRefusal(refused, 'account_exists_requires_link', { provider: 'google' });
  expect(refused.body).toMatchObject({ error: 'account_exists_requires_link', code: 'account_exists_requires_link' });
  const social = account();
  await signIn(social.sub);
  expectRefusal(await signIn(account({ email: social.email }).sub), 'account_exists_requires_link');
  const byMail = newEmail();
  await project.sql(
    `insert into auth.users (email, email_verified_at, last_sign_in_at) values ('${byMail}', now(), now())`,
  );
  expectRefusal(await signIn(account({ email: byMail }).sub), 'account_exists_requires_link');
});

test.each([
  ['unverified', { email_verified: false }],
  ['not said to be verified', { email_verified: undefined }],
  ['no address', { email: 'nobody' }],
  ['not told', { email: undefined, email_verified: undefined }],
  ['written with a look-alike', { email: 'ad\u0430@example.com' }],
])('nobody becomes a user by an address that is %s', async (_case, more) => {
  const refused = await signIn(account(more).sub);
  expectRefusal(refused, 'FORBIDDEN', { reason: 'email_unverified', provider: 'google' });
});

test('an unverified address does not tell whether somebody has it', async () => {
  const { email } = await project.user();
  const [known, unknown] = [
    await signIn(account({ email, email_verified: false }).sub),
    await signIn(account({ email_verified: false }).sub),
  ].map(({ status, body: { trace_id: _trace, ...body } }) => ({ status, body }));
  expect(known).toEqual(unknown);
});

test.each(['known_email', 'invite_only'])(
  'where sign-up is %s, strangers are refused and users are not',
  async (policy) => {
    const known = account();
    expect((await signIn(known.sub)).status).toBe(200);
    await project.settings(`public_signup = '${policy}'`);
    expectRefusal(await signIn(account().sub), 'FORBIDDEN', { policy });
    expect((await signIn(known.sub)).status).toBe(200);
    await project.settings(`public_signup = 'open'`);
  },
);

test.each(['open', 'known_email', 'invite_only'])(
  'where sign-up is %s, whom the service key made comes by a verified address, and finds nothing of a stranger’s',
  async (policy) => {
    const { sub, email } = account();
    const [made] = await project.sql<{ id: string }>(`with u as (insert into auth.users (email) values ('${email}')
        returning id), i as (insert into auth.identities (provider, provider_sub, user_id)
        select 'wallet', '${email}', id from u)
      select id from u`);
    await project.settings(`public_signup = '${policy}'`);
    const refused = await signIn(account({ email, email_verified: false }).sub);
    expectRefusal(refused, 'FORBIDDEN', { reason: 'email_unverified' });
    const answers = await twenty(() => signIn(sub));
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.user?.id}`))).toEqual(
      new Set([`200 ${made!.id}`]),
    );
    expect(await project.sql(`select provider from auth.identities where user_id = '${made!.id}'`)).toEqual([
      { provider: 'google' },
    ]);
    // Another account with the address is not merged any more.
    expectRefusal(await signIn(account({ email }).sub), 'account_exists_requires_link');
    await project.settings(`public_signup = 'open'`);
  },
);

test('addresses of other domains than the project admits are refused, at sign-in and at refresh', async () => {
  const outsider = account();
  const before = await signIn(outsider.sub);
  await project.settings(`allowed_email_domains = '{corp.example}'`);
  expectRefusal(await project.refresh(before.body.refresh_token), 'SVC_AUTH_DOMAIN_NOT_ALLOWED');
  expectRefusal(await signIn(outsider.sub), 'SVC_AUTH_DOMAIN_NOT_ALLOWED');
  const stranger = account({ email: `${randomUUID()}@sub.corp.example` });
  expectRefusal(await signIn(stranger.sub), 'SVC_AUTH_DOMAIN_NOT_ALLOWED');
  const insider = account({ email: `${randomUUID()}@Corp.example` });
  expect((await signIn(insider.sub)).status).toBe(200);
  await project.settings(`allowed_email_domains = '{}'`);
  expect((await signIn(stranger.sub)).status).toBe(200);
});

test('twenty first sign-ins of one person make one user', async () => {
  const { sub, email } = account();
  const answers = await twenty(() => signIn(sub));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(new Set(answers.map(({ body }) => body.user.id)).size).toBe(1);
  expect(await project.sql(`select from auth.users where email = '${email}'`)).toHaveLength(1);
});

test('twenty first sign-ins of one account under changing addresses leave one user, too', async () => {
  // In a project of its own: with those of the test before they would be more than a project is asked in a second.
  const { visit, arrive, trade } = socialApp(other);
  const { sub } = account();
  const prefix = randomUUID();
  const visits = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const verifier = verifierOf();
      return { verifier, callback: await visit(verifier, { body: { login_hint: sub } }) };
    }),
  );
  const codes: { code: string; verifier: string }[] = [];
  for (const [index, { verifier, callback }] of visits.entries()) {
    oidc.accounts.set(sub, { email: `${prefix}-${index}@example.com`, email_verified: true });
    codes.push({ verifier, code: (await arrive(callback)).code! });
  }
  const answers = await Promise.all(codes.map(({ code, verifier }) => trade(code, verifier)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(await other.sql(`select from auth.users where email like '${prefix}-%'`)).toHaveLength(1);
});

test('what the application gave comes back in the fragment beside the code', async () => {
  const { sub } = account();
  const client_state = 'a b&c=d#e<ü>"';
  const given = await arrive(await visit(verifierOf(), { body: { login_hint: sub, client_state } }));
  expect(given).toEqual({ code: expect.stringMatching(/^svco_/), state: client_state });
  const bare = await arrive(await visit(verifierOf(), { body: { login_hint: sub } }));
  expect(bare).toEqual({ code: expect.any(String), state: expect.stringContaining(project.projectId) });
});

test('who says no at the provider comes back with what the provider calls it', async () => {
  const callback = await visit(verifierOf(), { body: { login_hint: 'denied', client_state: 'mine' } });
  expect(await arrive(callback)).toEqual({ error: 'access_denied', state: 'mine' });
});

test('whoever only looks at where a provider sends a browser, by HEAD, takes nothing from the browser', async () => {
  const verifier = verifierOf();
  const { sub } = account();
  const callback = await visit(verifier, { body: { login_hint: sub } });
  for (let round = 0; round < 2; round++) {
    const looked = await fetch(callback, { method: 'HEAD', redirect: 'manual' });
    expect([looked.status, looked.headers.get('allow')]).toEqual([405, 'GET, OPTIONS']);
  }
  const { code } = await arrive(callback);
  expect((await trade(code!, verifier)).status).toBe(200);
});

test('the answer to the browser is kept by nobody, and told to no third party', async () => {
  const callback = await visit(verifierOf(), { body: { login_hint: account().sub } });
  const { headers } = await fetch(callback, { redirect: 'manual' });
  expect([headers.get('cache-control'), headers.get('referrer-policy')]).toEqual(['no-store', 'no-referrer']);
  const { search } = new URL(headers.get('location')!);
  expect(search).toBe('');
});

test('a popup posts the values to exactly the origin of the application', async () => {
  const client_state = '</script><script>alert(1)</script>';
  const body = { login_hint: account().sub, mode: 'popup', client_state };
  const verifier = verifierOf();
  const response = await fetch(await visit(verifier, { body }), { redirect: 'manual' });
  const page = await response.text();
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(response.headers.get('cache-control')).toBe('no-store');
  const [, nonce] = /<script nonce="([^"]+)">/.exec(page)!;
  expect(response.headers.get('content-security-policy')).toBe(
    `default-src 'none'; script-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  );
  expect(page.match(/<script/g)).toHaveLength(1);
  const [, script] = /<script[^>]*>([\s\S]*)<\/script>/.exec(page)!;
  // The page's own script, run against the window that it finds in a browser.
  const run = (opener: object | null) => {
    const seen: unknown[] = [];
    const window = {
      opener: opener === null ? null : { postMessage: (...posted: unknown[]) => seen.push(posted) },
      close: () => seen.push('closed'),
      location: { replace: (url: string) => seen.push(url) },
    };
    new Function('window', script!)(window);
    return seen;
  };
  const [[values, origin], closed] = run({}) as [[{ code: string; state: string }, string], string];
  expect([values, origin, closed]).toEqual([
    { code: expect.stringMatching(/^svco_/), state: client_state },
    'http://localhost:5173',
    'closed',
  ]);
  expect(run(null)).toEqual([expect.stringContaining(`${appUrl}#code=${values.code}&state=`)]);
  expect((await trade(values.code, verifier)).status).toBe(200);
});
