import { afterAll, expect, test } from 'vitest';
import { documentedCalls, expectRefusal } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { authProject, newEmail } from './auth-project.ts';

const service = await sharedService();
const project = await authProject(service);
afterAll(async () => {
  await project.end();
  await service.stop();
});

const call = documentedCalls(service);
const { serviceKey, anonKey, projectId } = project;
const asKey = service.actors.apikey(serviceKey);
const users = (body: object, actor = asKey) => call(actor, 'POST', '/auth/v1/admin/users', { body });
const patch = (body: object, actor = asKey) => call(actor, 'PATCH', '/auth/v1/settings', { body });
const defaults = {
  allow_password_set: false,
  preferred_sign_in_method: null,
  public_signup: 'open',
  require_passkey_for_project_admin: false,
  allowed_email_domains: [],
  allowed_redirect_urls: [],
};

test('the service key makes a user once, and changes one that is there', async () => {
  const email = newEmail();
  const made = await users({ email: email.toUpperCase() });
  const user = { id: expect.any(String), email, is_admin: false, email_verified_at: null };
  expect([made.status, made.body]).toEqual([201, { ...user, created: true, invite_sent: false }]);
  const changed = await users({ email, is_admin: true });
  expect([changed.status, changed.body]).toEqual([
    200,
    { ...user, is_admin: true, created: false, invite_sent: false },
  ]);
  // What is not said stays.
  expect((await users({ email })).body.is_admin).toBe(true);
  const [row] = await project.sql<{ authz_version: number }>(
    `select authz_version from auth.users where email = '${email}'`,
  );
  expect(row!.authz_version).toBe(2);
  const race = newEmail();
  const answers = await Promise.all(Array.from({ length: 20 }, () => users({ email: race })));
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array.from({ length: 19 }, () => 200), 201]);
});

test('the service key and who manages the project make a user with a password, and nobody else does', async () => {
  const given = () => ({ email: newEmail(), password: 'secret one', email_confirm: true, data: { plan: 'free' } });
  const first = given();
  expectRefusal(await users(first, service.actors.apikey(anonKey)), 'FORBIDDEN');
  expect(await project.sql(`select from auth.users where email = '${first.email}'`)).toEqual([]);
  const options = { body: first, headers: { 'idempotency-key': first.email } };
  const made = await call(asKey, 'POST', '/auth/v1/admin/users', options);
  expect([made.status, made.body]).toMatchObject([201, { created: true, email_verified_at: expect.any(String) }]);
  expect((await call(asKey, 'POST', '/auth/v1/admin/users', options)).text).toBe(made.text);
  const other = { ...options, body: { ...first, password: 'secret two' } };
  expectRefusal(await call(asKey, 'POST', '/auth/v1/admin/users', other), 'IDEMPOTENCY_KEY_REUSED');
  expect((await project.signIn(first.email, first.password)).body.user.user_metadata).toEqual({ plan: 'free' });
  // Of a user who is there no password is set.
  expectRefusal(await users({ ...first, password: 'another one' }), 'EMAIL_ALREADY_REGISTERED');
  expect((await project.signIn(first.email, first.password)).status).toBe(200);
  expectRefusal(await users({ ...given(), password: 'short' }), 'VALIDATION_FAILED', { field: 'password' });
  const graph = given();
  const answer = await service.graphql(
    asKey,
    `mutation ($project: ID!, $email: String!, $password: String!) {
      createProjectUser(input: { project: $project, email: $email, password: $password }) { created } }`,
    { project: projectId, email: graph.email, password: graph.password },
  );
  expect(answer).toEqual({ data: { createProjectUser: { created: true } } });
  expect((await project.signIn(graph.email, graph.password)).status).toBe(200);
  const race = newEmail();
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => users({ email: race, password: `secret ${index}` })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 19 }, () => 409)]);
  const kept = await service.control.sql('select ref::text, null as digest from step_operations');
  expect(JSON.stringify(kept)).not.toMatch(/secret one|argon2id/);
});

test('passwords of many users that are made at once hold no transaction while they are hashed', async () => {
  let made: readonly number[] | undefined;
  const all = Array.from({ length: 24 }, (_, index) => users({ email: newEmail(), password: `secret ${index}` }));
  const making = Promise.all(all).then((answers) => {
    made = answers.map(({ status }) => status);
  });
  let held = 0;
  while (made === undefined) {
    const [seen] = await service.control.sql<{ held: number }>(
      `select count(*)::int as held from pg_stat_activity
       where datname = current_database() and application_name = 'svc-gateway' and state = 'idle in transaction'`,
    );
    held = Math.max(held, seen!.held);
  }
  await making;
  expect(new Set(made)).toEqual(new Set([201]));
  // The pool has twenty connections; a few are at work for a moment.
  expect(held).toBeLessThan(10);
});

test('whom the service key invites by a mail alone comes in, whatever the policy for strangers is', async () => {
  const [invited, stranger] = [newEmail(), newEmail()];
  await patch({ public_signup: 'invite_only' });
  const mail = { redirect_url: 'http://localhost:3000/' };
  await project.auth('POST', '/auth/v1/magic-link', {
    key: serviceKey,
    body: { ...mail, email: stranger, intent: 'signin' },
  });
  await project.auth('POST', '/auth/v1/magic-link', {
    key: serviceKey,
    body: { ...mail, email: invited, intent: 'invite' },
  });
  const { token } = await project.mailTo(invited);
  const { body } = await project.auth('POST', '/auth/v1/token?grant_type=magic_link', { body: { token } });
  expect(body.user.email).toBe(invited);
  expect(await project.sql(`select from auth.users where email = '${stranger}'`)).toEqual([]);
  await patch({ public_signup: 'open' });
});

test('an invitation is mailed with a link that signs in, where nobody signs up alone', async () => {
  const email = newEmail();
  await patch({ public_signup: 'invite_only' });
  const given = { email, send_invite: true, client_state: { from: 'console' } };
  expectRefusal(await users(given), 'VALIDATION_FAILED', { field: 'redirect_url' });
  expectRefusal(await users({ ...given, redirect_url: 'https://evil.example' }), 'VALIDATION_FAILED', {
    field: 'redirect_url',
  });
  const invited = await users({ ...given, redirect_url: 'http://localhost:3000/' });
  expect([invited.status, invited.body.invite_sent]).toEqual([201, true]);
  const { token } = await project.mailTo(email);
  const { body } = await project.auth('POST', '/auth/v1/token?grant_type=magic_link', { body: { token } });
  expect(body.magic_link).toMatchObject({ intent: 'invite', client_state: '{"from":"console"}', state_trusted: true });
  await patch({ public_signup: 'open' });
});

test('an invitation under one idempotency key is mailed once', async () => {
  const email = newEmail();
  const options = {
    body: { email, send_invite: true, redirect_url: 'http://localhost/' },
    headers: { 'idempotency-key': email },
  };
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => call(asKey, 'POST', '/auth/v1/admin/users', options)),
  );
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  await project.mailTo(email);
});

test('settings begin as documented, are changed one by one, and domains are put in order', async () => {
  const fresh = await authProject(service);
  const key = service.actors.apikey(fresh.serviceKey);
  expect((await call(key, 'GET', '/auth/v1/settings')).body).toEqual(defaults);
  const domains = ['Example.com', ' @example.com ', 'b.example'];
  const set = await patch({ allow_password_set: true, allowed_email_domains: domains }, key);
  const expected = { ...defaults, allow_password_set: true, allowed_email_domains: ['example.com', 'b.example'] };
  expect([set.status, set.body]).toEqual([200, expected]);
  expect((await patch({}, key)).body).toEqual(expected);
  const preferred = await patch({ preferred_sign_in_method: 'magic_link', allowed_email_domains: [] }, key);
  expect(preferred.body).toEqual({ ...expected, preferred_sign_in_method: 'magic_link', allowed_email_domains: [] });
  expect((await patch({ preferred_sign_in_method: null }, key)).body.preferred_sign_in_method).toBeNull();
  const told = await fresh.auth('GET', '/auth/v1/providers');
  expect(told.body).toMatchObject({
    password: { enabled: true },
    password_set: { enabled: true },
    magic_link: { enabled: true, delivery_modes: ['link', 'code', 'both'] },
    oauth: [{ provider: 'google', display_name: 'Google' }],
    settings: { public_signup: 'open', allow_password_set: true },
  });
  await fresh.end();
});

test.each([
  [{ bananas: true }, 'bananas'],
  [{ public_signup: 'closed' }, 'public_signup'],
  [{ allow_password_set: 'yes' }, 'allow_password_set'],
  [{ preferred_sign_in_method: 'sms' }, 'preferred_sign_in_method'],
  [{ allowed_email_domains: ['no domain'] }, 'allowed_email_domains.0'],
  [{ allowed_email_domains: 'example.com' }, 'allowed_email_domains'],
])('settings refuse %o by name', async (body, field) => {
  expectRefusal(await patch(body), 'VALIDATION_FAILED', { field });
});

test('the service key counts beside the anon key too, and the anon key alone does not', async () => {
  const headers = { apikey: anonKey, authorization: `Bearer ${serviceKey}` };
  expect((await call(service.actors.nobody, 'GET', '/auth/v1/settings', { headers })).status).toBe(200);
  for (const key of [service.actors.apikey(anonKey), service.actors.bearer(anonKey)]) {
    expectRefusal(await call(key, 'GET', '/auth/v1/settings'), 'FORBIDDEN');
    expectRefusal(await patch({}, key), 'FORBIDDEN');
    expectRefusal(await users({ email: newEmail() }, key), 'FORBIDDEN');
  }
});

test('a passkey is demanded of admins only when one of them has one', async () => {
  await users({ email: newEmail(), is_admin: true });
  expectRefusal(await patch({ require_passkey_for_project_admin: true }), 'ADMINS_WITHOUT_PASSKEY');
  await project.sql(`insert into auth.passkeys (user_id, credential_id, public_key, rp_id, created_origin)
    select id, 'x', 'y', 'localhost', 'http://localhost' from auth.users where is_admin limit 1`);
  expect((await patch({ require_passkey_for_project_admin: true })).status).toBe(200);
});

test('over the graph a refused redirect says the same, and the list is changed and read', async () => {
  const invite = () =>
    service.graphql(
      asKey,
      `mutation ($project: ID!, $email: String!) {
        createProjectUser(input: { project: $project, email: $email, sendInvite: true, redirectUrl: "https://app.example.com/in" }) { inviteSent }
      }`,
      { project: projectId, email: newEmail() },
    );
  const command = `svc auth settings --project ${projectId} --add-redirect-url https://app.example.com/in`;
  expect(JSON.stringify((await invite()).errors)).toContain(command);
  const change = (input: object) =>
    service.graphql(
      asKey,
      'mutation ($input: ChangeAuthSettingsInput!) { changeAuthSettings(input: $input) { allowedRedirectUrls } }',
      { input: { project: projectId, ...input } },
    );
  const listOf = (allowedRedirectUrls: string[]) => ({ data: { changeAuthSettings: { allowedRedirectUrls } } });
  expect(await change({ addRedirectUrls: ['https://APP.example.com/'] })).toEqual(listOf(['https://app.example.com']));
  expect(await invite()).toEqual({ data: { createProjectUser: { inviteSent: true } } });
  expect(await change({ removeRedirectUrls: ['https://app.example.com'] })).toEqual(listOf([]));
});

test('the graph manages users and settings the same way', async () => {
  const email = newEmail();
  const answer = await service.graphql(
    asKey,
    `mutation ($project: ID!, $email: String!) {
      made: createProjectUser(input: { project: $project, email: $email }) { created inviteSent user { email isAdmin emailVerifiedAt } }
      up: promoteProjectUser(input: { project: $project, email: $email }) { isAdmin }
      down: demoteProjectUser(input: { project: $project, email: $email }) { isAdmin }
      set: changeAuthSettings(input: { project: $project, publicSignup: KNOWN_EMAIL, preferredSignInMethod: PASSKEY }) { publicSignup preferredSignInMethod }
    }`,
    { project: projectId, email },
  );
  expect(answer).toEqual({
    data: {
      made: { created: true, inviteSent: false, user: { email, isAdmin: false, emailVerifiedAt: null } },
      up: { isAdmin: true },
      down: { isAdmin: false },
      set: { publicSignup: 'KNOWN_EMAIL', preferredSignInMethod: 'PASSKEY' },
    },
  });
  const read = await service.graphql(
    asKey,
    `{ project(id: "${projectId}") { authSettings { publicSignup allowPasswordSet } } }`,
  );
  expect(read).toEqual({
    data: { project: { authSettings: { publicSignup: 'KNOWN_EMAIL', allowPasswordSet: false } } },
  });
});
