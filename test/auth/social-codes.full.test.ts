import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { expectRefusal } from '../helpers/documented.ts';
import { oidcClient, startOidcServer } from '../helpers/oidc-server.ts';
import { startService } from '../helpers/service.ts';
import { authProject, expectNoSecretLogged, newEmail } from './auth-project.ts';
import { appUrl, challengeOf, socialApp, verifierOf } from './social-app.ts';

// Two gateways on one database: what is good once is good once on both together.
const oidc = await startOidcServer();
const configured = ['acme', 'other'].map((id) => ({ id, issuer: oidc.issuer, ...oidcClient, display_name: id }));
const service = await startService({ env: { OIDC_PROVIDERS: JSON.stringify(configured) }, nodes: 2 });
await oidc.serve(configured.map(({ id }) => `${service.url}/auth/v1/oauth/${id}/callback`));
const project = await authProject(service);
const other = await authProject(service);
const { auth } = project;
const app = socialApp(project);
const provider = 'acme';
afterAll(async () => {
  expectNoSecretLogged(service);
  await project.end();
  await other.end();
  await service.stop();
  await oidc.stop();
});

function account() {
  const [sub, email] = [randomUUID(), newEmail()];
  oidc.accounts.set(sub, { email, email_verified: true, name: 'Ada' });
  return { sub, email };
}
/** Somebody who is back from the provider, and has yet to be sent on. */
async function back({ sub = account().sub, ...more }: { sub?: string; bearer?: string; intent?: string } = {}) {
  const verifier = verifierOf();
  const { bearer, intent = 'signin' } = more;
  const options = { provider, body: { login_hint: sub, intent }, ...(bearer === undefined ? {} : { bearer }) };
  return { sub, verifier, callback: await app.visit(verifier, options) };
}
/** The same with the code that the application got. */
async function withCode(options: Parameters<typeof back>[0] = {}) {
  const { callback, ...rest } = await back(options);
  return { ...rest, callback, code: (await app.arrive(callback)).code! };
}
const twenty = <Result>(run: () => Promise<Result>) => Promise.all(Array.from({ length: 20 }, run));
const come = async (callback: string) => {
  const response = await fetch(callback, { redirect: 'manual' });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: text === '' ? {} : JSON.parse(text) };
};
const unknown = { field: 'state' };

test('a state is good once, however many come back with it at once', async () => {
  const { callback } = await back();
  const answers = await twenty(() => come(callback));
  expect(answers.map(({ status }) => status).sort()).toEqual([302, ...Array.from({ length: 19 }, () => 400)]);
  expectRefusal(answers.find(({ status }) => status === 400)!, 'VALIDATION_FAILED', unknown);
});

test('a code is good once, however many trade it at once', async () => {
  const { code, verifier } = await withCode();
  const answers = await twenty(() => app.trade(code, verifier));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 19 }, () => 401)]);
  expectRefusal(answers.find(({ status }) => status === 401)!, 'INVALID_AUTH');
});

test('a code needs the verifier of its start, and is used up by a wrong one', async () => {
  const { code, verifier } = await withCode();
  expectRefusal(await app.trade(code, verifierOf()), 'INVALID_AUTH');
  expectRefusal(await app.trade(code, verifier), 'INVALID_AUTH');
});

test('the challenge is no verifier of itself', async () => {
  const { code, verifier } = await withCode();
  expectRefusal(await app.trade(code, challengeOf(verifier)), 'INVALID_AUTH');
});

test('a code is good for a minute, and a state for ten', async () => {
  const { code, verifier } = await withCode();
  const [left] = await project.sql<{ seconds: number }>(
    `select extract(epoch from expires_at - now())::float as seconds from auth.social_flows where code_hash is not null
      order by created_at desc limit 1`,
  );
  expect(left!.seconds).toBeGreaterThan(0);
  expect(left!.seconds).toBeLessThanOrEqual(60);
  await project.sql(`update auth.social_flows set expires_at = now() where code_hash is not null`);
  expectRefusal(await app.trade(code, verifier), 'INVALID_AUTH');

  const { callback } = await back();
  const [begun] = await project.sql<{ seconds: number }>(
    `select extract(epoch from expires_at - created_at)::float as seconds from auth.social_flows
      where returned_at is null order by created_at desc limit 1`,
  );
  expect(begun!.seconds).toBe(600);
  await project.sql(`update auth.social_flows set expires_at = now()`);
  expectRefusal(await come(callback), 'VALIDATION_FAILED', unknown);
});

test('a code opens no other project', async () => {
  const { code, verifier } = await withCode();
  expectRefusal(await socialApp(other).trade(code, verifier), 'INVALID_AUTH');
  expect((await app.trade(code, verifier)).status).toBe(200);
});

test('a state holds for its project and its provider alone', async () => {
  const { callback } = await back();
  const elsewhere = new URL(callback);
  elsewhere.pathname = '/auth/v1/oauth/other/callback';
  expectRefusal(await come(elsewhere.href), 'VALIDATION_FAILED', unknown);
  const moved = new URL(callback);
  moved.searchParams.set('state', moved.searchParams.get('state')!.replace(project.projectId, other.projectId));
  expectRefusal(await come(moved.href), 'VALIDATION_FAILED', unknown);
  expect((await come(callback)).status).toBe(302);
});

test('a state that was never made is refused alike, whatever it names', async () => {
  const path = `${service.url}/auth/v1/oauth/${provider}/callback`;
  const secret = 'A'.repeat(43);
  const states = [
    '',
    'x',
    `${project.projectId}.${secret}`,
    `prj_00000000000000000000000000.${secret}`,
    `${project.projectId}.${secret}\u0000`,
    `p'--.${secret}`,
  ];
  const answers = await Promise.all(states.map((state) => come(`${path}?code=x&state=${encodeURIComponent(state)}`)));
  for (const answer of answers) expectRefusal(answer, 'VALIDATION_FAILED', unknown);
  expect(new Set(answers.map(({ body }) => body.message)).size).toBe(1);
  expectRefusal(await come(path), 'VALIDATION_FAILED', unknown);
  expectRefusal(await come(path.replace(provider, 'nobody')), 'VALIDATION_FAILED', unknown);
});

test('the code of one sign-in does not do for another at the provider', async () => {
  const [mine, theirs] = [await back(), await back()];
  const mixed = new URL(mine.callback);
  mixed.searchParams.set('code', new URL(theirs.callback).searchParams.get('code')!);
  expect(await app.arrive(mixed.href)).toMatchObject({ error: 'token_exchange_failed' });
});

test('of a sign-in that came to its end nothing stays, and of its secrets hashes alone were kept', async () => {
  const { code, verifier, callback, sub } = await withCode();
  const kept = JSON.stringify(await project.sql('select * from auth.social_flows'));
  expect(kept).toContain(sub);
  for (const secret of [code, verifier, new URL(callback).searchParams.get('state')!])
    expect(kept).not.toContain(secret);
  await app.trade(code, verifier);
  expect(JSON.stringify(await project.sql('select * from auth.social_flows'))).not.toContain(sub);
});

test('tenant SQL does not see sign-ins under way', async () => {
  for (const role of ['anon', 'authenticated', 'project_admin', 'service_role']) {
    const seen = project.sql(`begin; set local role ${role}; select * from auth.social_flows`);
    await expect(seen).rejects.toThrow(/permission denied/);
    await project.sql('rollback');
  }
});

test('what was never finished is swept up by those who begin', async () => {
  await project.sql(`update auth.social_flows set expires_at = now() - interval '1 second'`);
  await project.sql(`insert into auth.social_flows (provider, state_hash, redirect_uri, redirect_url, mode, code_challenge, expires_at)
    select 'acme', 'old-' || n, '', '', 'redirect', '', now() - interval '1 hour' from generate_series(1, 15) n`);
  for (let n = 0; n < 4; n++) await app.start(verifierOf(), { provider });
  expect(await project.sql(`select from auth.social_flows where expires_at < now()`)).toEqual([]);
});

test('a signed-in user links a social account, and is signed in by it from then on', async () => {
  const me = await project.signedIn();
  const { sub, email } = account();
  const { code, verifier } = await withCode({ sub, bearer: me.access_token, intent: 'link' });
  const linked = await app.trade(code, verifier);
  expect(linked.status).toBe(200);
  expect(linked.body).toMatchObject({ provider, user: { id: me.id, email: me.email, display_name: null } });
  const session = await app.signIn(sub, { provider });
  expect(session.body.user.id).toBe(me.id);
  const { body } = await auth('GET', '/auth/v1/user', { bearer: session.body.access_token });
  expect(body.identities).toMatchObject([{ provider, provider_sub: sub, provider_email: email }]);
  expect((await project.signIn(me.email, me.password)).status).toBe(200);

  const unlink = () =>
    auth('POST', '/auth/v1/account/identities/unlink', { bearer: me.access_token, body: { provider, subject: sub } });
  expect((await unlink()).body).toEqual({ ok: true, unlinked: true });
  expect((await unlink()).body).toEqual({ ok: true, unlinked: false });
  const stranger = await app.signIn(sub, { provider });
  expect(stranger.body.user).toMatchObject({ email });
  expect(stranger.body.user.id).not.toBe(me.id);
});

test('a social account that signs another user in is not linked, and one’s own is once more', async () => {
  const { sub } = account();
  const owner = await app.signIn(sub, { provider });
  const me = await project.signedIn();
  const foreign = await withCode({ sub, bearer: me.access_token, intent: 'link' });
  expectRefusal(await app.trade(foreign.code, foreign.verifier), 'SVC_AUTH_IDENTITY_LINK_CONFLICT', { provider });
  const own = await withCode({ sub, bearer: owner.body.access_token, intent: 'link' });
  expect((await app.trade(own.code, own.verifier)).body.user.id).toBe(owner.body.user.id);
});

test('of twenty users who link one social account at once, one has it', async () => {
  const { sub } = account();
  const users = [];
  for (let n = 0; n < 20; n++)
    users.push(await withCode({ sub, bearer: (await project.signedIn()).access_token, intent: 'link' }));
  const answers = await Promise.all(users.map(({ code, verifier }) => app.trade(code, verifier)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 19 }, () => 409)]);
});

test('whoever signs out before the code is traded links nothing', async () => {
  const me = await project.signedIn();
  const { sub, code, verifier } = await withCode({ bearer: me.access_token, intent: 'link' });
  await auth('POST', '/auth/v1/logout', { bearer: me.access_token });
  expectRefusal(await app.trade(code, verifier), 'INVALID_AUTH');
  expect(await project.sql(`select from auth.identities where provider_sub = '${sub}'`)).toEqual([]);
});

test('coming back from the provider alone links nothing: a sent link catches nobody', async () => {
  const attacker = await project.signedIn();
  const { sub, callback } = await back({ bearer: attacker.access_token, intent: 'link' });
  await app.arrive(callback);
  expect(await project.sql(`select from auth.identities where provider_sub = '${sub}'`)).toEqual([]);
});

test('who recovers an account that never showed its address finds nothing linked by whoever made it', async () => {
  const made = await project.signedIn();
  const { sub, code, verifier } = await withCode({ bearer: made.access_token, intent: 'link' });
  expect((await app.trade(code, verifier)).status).toBe(200);
  const body = { email: made.email, intent: 'recovery', redirect_url: appUrl };
  await auth('POST', '/auth/v1/magic-link', { body });
  const { token } = await project.mailTo(made.email);
  const recovered = await auth('POST', '/auth/v1/token?grant_type=magic_link', { body: { token } });
  expect(recovered.body.user.id).toBe(made.id);
  expect((await app.signIn(sub, { provider })).body.user.id).not.toBe(made.id);
  // Once it has been shown, what its owner links stays.
  const mine = account();
  const again = await withCode({ sub: mine.sub, bearer: recovered.body.access_token, intent: 'link' });
  await app.trade(again.code, again.verifier);
  await auth('POST', '/auth/v1/magic-link', { body });
  const { token: second } = await project.mailTo(made.email, 2);
  await auth('POST', '/auth/v1/token?grant_type=magic_link', { body: { token: second } });
  expect((await app.signIn(mine.sub, { provider })).body.user.id).toBe(made.id);
});

test('an address begins three hundred social sign-ins in ten minutes', async () => {
  await app.start(verifierOf(), { provider });
  await project.sql(`update auth.throttles set count = 299 where key like 'social:%'`);
  const answers = await twenty(() => app.start(verifierOf(), { provider }));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 19 }, () => 429)]);
  const refused = answers.find(({ status }) => status === 429)!;
  expectRefusal(refused, 'RATE_LIMITED');
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  await project.sql(`delete from auth.throttles where key like 'social:%'`);
});

test('a link needs the user’s token', async () => {
  const body = { intent: 'link' };
  expectRefusal(await app.start(verifierOf(), { provider, body }), 'AUTH_REQUIRED');
  expectRefusal(await app.start(verifierOf(), { provider, body, bearer: project.serviceKey }), 'AUTH_REQUIRED');
  const me = await project.signedIn();
  await auth('POST', '/auth/v1/logout', { bearer: me.access_token });
  expectRefusal(await app.start(verifierOf(), { provider, body, bearer: me.access_token }), 'INVALID_AUTH');
});

test.each([
  [{ redirect_url: undefined }, 'redirect_url'],
  [{ redirect_url: 'https://evil.example/back' }, 'redirect_url'],
  [{ redirect_url: 'http://localhost.evil.example/back' }, 'redirect_url'],
  [{ redirect_url: 'https://localhost/back' }, 'redirect_url'],
  [{ redirect_url: 'http://user@localhost/back' }, 'redirect_url'],
  [{ redirect_url: 'http://127.0.0.1/back' }, 'redirect_url'],
  [{ redirect_url: 'javascript:alert(1)//localhost' }, 'redirect_url'],
  [{ redirect_url: `${appUrl}?${'x'.repeat(2_048)}` }, 'redirect_url'],
  [{ mode: 'iframe' }, 'mode'],
  [{ code_challenge: undefined }, 'code_challenge'],
  [{ code_challenge: 'A'.repeat(42) }, 'code_challenge'],
  [{ code_challenge: `${'A'.repeat(42)}=` }, 'code_challenge'],
  [{ code_challenge: `${'A'.repeat(42)}\uff21` }, 'code_challenge'],
  [{ code_challenge_method: undefined }, 'code_challenge_method'],
  [{ code_challenge_method: 'plain' }, 'code_challenge_method'],
  [{ intent: 'merge' }, 'intent'],
  [{ client_state: { a: 1 } }, 'client_state'],
  [{ client_state: 'x'.repeat(2_049) }, 'client_state'],
  [{ client_state: 'a\0b' }, 'client_state'],
  [{ login_hint: 'x'.repeat(321) }, 'login_hint'],
])('a start refuses %j by name', async (body, field) => {
  expectRefusal(await app.start(verifierOf(), { provider, body }), 'VALIDATION_FAILED', { field });
});

test('a start tells an unknown provider from one that is not configured', async () => {
  expectRefusal(await app.start(verifierOf(), { provider: 'myspace' }), 'VALIDATION_FAILED', { field: 'provider' });
  expectRefusal(await app.start(verifierOf(), { provider: 'Acme' }), 'VALIDATION_FAILED', { field: 'provider' });
  expectRefusal(await app.start(verifierOf(), { provider: 'google' }), 'PROVIDER_NOT_CONFIGURED', {
    provider: 'google',
  });
  const { body } = await auth('GET', '/auth/v1/providers');
  expect(body.oauth[0]).toEqual({ provider: 'google', enabled: false, display_name: 'Google' });
});

test('a start needs a key of the project', async () => {
  const path = `/auth/v1/oauth/${provider}/start`;
  expectRefusal(await service.call(service.actors.nobody, 'POST', path, { body: {} }), 'AUTH_REQUIRED');
});

test.each([
  [{ code: undefined }, 'code'],
  [{ code_verifier: undefined }, 'code_verifier'],
  [{ code: '' }, 'code'],
  [{ code: 'x'.repeat(513) }, 'code'],
])('a trade refuses %j by name', async (given, field) => {
  const body = { code: 'x', code_verifier: verifierOf(), ...given };
  const refused = await auth('POST', '/auth/v1/token?grant_type=authorization_code', { body });
  expectRefusal(refused, 'VALIDATION_FAILED', { field });
});
