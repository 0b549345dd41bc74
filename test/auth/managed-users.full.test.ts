import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import type { Actor } from '../helpers/actors.ts';
import { documentedCalls, expectRefusal } from '../helpers/documented.ts';
import { startService } from '../helpers/service.ts';
import { authProject, expectNoSecretLogged, newEmail } from './auth-project.ts';

const service = await startService();
const project = await authProject(service);
afterAll(async () => {
  await project.end();
  await service.stop();
});

const call = documentedCalls(service);
const { actors } = service;
const { projectId, orgId } = project;
const users = `/projects/v1/admin/${projectId}/users`;
const member = async (role: string, org = orgId) => {
  const wallet = actors.wallet();
  const { body } = await service.call<{ principal: { id: string } }>(wallet, 'GET', '/agent/v1/whoami');
  await actors.member(org, body.principal.id, role);
  return wallet;
};
const developer = await member('developer');
const list = (search = '', actor: Actor = developer) => call(actor, 'GET', `${users}${search}`);
const change = (id: string, body: object, actor: Actor = developer) => call(actor, 'PATCH', `${users}/${id}`, { body });
const emails = async (search: string) => (await list(search)).body.users.map((user: { email: string }) => user.email);

test('a developer lists the users without the service key, newest first, and pages through all of them once', async () => {
  const made: string[] = [];
  for (let index = 0; index < 7; index += 1) made.unshift((await project.user()).id);
  const first = await list('?limit=3');
  expect([first.status, first.body.has_more]).toEqual([200, true]);
  const found: string[] = [];
  for (let page = first; ; page = await list(`?limit=3&after=${encodeURIComponent(page.body.next_cursor)}`)) {
    found.push(...page.body.users.map(({ id }: { id: string }) => id));
    if (!page.body.has_more) break;
  }
  expect(found.slice(0, 7)).toEqual(made);
  expect(new Set(found).size).toBe(found.length);
  expectRefusal(await list('?after=none'), 'INVALID_CURSOR');
  // A cursor is good for the filters that it was given for.
  expectRefusal(await list(`?is_admin=true&after=${encodeURIComponent(first.body.next_cursor)}`), 'INVALID_CURSOR');
});

test('users who were made in the same moment are listed once each', async () => {
  const mark = `same-${randomUUID()}`;
  await project.sql(`insert into auth.users (email, created_at)
    select '${mark}-' || n || '@example.com', '2020-01-01 00:00:00.123456Z' from generate_series(1, 9) n`);
  const found: string[] = [];
  for (let after = ''; ; ) {
    const { body } = await list(`?limit=2&query=${mark}${after}`);
    found.push(...body.users.map(({ email }: { email: string }) => email));
    if (!body.has_more) break;
    after = `&after=${encodeURIComponent(body.next_cursor)}`;
  }
  expect(found).toHaveLength(9);
  expect(new Set(found).size).toBe(9);
});

test.each([
  ['the beginning of an address', (user: { email: string }) => user.email.slice(0, 12)],
  ['an address in capitals, with blanks', (user: { email: string }) => `%20${user.email.toUpperCase()}`],
  ['an id', (user: { id: string }) => user.id],
  ['the beginning of an id, past its first hyphen', (user: { id: string }) => user.id.slice(0, 11)],
])('a user is found by %s', async (_by, textOf) => {
  const user = await project.user();
  await project.user();
  expect(await emails(`?query=${textOf(user)}`)).toEqual([user.email]);
});

test.each(['%', '_', 'a%', "'", '\\', '\u{10ffff}', 'no-one@'])(
  '%j is text that no address begins with',
  async (text) => {
    expect(await emails(`?query=${encodeURIComponent(text)}`)).toEqual([]);
  },
);

test('filters name admins, proven addresses, providers and when users were made', async () => {
  const mark = `filtered-${randomUUID()}`;
  const of = (name: string) => `${mark}-${name}@example.com`;
  await project.sql(`insert into auth.users (email, is_admin, email_verified_at, password_hash, created_at) values
    ('${of('admin')}', true, null, 'x', now()), ('${of('proven')}', false, now(), null, '2019-05-05'),
    ('${of('google')}', false, null, null, now())`);
  await project.sql(`insert into auth.identities (provider, provider_sub, user_id)
    select 'google', '${randomUUID()}', id from auth.users where email = '${of('google')}'`);
  const found = async (search: string) => (await emails(`?query=${mark}&${search}`)).sort();
  expect(await found('is_admin=true')).toEqual([of('admin')]);
  expect(await found('is_admin=false')).toEqual([of('google'), of('proven')]);
  expect(await found('confirmed=true')).toEqual([of('proven')]);
  expect(await found('provider=google')).toEqual([of('google')]);
  expect(await found('provider=email')).toEqual([of('admin'), of('proven')]);
  expect(await found('created_since=2020-01-01T00:00:00Z')).toEqual([of('admin'), of('google')]);
  expect(await emails('?is_admin=true')).toContain(of('admin'));
  expect(await emails('?is_admin=true')).not.toContain(of('proven'));
});

test('a user is read with its sessions, and signed out of one or of all', async () => {
  const user = await project.signedIn();
  const other = (await project.signIn(user.email, user.password)).body;
  const read = async () => (await call(developer, 'GET', `${users}/${user.id}`)).body;
  const { sessions, session_count, ...rest } = await read();
  expect([sessions.length, session_count]).toEqual([2, 2]);
  expect(sessions[1]).toMatchObject({ id: user.sessionId, amr: ['password'], aal: 'aal1' });
  expect(rest).toMatchObject({
    user: { email: user.email, has_password: true, is_admin: false },
    identities: [],
    passkeys: [],
  });
  const end = (body = {}) => call(developer, 'POST', `${users}/${user.id}/end-sessions`, { body });
  expect((await end({ session_id: user.sessionId })).body).toEqual({ ended: 1 });
  expectRefusal(await project.refresh(user.refresh_token), 'INVALID_AUTH');
  expectRefusal(await project.auth('GET', '/auth/v1/user', { bearer: user.access_token }), 'INVALID_AUTH');
  const { body: refreshed } = await project.refresh(other.refresh_token);
  expect((await end()).body).toEqual({ ended: 1 });
  expectRefusal(await project.refresh(refreshed.refresh_token), 'INVALID_AUTH');
  expect((await end()).body).toEqual({ ended: 0 });
  expect((await read()).sessions).toEqual([]);
  const [audited] = await service.control.sql(
    `select details from audit_events where action = 'project.user_sessions_ended' and object_id = $1 order by seq limit 1`,
    [projectId],
  );
  expect(audited).toEqual({ details: { user_id: user.id, session_id: user.sessionId } });
});

test('a session of another user is not ended by the id of this one', async () => {
  const [mine, theirs] = [await project.signedIn(), await project.signedIn()];
  const options = { body: { session_id: theirs.sessionId } };
  expect((await call(developer, 'POST', `${users}/${mine.id}/end-sessions`, options)).body).toEqual({ ended: 0 });
  expect((await project.refresh(theirs.refresh_token)).status).toBe(200);
});

test('a link is mailed that signs the user in; none leads to a stranger', async () => {
  const made = { project_id: projectId, email: newEmail() };
  const { body: user } = await call(developer, 'POST', '/auth/v1/admin/users', { body: made });
  const send = (body: object) => call(developer, 'POST', `${users}/${user.id}/send-link`, { body });
  const redirect_url = 'http://localhost:3000/in';
  expect((await send({ redirect_url })).body).toEqual({ status: 'ok', email: user.email, intent: 'signin' });
  const { token, subject } = await project.mailTo(user.email);
  expect(subject).toMatch(/^Sign in to /);
  const { body } = await project.auth('POST', '/auth/v1/token?grant_type=magic_link', { body: { token } });
  expect(body.user.email).toBe(user.email);
  await send({ redirect_url, intent: 'recovery' });
  expect((await project.mailTo(user.email, 2)).subject).toMatch(/^Recover /);
  expectRefusal(await send({ redirect_url: 'https://evil.example/' }), 'VALIDATION_FAILED', { field: 'redirect_url' });
  expectRefusal(await send({ redirect_url, intent: 'claim' }), 'VALIDATION_FAILED', { field: 'intent' });
  const answers = await Promise.all(Array.from({ length: 8 }, () => send({ redirect_url })));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 429, 429, 429, 429, 429]);
});

test('one key of idempotency mails one link', async () => {
  const user = await project.user();
  const options = { body: { redirect_url: 'http://localhost/' }, headers: { 'idempotency-key': randomUUID() } };
  for (let time = 0; time < 3; time += 1)
    expect((await call(developer, 'POST', `${users}/${user.id}/send-link`, options)).status).toBe(200);
  await project.mailTo(user.email, 1);
});

test('another address is unproven, ends sessions, and is refused where another user has it', async () => {
  const user = await project.signedIn();
  const other = await project.user();
  const email = newEmail();
  expectRefusal(await change(user.id, { email: other.email.toUpperCase() }), 'EMAIL_ALREADY_REGISTERED');
  expect((await project.refresh(user.refresh_token)).status).toBe(200);
  expect((await change(user.id, { email_confirm: true })).body.email_verified_at).toEqual(expect.any(String));
  const changed = await change(user.id, { email: email.toUpperCase() });
  expect(changed.body).toMatchObject({ id: user.id, email, email_verified_at: null });
  expectRefusal(await project.auth('GET', '/auth/v1/user', { bearer: user.access_token }), 'INVALID_AUTH');
  expect((await project.signIn(email, user.password)).status).toBe(200);
  const confirmed = await change(user.id, { email: newEmail(), email_confirm: true, display_name: 'مريم' });
  expect(confirmed.body).toMatchObject({ email_verified_at: expect.any(String), display_name: 'مريم' });
  expect((await change(user.id, { email_confirm: false, display_name: null })).body).toMatchObject({
    email_verified_at: null,
    display_name: null,
  });
  const race = newEmail();
  const answers = await Promise.all([user.id, other.id].map((id) => change(id, { email: race })));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
});

test('a link to the old address is good for nothing once the address is another', async () => {
  const user = await project.user();
  await call(developer, 'POST', `${users}/${user.id}/send-link`, { body: { redirect_url: 'http://localhost/' } });
  const { token } = await project.mailTo(user.email);
  await change(user.id, { email: newEmail() });
  expectRefusal(
    await project.auth('POST', '/auth/v1/token?grant_type=magic_link', { body: { token } }),
    'INVALID_AUTH',
  );
});

test('metadata is merged, null takes a member away, and too much is refused whole', async () => {
  const user = await project.user();
  const kept = async () => (await call(developer, 'GET', `${users}/${user.id}`)).body.user_metadata;
  await change(user.id, { data: { plan: 'free', seats: 3 } });
  await change(user.id, { data: { plan: null, theme: 'dark' } });
  expect(await kept()).toEqual({ seats: 3, theme: 'dark' });
  expectRefusal(await change(user.id, { data: { big: 'x'.repeat(17_000) } }), 'VALIDATION_FAILED', { field: 'data' });
  for (const name of ['a', 'b']) await change(user.id, { data: { [name]: 'x'.repeat(14_000) } });
  expectRefusal(await change(user.id, { display_name: 'Zoe', data: { c: 'x'.repeat(14_000) } }), 'VALIDATION_FAILED', {
    field: 'data',
  });
  expect((await call(developer, 'GET', `${users}/${user.id}`)).body.user.display_name).toBeNull();
});

test('an absent user and one of another project are refused alike', async () => {
  const theirs = await authProject(service);
  const { id } = await theirs.user();
  await theirs.end();
  for (const [method, path, body] of [
    ['GET', '', undefined],
    ['PATCH', '', { display_name: 'Eve' }],
    ['POST', '/end-sessions', {}],
    ['POST', '/send-link', { redirect_url: 'http://localhost/' }],
  ] as const) {
    const told = async (user: string) => {
      const answer = await call(developer, method, `${users}/${user}${path}`, body === undefined ? {} : { body });
      expectRefusal(answer, 'RESOURCE_NOT_FOUND');
      const { trace_id: _own, ...rest } = answer.body;
      return rest;
    };
    expect(await told(id)).toEqual(await told(randomUUID()));
    expect(await told('none')).toEqual(await told(randomUUID()));
  }
});

test('a change that is refused leaves no row in the audit trail', async () => {
  const [user, other] = [await project.user(), await project.user()];
  const rows = () =>
    service.control.sql(
      `select action from audit_events where object_id = $1 and action like 'project.user_%' order by seq`,
      [projectId],
    );
  const before = await rows();
  const refused = await Promise.all([
    change(randomUUID(), { display_name: 'Eve' }),
    change('none', { display_name: 'Eve' }),
    change(user.id, { email: other.email }),
    change(user.id, { data: { big: 'x'.repeat(15_000), bigger: 'x'.repeat(1_000) } }),
    call(developer, 'POST', `${users}/${randomUUID()}/end-sessions`, { body: {} }),
  ]);
  expect(refused.map(({ status }) => status)).toEqual([404, 404, 409, 200, 404]);
  const full = { data: { more: 'x'.repeat(16_000), most: 'x'.repeat(10) } };
  const kept = await change(user.id, full);
  expectRefusal(await change(user.id, { data: { last: 'x'.repeat(2_000) } }), 'VALIDATION_FAILED', { field: 'data' });
  expect(kept.status).toBe(200);
  expect((await rows()).slice(before.length)).toEqual(
    Array.from({ length: 2 }, () => ({ action: 'project.user_updated' })),
  );
});

test('users of a project are for members who manage them, and for nobody else', async () => {
  const user = await project.signedIn();
  const { orgId: strange, wallet: stranger } = await service.project();
  const delegate = await actors.delegate({ orgId, projectId, capabilities: ['read', 'write', 'deploy'] });
  const wrong: readonly (readonly [string, Actor])[] = [
    ['an owner elsewhere', stranger],
    ['a developer elsewhere', await member('developer', strange)],
    ['a viewer', await member('viewer')],
    ['a member for bills', await member('billing')],
    ['a delegate', delegate],
    ['the anon key', project.anon],
    ['a token of a user', actors.bearer(user.access_token)],
    [
      'a user with the anon key',
      { headers: async () => ({ apikey: project.anonKey, authorization: `Bearer ${user.access_token}` }) },
    ],
    ['nobody', actors.nobody],
  ];
  const { body: foreign } = await call(stranger, 'GET', '/projects/v1/admin/prj_none/users');
  for (const [name, actor] of wrong) {
    const answers = await Promise.all([
      list('', actor),
      call(actor, 'GET', `${users}/${user.id}`),
      change(user.id, { display_name: name }, actor),
      call(actor, 'POST', `${users}/${user.id}/end-sessions`, { body: {} }),
      call(actor, 'POST', `${users}/${user.id}/send-link`, { body: { redirect_url: 'http://localhost/' } }),
    ]);
    expect([name, answers.map(({ status }) => status).filter((status) => status !== 401 && status !== 403)]).toEqual([
      name,
      [],
    ]);
    expect(JSON.stringify(answers.map(({ body }) => body))).not.toContain(user.email);
    if (actor === stranger) expect(answers[0].body.code).toBe(foreign.code);
  }
  expect((await project.refresh(user.refresh_token)).status).toBe(200);
  expect((await call(developer, 'GET', `${users}/${user.id}`)).body.user.display_name).toBeNull();
  expect((await list('', project.service)).status).toBe(200);
});

test('the graph pages through users and reads one', async () => {
  const user = await project.signedIn();
  const { data } = await service.graphql(
    developer,
    `query ($project: ID!, $user: String!) {
      project(id: $project) { users(first: 2, query: $user) { edges { node { userId email createdAt } } pageInfo { hasNextPage } } }
      projectUser(project: $project, userId: $user) { user { email lastSignInAt } sessions { sessionId amr hardExpiresAt passkeyId } sessionCount }
    }`,
    { project: projectId, user: user.id },
  );
  expect(data).toMatchObject({
    project: { users: { edges: [{ node: { userId: user.id, email: user.email } }], pageInfo: { hasNextPage: false } } },
    projectUser: {
      user: { email: user.email },
      sessions: [{ sessionId: user.sessionId, hardExpiresAt: expect.any(String), passkeyId: null }],
      sessionCount: 1,
    },
  });
});

test('nothing that signs a user in is told or logged', async () => {
  const user = await project.signedIn();
  const { text } = await call(developer, 'GET', `${users}/${user.id}`);
  expect(text).not.toMatch(/argon2|svcr_|secret_hash|password_hash|token_hash/);
  expectNoSecretLogged(service);
});
