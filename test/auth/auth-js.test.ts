import { AuthApiError, AuthWeakPasswordError, GoTrueClient, isAuthSessionMissingError } from '@supabase/auth-js';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { sharedService } from '../helpers/shared-service.ts';
import { authProject, claimsOf, expectNoSecretLogged, newEmail, noteSecrets } from './auth-project.ts';

/** The published client, unmodified: docs/compatibility.md lists the outcome of each of its calls. */

const service = await sharedService();
const project = await authProject(service);
afterAll(async () => {
  expectNoSecretLogged(service);
  await project.end();
  await service.stop();
});

beforeEach(async () => {
  await project.settings(`public_signup = 'open', allow_password_set = false`);
  await project.sql('delete from auth.throttles');
});

/** Names of headers that the client ever sent. */
const headersSent = new Set<string>();
const seen: { readonly path: string; readonly status: number }[] = [];

/** A client as an app makes it, with a storage of its own. */
function client({
  key = project.anonKey,
  flowType = 'implicit' as 'implicit' | 'pkce',
  kept = new Map<string, string>(),
} = {}) {
  const made = new GoTrueClient({
    url: `${service.url}/auth/v1`,
    headers: { apikey: key, ...(key === project.serviceKey ? { Authorization: `Bearer ${key}` } : {}) },
    storageKey: crypto.randomUUID(),
    autoRefreshToken: false,
    persistSession: true,
    detectSessionInUrl: false,
    flowType,
    experimental: { passkey: true },
    storage: {
      getItem: (name) => kept.get(name.replace(/^[0-9a-f-]{36}/, '')) ?? null,
      setItem: (name, value) => void kept.set(name.replace(/^[0-9a-f-]{36}/, ''), value),
      removeItem: (name) => void kept.delete(name.replace(/^[0-9a-f-]{36}/, '')),
    },
    fetch: async (url, init) => {
      for (const name of new Headers(init?.headers).keys()) headersSent.add(name);
      const answer = await fetch(url, init);
      if (init?.body) noteSecrets(JSON.parse(String(init.body)));
      noteSecrets(await answer.clone().json());
      seen.push({ path: new URL(String(url)).pathname, status: answer.status });
      return answer;
    },
  });
  const events: string[] = [];
  made.onAuthStateChange((event) => void events.push(event));
  return Object.assign(made, { events, kept });
}

const password = 'correct horse';

/** A client whose user has signed up and in. */
async function signedIn() {
  const email = newEmail();
  const auth = client();
  expect((await auth.signUp({ email, password })).error).toBeNull();
  const { data, error } = await auth.signInWithPassword({ email, password });
  expect(error).toBeNull();
  return { auth, email, session: data.session!, user: data.user! };
}

/** A refusal reaches the app as the client's own error, with status and code. */
function refused({ error }: { readonly error: unknown }, status: number, code: string): void {
  expect(error).toBeInstanceOf(AuthApiError);
  expect(error).toMatchObject({ status, code });
  expect((error as AuthApiError).message).not.toBe('');
}

test('signUp makes a user without a session, and signInWithPassword signs it in', async () => {
  const email = newEmail();
  const auth = client();
  const made = await auth.signUp({ email, password, options: { data: { name: 'Ada', plan: { seats: 3 } } } });
  expect(made).toMatchObject({ error: null, data: { session: null, user: { email } } });
  const { data, error } = await auth.signInWithPassword({ email, password });
  expect(error).toBeNull();
  expect(data.session).toMatchObject({ token_type: 'bearer', expires_in: 3600, expires_at: expect.any(Number) });
  expect(data.user).toMatchObject({
    id: made.data.user!.id,
    aud: 'authenticated',
    role: 'authenticated',
    app_metadata: { provider: 'email', providers: ['email'] },
    user_metadata: { name: 'Ada', plan: { seats: 3 } },
    created_at: expect.any(String),
  });
  expect(auth.events).toContain('SIGNED_IN');
  expect((await auth.getSession()).data.session!.access_token).toBe(data.session!.access_token);
});

test('refusals arrive as errors of the client, with the status and a code that apps know', async () => {
  const { email } = await signedIn();
  const auth = client();
  refused(await auth.signUp({ email, password }), 409, 'user_already_exists');
  refused(await auth.signUp({ email: 'ada', password }), 400, 'validation_failed');
  refused(await auth.signInWithPassword({ email, password: 'wrong one' }), 401, 'invalid_credentials');
  refused(await auth.signInWithPassword({ email: newEmail(), password }), 401, 'invalid_credentials');
  refused(await auth.verifyOtp({ email, token: '123456', type: 'email' }), 401, 'otp_expired');
  refused(await auth.verifyOtp({ token_hash: 'svcl_nobodys', type: 'email' }), 401, 'otp_expired');
  refused(await auth.refreshSession({ refresh_token: 'svcr_nobodys' }), 401, 'refresh_token_not_found');
  refused(await auth.getUser('no.token.atall'), 401, 'bad_jwt');
  refused(await client({ key: 'nokey' }).signUp({ email: newEmail(), password }), 401, 'bad_jwt');
  const weak = await auth.signUp({ email: newEmail(), password: 'short' });
  expect(weak.error).toBeInstanceOf(AuthWeakPasswordError);
  expect(weak.error).toMatchObject({ status: 400, code: 'weak_password', reasons: ['length'] });
  for (let time = 0; time < 10; time += 1) await auth.signInWithPassword({ email, password: 'wrong one' });
  refused(await auth.signInWithPassword({ email, password }), 429, 'over_request_rate_limit');
  await project.settings(`public_signup = 'invite_only'`);
  refused(await auth.signUp({ email: newEmail(), password }), 403, 'forbidden');
});

test('getUser and getUserIdentities tell of the user, with its session and with a token', async () => {
  const { auth, email, session, user } = await signedIn();
  expect((await auth.getUser()).data.user).toMatchObject({ id: user.id, email, last_sign_in_at: expect.any(String) });
  expect((await client().getUser(session.access_token)).data.user!.id).toBe(user.id);
  expect((await auth.getUserIdentities()).data).toEqual({ identities: [] });
});

test('getClaims checks the token by the published keys, and does not by another project’s', async () => {
  const { auth, session, user } = await signedIn();
  seen.length = 0;
  const { data, error } = await auth.getClaims();
  expect(error).toBeNull();
  expect(data!.header.alg).toBe('ES256');
  expect(data!.claims).toMatchObject({
    sub: user.id,
    role: 'authenticated',
    session_id: claimsOf(session.access_token).session_id,
  });
  // By its own hand, without asking who the user is.
  expect(seen.map(({ path }) => path)).toEqual(['/auth/v1/.well-known/jwks.json']);
  const [head, body] = session.access_token.split('.');
  const forged = await auth.getClaims(`${head}.${body}.${'A'.repeat(86)}`);
  expect(forged.error).toMatchObject({ message: 'Invalid JWT signature' });
});

test('a session that has expired is refreshed on its own, once for all who ask', async () => {
  const { auth, session } = await signedIn();
  const [name] = [...auth.kept.keys()];
  auth.kept.set(name!, JSON.stringify({ ...session, expires_at: 1 }));
  seen.length = 0;
  const sessions = await Promise.all(Array.from({ length: 20 }, () => auth.getSession()));
  expect(seen).toEqual([{ path: '/auth/v1/token', status: 200 }]);
  const [refreshToken, ...more] = new Set(sessions.map(({ data }) => data.session!.refresh_token));
  expect(more).toEqual([]);
  expect(refreshToken).not.toBe(session.refresh_token);
  expect(auth.events).toContain('TOKEN_REFRESHED');
});

test('refreshSession and setSession carry a session on, and a refresh token that was used long ago ends it', async () => {
  const { auth, session, user } = await signedIn();
  const next = await auth.refreshSession();
  expect(next.data.session!.user.id).toBe(user.id);
  const other = client();
  const { access_token, refresh_token } = next.data.session!;
  expect((await other.setSession({ access_token, refresh_token })).data.user!.id).toBe(user.id);
  // A second tab that refreshed at the same time goes on as well.
  const again = await client().refreshSession({ refresh_token: session.refresh_token });
  expect(again.data.session!.refresh_token).toBe(refresh_token);
  await project.sql(
    `update auth.refresh_tokens set used_at = used_at - interval '11 seconds' where used_at is not null`,
  );
  refused(await client().refreshSession({ refresh_token: session.refresh_token }), 401, 'refresh_token_not_found');
  const gone = await other.getUser();
  expect(isAuthSessionMissingError(gone.error)).toBe(true);
  expect(other.events).toContain('SIGNED_OUT');
  expect((await other.getSession()).data.session).toBeNull();
});

test.each(['local', 'others', 'global'] as const)('signOut ends what its scope %s says', async (scope) => {
  const { auth, email, session } = await signedIn();
  const elsewhere = (await client().signInWithPassword({ email, password })).data.session!;
  expect((await auth.signOut({ scope })).error).toBeNull();
  const stands = async (token: string) => (await client().getUser(token)).error === null;
  expect([await stands(session.access_token), await stands(elsewhere.access_token)]).toEqual([
    scope === 'others',
    scope === 'local',
  ]);
  expect((await auth.getSession()).data.session === null).toBe(scope !== 'others');
});

test('updateUser keeps what the app says of its user, and takes the password by the rules of a change', async () => {
  const { auth, email } = await signedIn();
  expect((await auth.updateUser({ data: { plan: 'free', theme: { dark: true } } })).error).toBeNull();
  const changed = await auth.updateUser({ data: { plan: null, name: 'Ada', list: [null] } });
  expect(changed.data.user!.user_metadata).toEqual({ theme: { dark: true }, name: 'Ada', list: [null] });
  expect(auth.events).toContain('USER_UPDATED');
  refused(await auth.updateUser({ password: 'another one' }), 401, 'reauthentication_needed');
  refused(
    await auth.updateUser({ password: 'another one', current_password: 'wrong one' }),
    401,
    'invalid_credentials',
  );
  const next = await auth.updateUser({ password: 'another one', current_password: password });
  expect(next.error).toBeNull();
  expect((await client().signInWithPassword({ email, password: 'another one' })).error).toBeNull();
  refused(await client().signInWithPassword({ email, password }), 401, 'invalid_credentials');
  refused(await auth.updateUser({ email: newEmail() }), 400, 'validation_failed');
  refused(await auth.updateUser({ phone: '+4912345' }), 400, 'validation_failed');
  refused(await auth.updateUser({ data: { text: 'x'.repeat(16_384) } }), 400, 'validation_failed');
  expect((await auth.updateUser({ email: ` ${email.toUpperCase()}` })).error).toBeNull();
});

test('reauthenticate mails a code that stands for the password so far, once', async () => {
  const { auth, email } = await signedIn();
  expect((await auth.reauthenticate()).error).toBeNull();
  const { code, token } = await project.mailTo(email);
  expect(token).toBeUndefined();
  const nonce = code!;
  refused(
    await auth.updateUser({ password: 'another one', nonce: nonce === '000000' ? '111111' : '000000' }),
    401,
    'otp_expired',
  );
  expect((await auth.updateUser({ password: 'another one', nonce })).error).toBeNull();
  refused(await auth.updateUser({ password: 'one more', nonce }), 401, 'otp_expired');
  expect((await client().signInWithPassword({ email, password: 'another one' })).error).toBeNull();
});

test('signInWithOtp mails a code, and a link besides where it says where that leads', async () => {
  const email = newEmail();
  const auth = client();
  expect(await auth.signInWithOtp({ email })).toMatchObject({ error: null, data: { user: null, session: null } });
  const first = await project.mailTo(email);
  expect(first.token).toBeUndefined();
  const signed = await auth.verifyOtp({ email, token: first.code!, type: 'email' });
  expect(signed).toMatchObject({ error: null, data: { user: { email } } });
  expect(claimsOf(signed.data.session!.access_token).amr).toEqual(['email_code']);

  const options = { emailRedirectTo: 'http://localhost:3000/in?a=b' };
  expect((await auth.signInWithOtp({ email, options })).error).toBeNull();
  const second = await project.mailTo(email, 2);
  expect(second.text).toContain(`http://localhost:3000/in?a=b&token=${second.token}`);
  const linked = await client().verifyOtp({ token_hash: second.token!, type: 'magiclink' });
  expect(claimsOf(linked.data.session!.access_token).amr).toEqual(['magic_link']);
  refused(await client().verifyOtp({ email, token: second.code!, type: 'email' }), 401, 'otp_expired');
  refused(
    await auth.signInWithOtp({ email, options: { emailRedirectTo: 'https://evil.example/' } }),
    400,
    'validation_failed',
  );
});

test('the latest code of an address is the one that counts, and five wrong ones burn it', async () => {
  const email = newEmail();
  const auth = client();
  await auth.signInWithOtp({ email });
  const { code: older } = await project.mailTo(email);
  await auth.resend({ type: 'signup', email });
  const { code } = await project.mailTo(email, 2);
  // Two codes of a million may be the same.
  if (older !== code) refused(await auth.verifyOtp({ email, token: older!, type: 'email' }), 401, 'otp_expired');
  const wrong = code === '000000' ? '111111' : '000000';
  for (let time = 0; time < 4; time += 1) await auth.verifyOtp({ email, token: wrong, type: 'email' });
  if (older === code) await auth.verifyOtp({ email, token: wrong, type: 'email' });
  refused(await auth.verifyOtp({ email, token: code!, type: 'email' }), 401, 'otp_expired');
});

test('shouldCreateUser false mails nobody who is no user, and answers alike', async () => {
  const email = newEmail();
  const { email: known } = await signedIn();
  const options = { shouldCreateUser: false };
  const answers = [
    await client().signInWithOtp({ email, options }),
    await client().signInWithOtp({ email: known, options }),
  ];
  expect(answers[0]).toEqual(answers[1]);
  await project.mailTo(known);
  expect(await service.control.sql('select from mail_outbox where recipient = $1', [email])).toEqual([]);
});

test('resetPasswordForEmail signs a user in who then sets a password, and mails no stranger', async () => {
  const { email } = await signedIn();
  const auth = client();
  expect((await auth.resetPasswordForEmail(email, { redirectTo: 'http://localhost:3000/reset' })).error).toBeNull();
  const stranger = newEmail();
  expect((await auth.resetPasswordForEmail(stranger)).error).toBeNull();
  const { token } = await project.mailTo(email);
  const { data, error } = await auth.verifyOtp({ token_hash: token!, type: 'recovery' });
  expect(error).toBeNull();
  expect(auth.events).toContain('PASSWORD_RECOVERY');
  expect(data.user!.email_confirmed_at).toEqual(expect.any(String));
  expect((await auth.updateUser({ password: 'another one' })).error).toBeNull();
  expect((await client().signInWithPassword({ email, password: 'another one' })).error).toBeNull();
  expect(await service.control.sql('select from mail_outbox where recipient = $1', [stranger])).toEqual([]);
});

test('exchangeCodeForSession reaches the grant of social sign-in, and refuses a code that is none', async () => {
  const auth = client({ flowType: 'pkce' });
  const { data } = await auth.signInWithOAuth({
    provider: 'google',
    options: { skipBrowserRedirect: true, redirectTo: 'http://localhost:3000/' },
  });
  const url = new URL(data.url!);
  expect([url.pathname, url.searchParams.get('code_challenge_method')]).toEqual(['/auth/v1/authorize', 's256']);
  seen.length = 0;
  const { error } = await auth.exchangeCodeForSession('no-code');
  expect(error).toBeInstanceOf(AuthApiError);
  expect(error).toMatchObject({ status: 401 });
  expect(seen).toEqual([{ path: '/auth/v1/token', status: 401 }]);
});

test('what a project does not offer is refused by name, never by a crash', async () => {
  const { auth } = await signedIn();
  refused(await auth.signInAnonymously(), 400, 'validation_failed');
  refused(await auth.signUp({ phone: '+4912345', password }), 400, 'validation_failed');
  refused(await auth.signInWithPassword({ phone: '+4912345', password }), 400, 'validation_failed');
  refused(await auth.signInWithOtp({ phone: '+4912345' }), 400, 'validation_failed');
  refused(await auth.verifyOtp({ phone: '+4912345', token: '123456', type: 'sms' }), 400, 'validation_failed');
  refused(await auth.signInWithIdToken({ provider: 'google', token: 'x' }), 400, 'validation_failed');
  refused(await auth.signInWithSSO({ domain: 'example.com' }), 404, 'route_not_found');
  refused(await auth.mfa.enroll({ factorType: 'totp' }), 404, 'route_not_found');
  refused(await auth.mfa.challenge({ factorId: crypto.randomUUID() }), 404, 'route_not_found');
  refused(await auth.mfa.unenroll({ factorId: crypto.randomUUID() }), 404, 'route_not_found');
  expect((await auth.mfa.listFactors()).data).toMatchObject({ all: [], totp: [], phone: [] });
  refused(await auth.passkey.startRegistration(), 404, 'route_not_found');
  refused(await auth.passkey.startAuthentication(), 404, 'route_not_found');
  refused(await auth.oauth.getAuthorizationDetails(crypto.randomUUID()), 404, 'route_not_found');
  refused(await auth.signInWithWeb3({ chain: 'ethereum', message: 'x', signature: '0x00' }), 400, 'validation_failed');
  const level = await auth.mfa.getAuthenticatorAssuranceLevel();
  expect(level.data).toMatchObject({ currentLevel: 'aal1', nextLevel: 'aal1' });
});

test('admin calls make, list, find, invite and delete users with the service key', async () => {
  const { admin } = client({ key: project.serviceKey });
  const email = newEmail();
  const made = await admin.createUser({ email, password, email_confirm: true, user_metadata: { plan: 'free' } });
  expect(made).toMatchObject({ error: null, data: { user: { email } } });
  const { id } = made.data.user!;
  const found = await admin.getUserById(id);
  expect(found.data.user).toMatchObject({ id, email, user_metadata: { plan: 'free' } });
  expect(found.data.user!.email_confirmed_at).toEqual(expect.any(String));
  const newest = await admin.listUsers({ page: 1, perPage: 1 });
  expect(newest.data.users.map((user) => user.id)).toEqual([id]);
  const next = await admin.listUsers({ page: 2, perPage: 1 });
  expect([next.data.users.length, next.data.users[0]!.id === id]).toEqual([1, false]);
  expect((await admin.listUsers()).data.users.length).toBeGreaterThan(2);

  const bare = await admin.createUser({ email: newEmail() });
  expect(bare.error).toBeNull();
  const invited = newEmail();
  expect((await admin.inviteUserByEmail(invited, { redirectTo: 'http://localhost:3000/' })).data.user).toMatchObject({
    email: invited,
  });
  const { token, subject } = await project.mailTo(invited);
  expect(subject).toMatch(/^You are invited/);
  expect((await client().verifyOtp({ token_hash: token!, type: 'invite' })).data.user).toMatchObject({
    email: invited,
  });

  const app = client();
  const session = (await app.signInWithPassword({ email, password })).data.session!;
  await app.signInWithOtp({ email });
  const { code } = await project.mailTo(email);
  expect((await admin.deleteUser(id)).error).toBeNull();
  expect(isAuthSessionMissingError((await app.getUser()).error)).toBe(true);
  refused(await client().signInWithPassword({ email, password }), 401, 'invalid_credentials');
  refused(await client().refreshSession({ refresh_token: session.refresh_token }), 401, 'refresh_token_not_found');
  // A mail of before does not bring the user back.
  refused(await client().verifyOtp({ email, token: code!, type: 'email' }), 401, 'otp_expired');
  refused(await admin.getUserById(id), 404, 'resource_not_found');
  refused(await admin.deleteUser(id), 404, 'resource_not_found');
  refused(await admin.createUser({ email: invited, password }), 409, 'user_already_exists');
});

test('admin calls that are not offered are refused, and none is open to the anon key or to a user', async () => {
  const { admin } = client({ key: project.serviceKey });
  const { auth, email, session, user } = await signedIn();
  refused(await admin.generateLink({ type: 'magiclink', email }), 404, 'route_not_found');
  refused(await admin.updateUserById(user.id, { password: 'another one' }), 405, 'method_not_allowed');
  refused(await admin.oauth.listClients(), 404, 'route_not_found');
  refused(await admin.customProviders.listProviders(), 404, 'route_not_found');
  refused(await admin.passkey.listPasskeys({ userId: user.id }), 404, 'route_not_found');
  const factors = await admin.mfa.listFactors({ userId: user.id });
  refused(factors, 404, 'route_not_found');
  for (const one of [auth.admin, client({ key: session.access_token }).admin]) {
    refused(await one.listUsers(), 403, 'forbidden');
    refused(await one.getUserById(user.id), 403, 'forbidden');
    for (const answer of [
      await one.deleteUser(user.id),
      await one.createUser({ email: newEmail() }),
      await one.createUser({ email: newEmail(), password, email_confirm: true }),
      await one.inviteUserByEmail(newEmail(), { redirectTo: 'http://localhost/' }),
    ])
      expect([401, 403]).toContain((answer.error as AuthApiError).status);
  }
  expect((await admin.signOut(session.access_token, 'global')).error).toBeNull();
  expect(isAuthSessionMissingError((await auth.getUser()).error)).toBe(true);
});

test('a browser may send every header that the client sends', async () => {
  const preflight = await fetch(`${service.url}/auth/v1/token`, { method: 'OPTIONS' });
  const allowed = preflight.headers.get('access-control-allow-headers')!.split(', ');
  expect(headersSent.size).toBeGreaterThan(3);
  expect([...headersSent].filter((name) => !allowed.includes(name))).toEqual([]);
});
