import { randomUUID } from 'node:crypto';
import { AuthApiError, GoTrueClient } from '@supabase/auth-js';
import { afterAll, expect, test } from 'vitest';
import { expectRefusal } from '../helpers/documented.ts';
import { browse, oidcClient, startOidcServer } from '../helpers/oidc-server.ts';
import { startService } from '../helpers/service.ts';
import { authProject, claimsOf, expectNoSecretLogged, newEmail } from './auth-project.ts';
import { challengeOf, verifierOf } from './social-app.ts';

/** The published client signs in by a real OpenID Connect server, in its PKCE flow. */

const oidc = await startOidcServer();
const configured = [{ id: 'acme', issuer: oidc.issuer, ...oidcClient, display_name: 'Acme' }];
const service = await startService({ env: { OIDC_PROVIDERS: JSON.stringify(configured) } });
await oidc.serve([`${service.url}/auth/v1/oauth/acme/callback`]);
const project = await authProject(service);
afterAll(async () => {
  await project.signedIn();
  expectNoSecretLogged(service);
  await project.end();
  await service.stop();
  await oidc.stop();
});

const back = 'http://localhost:5173/back';
// biome-ignore lint/suspicious/noExplicitAny: the client knows the providers of its vendor by name.
const provider = 'acme' as any;

function client() {
  const kept = new Map<string, string>();
  return new GoTrueClient({
    url: `${service.url}/auth/v1`,
    headers: { apikey: project.anonKey },
    storageKey: randomUUID(),
    autoRefreshToken: false,
    detectSessionInUrl: false,
    flowType: 'pkce',
    storage: {
      getItem: (name) => kept.get(name) ?? null,
      setItem: (name, value) => void kept.set(name, value),
      removeItem: (name) => void kept.delete(name),
    },
  });
}

/** Somebody new with an account at the provider. */
function account() {
  const sub = randomUUID();
  const person = { email: newEmail(), email_verified: true, name: 'Ada', picture: 'https://pics.example/ada' };
  oidc.accounts.set(sub, person);
  return { sub, ...person };
}

/** What a browser does that is sent to an address: it ends where the application gets its code. */
async function follow(address: string): Promise<string> {
  const begun = await fetch(address, { redirect: 'manual' });
  expect(begun.status).toBe(302);
  return arrive(begun.headers.get('location')!);
}
async function arrive(authorizationUrl: string): Promise<string> {
  const response = await fetch(await browse(authorizationUrl), { redirect: 'manual' });
  const url = new URL(response.headers.get('location')!);
  expect(url.origin + url.pathname).toBe(back);
  return new URLSearchParams(url.hash.slice(1)).get('code')!;
}

test('signInWithOAuth and exchangeCodeForSession sign in, once for each code', async () => {
  const { sub, email } = account();
  const auth = client();
  const { data } = await auth.signInWithOAuth({
    provider,
    options: {
      redirectTo: back,
      skipBrowserRedirect: true,
      queryParams: { apikey: project.anonKey, login_hint: sub },
    },
  });
  const code = await follow(data.url!);
  const signed = await auth.exchangeCodeForSession(code);
  expect(signed.error).toBeNull();
  expect(signed.data.user).toMatchObject({
    email,
    app_metadata: { provider: 'acme', providers: ['acme'] },
    user_metadata: { name: 'Ada', avatar_url: 'https://pics.example/ada' },
  });
  expect(claimsOf(signed.data.session!.access_token).amr).toEqual(['oauth']);
  expect((await auth.getUser()).data.user!.email).toBe(email);
  const again = await project.auth('POST', '/auth/v1/token?grant_type=pkce', {
    body: { auth_code: code, code_verifier: verifierOf() },
  });
  expectRefusal(again, 'INVALID_AUTH');
});

test('linkIdentity links a social account to the user, getUserIdentities shows it, and unlinkIdentity takes it away', async () => {
  const { sub } = account();
  const email = newEmail();
  const auth = client();
  await auth.signUp({ email, password: 'correct horse' });
  await auth.signInWithPassword({ email, password: 'correct horse' });
  const { data, error } = await auth.linkIdentity({
    provider,
    options: { redirectTo: back, queryParams: { login_hint: sub } },
  });
  expect(error).toBeNull();
  const linked = await auth.exchangeCodeForSession(await arrive(data!.url!));
  expect(linked.data.user!.email).toBe(email);
  const [identity, ...more] = (await auth.getUserIdentities()).data!.identities;
  expect([identity, more]).toMatchObject([{ provider: 'acme', identity_id: `acme:${sub}` }, []]);
  expect((await auth.unlinkIdentity(identity!)).error).toBeNull();
  expect((await auth.getUserIdentities()).data!.identities).toEqual([]);
});

test('an address to sign in by holds the anon key and PKCE, or leads nowhere', async () => {
  const right = {
    provider: 'acme',
    redirect_to: back,
    code_challenge: challengeOf(verifierOf()),
    code_challenge_method: 's256',
    apikey: project.anonKey,
  };
  const go = async (given: object) => {
    const search = new URLSearchParams({ ...right, ...given }).toString();
    return service.call(service.actors.nobody, 'GET', `/auth/v1/authorize?${search}`);
  };
  expectRefusal(await go({ apikey: project.serviceKey }), 'FORBIDDEN');
  expectRefusal(await go({ apikey: 'x' }), 'INVALID_AUTH');
  expectRefusal(await go({ redirect_to: 'https://evil.example/' }), 'VALIDATION_FAILED', { field: 'redirect_url' });
  expectRefusal(await go({ redirect_to: '' }), 'VALIDATION_FAILED', { field: 'redirect_url' });
  expectRefusal(await go({ code_challenge: '' }), 'VALIDATION_FAILED', { field: 'code_challenge' });
  expectRefusal(await go({ code_challenge_method: 'plain' }), 'VALIDATION_FAILED', { field: 'code_challenge_method' });
  expectRefusal(await go({ provider: 'nobody' }), 'VALIDATION_FAILED', { field: 'provider' });
  const { apikey: _key, ...keyless } = right;
  const search = new URLSearchParams(keyless).toString();
  const bare = await service.call(service.actors.nobody, 'GET', `/auth/v1/authorize?${search}`);
  expectRefusal(bare, 'AUTH_REQUIRED');
  const auth = client();
  const signedOut = await auth.linkIdentity({ provider, options: { redirectTo: back } });
  expect(signedOut.error).toBeInstanceOf(AuthApiError);
  expect(signedOut.error).toMatchObject({ status: 401, code: 'no_authorization' });
});
