import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { findProjectTarget } from '../../kernel/access/project-target.ts';
import { signAccessToken } from '../../resolvers/auth/access-token.ts';
import { expectRefusal } from '../helpers/documented.ts';
import { makeOlder } from '../helpers/older-database.ts';
import { startService } from '../helpers/service.ts';
import { authProject, claimsOf, expectNoSecretLogged } from './auth-project.ts';

const service = await startService();
const project = await authProject(
  service,
  `create table notes (id serial primary key, owner uuid not null default auth.uid(), body text);
   alter table notes enable row level security;
   grant select, insert on notes to authenticated, project_admin;
   grant usage on all sequences in schema public to authenticated, project_admin;
   create policy own on notes using (owner = auth.uid()) with check (owner = auth.uid());
   create function me() returns json language sql stable as
     $$ select json_build_object('uid', auth.uid(), 'text', auth.svc_user_id(), 'role', current_user, 'claims', auth.claims()) $$;
   grant execute on function me() to public;`,
);
const other = await authProject(service, 'create table notes (id int primary key)');
afterAll(async () => {
  expectNoSecretLogged(service);
  await project.end();
  await other.end();
  await service.stop();
});

const rest = (bearer: string, method: string, path: string, body?: unknown, key = project.anonKey) =>
  // biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
  service.call<any>(service.actors.nobody, method, `/rest/v1/${path}`, {
    headers: { apikey: key, authorization: `Bearer ${bearer}`, prefer: 'return=representation' },
    ...(body === undefined ? {} : { body }),
  });
const me = async (bearer: string) => (await rest(bearer, 'GET', 'rpc/me')).body;

test('a signed-in user sees its own rows alone, as itself', async () => {
  const [ada, bob] = [await project.signedIn(), await project.signedIn()];
  const made = await rest(ada.access_token, 'POST', 'notes', { body: 'mine' });
  expect([made.status, made.body]).toEqual([201, [{ id: expect.any(Number), owner: ada.id, body: 'mine' }]]);
  expect((await rest(ada.access_token, 'GET', 'notes')).body).toHaveLength(1);
  expect((await rest(bob.access_token, 'GET', 'notes')).body).toEqual([]);
  const forged = await rest(bob.access_token, 'POST', 'notes', { owner: ada.id, body: 'theirs' });
  expect([forged.status, forged.body.code]).toEqual([403, '42501']);
  const alone = await service.call<unknown[]>(service.actors.apikey(ada.access_token), 'GET', '/rest/v1/notes');
  expect(alone.body).toHaveLength(1);
});

test('policies see the claims of the token, and none of one request stay for the next', async () => {
  const ada = await project.signedIn();
  expect(await me(ada.access_token)).toEqual({
    uid: ada.id,
    text: ada.id,
    role: 'authenticated',
    claims: claimsOf(ada.access_token),
  });
  expect(await me(project.anonKey)).toMatchObject({ uid: null, text: null, role: 'anon' });
});

test('a token of another project is refused as such', async () => {
  const ada = await project.signedIn();
  const answer = await rest(ada.access_token, 'GET', 'notes', undefined, other.anonKey);
  expect([answer.status, answer.body.code, answer.body.error]).toEqual([403, 'FORBIDDEN', 'project_token_mismatch']);
});

test('a token that has expired, or was signed by the key of another project, is refused', async () => {
  const ada = await project.signedIn();
  const { services } = service.app;
  const { iss: _iss, project_id: _project, iat: _iat, exp: _exp, ...claims } = claimsOf(ada.access_token);
  const target = await findProjectTarget(services, project.projectId);
  const then = { ...services, now: () => new Date(Date.now() - 3_601_000) };
  const expired = await signAccessToken(then, target, claims as Parameters<typeof signAccessToken>[2]);
  expectRefusal(await rest(expired, 'GET', 'notes'), 'INVALID_AUTH');
  expectRefusal(await project.auth('GET', '/auth/v1/user', { bearer: expired }), 'INVALID_AUTH');
  const elsewhere = { ...(await findProjectTarget(services, other.projectId)), projectId: project.projectId };
  const foreign = await signAccessToken({ ...services }, elsewhere, claims as Parameters<typeof signAccessToken>[2]);
  expectRefusal(await rest(foreign, 'GET', 'notes'), 'INVALID_AUTH');
});

test('rows end with the session', async () => {
  const ada = await project.signedIn();
  expect((await rest(ada.access_token, 'GET', 'notes')).status).toBe(200);
  await project.auth('POST', '/auth/v1/logout', { bearer: ada.access_token });
  expectRefusal(await rest(ada.access_token, 'GET', 'notes'), 'INVALID_AUTH');
});

test('a promoted user is an admin from its next token on, and a demoted one loses the role at once', async () => {
  const ada = await project.signedIn();
  const change = (to: string, email = ada.email) =>
    // biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
    service.call<any>(
      service.actors.bearer(project.serviceKey),
      'POST',
      `/projects/v1/admin/${project.projectId}/${to}-user`,
      {
        body: { email },
      },
    );
  const shown = { status: 'ok', email: ada.email, user_id: ada.id };
  for (let time = 0; time < 2; time += 1)
    expect(await change('promote')).toMatchObject({ status: 200, body: { ...shown, is_admin: true } });
  expect((await me(ada.access_token)).role).toBe('authenticated');
  const admin = (await project.refresh(ada.refresh_token)).body;
  expect(claimsOf(admin.access_token)).toMatchObject({ role: 'project_admin', authz_version: 2 });
  expect((await me(admin.access_token)).role).toBe('project_admin');
  expect((await change('demote')).body).toEqual({ ...shown, is_admin: false });
  expect(await me(admin.access_token)).toMatchObject({ role: 'authenticated', claims: { role: 'authenticated' } });
  expectRefusal(await change('promote', 'nobody@example.com'), 'RESOURCE_NOT_FOUND');
  const trail = await service.control.sql<{ action: string }>(
    `select action from audit_events where action like 'project.user_%' order by seq`,
  );
  expect(trail.map(({ action }) => action)).toEqual([
    'project.user_promoted',
    'project.user_promoted',
    'project.user_demoted',
  ]);
});

test('an admin without the passkey that the project demands is a user like others, and told so', async () => {
  const ada = await project.signedIn();
  await project.sql(`update auth.users set is_admin = true where id = '${ada.id}'`);
  await project.settings('require_passkey_for_project_admin = true');
  const { body } = await project.signIn(ada.email, ada.password);
  await project.settings('require_passkey_for_project_admin = false');
  expect(body).toMatchObject({
    elevation_required: true,
    required_method: 'passkey',
    effective_role: 'authenticated',
    intended_role: 'project_admin',
  });
  expect(claimsOf(body.access_token).role).toBe('authenticated');
});

test('SQL of the tenant reaches no table of sign-in, and becomes no role that does', async () => {
  const url = new URL(service.app.services.projectDatabases.loginUrl({ server: 'main', ...project }));
  const client = new pg.Client({ connectionString: url.href });
  client.on('error', () => undefined);
  await client.connect();
  const tables = await project.sql<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'auth'::regnamespace and relkind = 'r'`,
  );
  expect(tables.length).toBeGreaterThan(8);
  for (const role of ['none', 'anon', 'authenticated', 'project_admin', 'service_role']) {
    await client.query(`set role ${role}`);
    for (const { name } of tables) {
      for (const text of [
        `select * from auth.${name}`,
        `select count(*) from auth.${name}`,
        `delete from auth.${name}`,
        `create trigger t before insert on auth.${name} for each row execute function suppress_redundant_updates_trigger()`,
        `create policy p on auth.${name}`,
        `alter table auth.${name} disable row level security`,
      ])
        await expect(client.query(text), `${role}: ${text}`).rejects.toMatchObject({ code: '42501' });
    }
    for (const text of [
      'create table auth.mine (id int)',
      'create function auth.uid(text) returns uuid language sql as $$ select null::uuid $$',
      'create or replace function auth.uid() returns uuid language sql as $$ select null::uuid $$',
      'grant svc_auth to current_user',
      'alter role svc_auth login',
    ])
      await expect(client.query(text), `${role}: ${text}`).rejects.toMatchObject({ code: '42501' });
    await client.query('reset role');
    await expect(client.query('set role svc_auth')).rejects.toMatchObject({ code: '42501' });
  }
  await client.end();
});

test('a database from before sign-in is brought up to date by the first who asks, however many do', async () => {
  const old = await authProject(service);
  await old.end();
  await makeOlder(service.control.serverUrl, old, 2);
  const answers = await Promise.all(Array.from({ length: 20 }, () => old.auth('GET', '/auth/v1/providers')));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  await old.signedIn();
});
