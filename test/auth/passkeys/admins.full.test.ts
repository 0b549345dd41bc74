import { afterAll, beforeEach, expect, test } from 'vitest';
import { expectRefusal } from '../../helpers/documented.ts';
import { startService } from '../../helpers/service.ts';
import { claimsOf, expectNoSecretLogged } from '../auth-project.ts';
import { origin, passkeyProject } from './passkey-project.ts';
import { SoftwareAuthenticator } from './software-authenticator.ts';

const service = await startService();
const project = await passkeyProject(
  service,
  `create function role_now() returns text language sql stable as $$ select current_user::text $$;
   grant execute on function role_now() to public;`,
);
afterAll(async () => {
  expectNoSecretLogged(service);
  await project.end();
  await service.stop();
});
beforeEach(() => demand(false));

const { auth, begin, finish, register, login, signIn } = project;
const asKey = service.actors.apikey(project.serviceKey);
const demand = async (require_passkey_for_project_admin: boolean) =>
  // biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
  service.call<any>(asKey, 'PATCH', '/auth/v1/settings', { body: { require_passkey_for_project_admin } });
const admin = async () => {
  const made = await project.signedIn();
  const { status } = await service.call(asKey, 'POST', `/projects/v1/admin/${project.projectId}/promote-user`, {
    body: { email: made.email },
  });
  expect(status).toBe(200);
  return { ...made, ...(await signIn(made.email, made.password)).body };
};
const roleNow = async (bearer: string) =>
  (
    await service.call<string>(service.actors.nobody, 'GET', '/rest/v1/rpc/role_now', {
      headers: { apikey: project.anonKey, authorization: `Bearer ${bearer}` },
    })
  ).body;
const remove = (bearer: string, id: string) => auth('DELETE', `/auth/v1/passkeys/${id}`, { bearer });
/** As if a session's proofs, or some of them, had been given so long ago. */
const age = (bearer: string, minutes: number, proofs = ['auth_time', 'passkey_time']) =>
  project.sql(
    `update auth.sessions set ${proofs.map((proof) => `${proof} = now() - interval '${minutes} minutes'`)}
      where id = '${claimsOf(bearer).session_id}'`,
  );

test('an admin without the passkey that is demanded is a user like others, and is told so', async () => {
  const ada = await admin();
  expect(claimsOf(ada.access_token)).toMatchObject({ role: 'project_admin', aal: 'aal1' });
  expect(ada).not.toHaveProperty('elevation_required');
  const { key } = await register(ada.access_token);
  expect(await roleNow(ada.access_token)).toBe('project_admin');
  expect((await demand(true)).status).toBe(200);
  // Tokens of before lose the role at once.
  expect(await roleNow(ada.access_token)).toBe('authenticated');
  const weak = (await signIn(ada.email, ada.password)).body;
  const elevation = {
    elevation_required: true,
    required_method: 'passkey',
    effective_role: 'authenticated',
    intended_role: 'project_admin',
  };
  expect(weak).toMatchObject(elevation);
  expect(claimsOf(weak.access_token).role).toBe('authenticated');
  expect((await project.refresh(weak.refresh_token)).body).toMatchObject(elevation);
  const strong = (await login(key)).body;
  expect(strong).not.toHaveProperty('elevation_required');
  expect(claimsOf(strong.access_token)).toMatchObject({ role: 'project_admin', aal: 'aal2' });
  expect(await roleNow(strong.access_token)).toBe('project_admin');
  const kept = (await project.refresh(strong.refresh_token)).body;
  expect(claimsOf(kept.access_token)).toMatchObject({ role: 'project_admin', aal: 'aal2', amr: ['passkey'] });
  // Others are asked for nothing.
  const bob = await project.signedIn();
  expect(bob).not.toHaveProperty('elevation_required');
  const { key: bobs } = await register(bob.access_token);
  expect(claimsOf((await login(bobs)).body.access_token).role).toBe('authenticated');
});

test('passkeys of an admin are changed by a passkey of the last five minutes', async () => {
  const ada = await admin();
  const [one, two] = [await register(ada.access_token), await register(ada.access_token)];
  await demand(true);
  const weak = (await signIn(ada.email, ada.password)).body.access_token;
  const details = {
    required_amr: ['passkey'],
    max_age_seconds: 300,
    challenge_url: '/auth/v1/passkeys/login/options',
  };
  const missing = { ...details, reason: 'missing' };
  expectRefusal(await begin(weak), 'STEP_UP_REQUIRED', { ...missing, op_class: 'passkey.register' });
  expectRefusal(await remove(weak, one.record.id), 'STEP_UP_REQUIRED', { ...missing, op_class: 'passkey.remove' });
  const byAccount = { bearer: weak, body: { passkey_id: one.record.id } };
  expectRefusal(await auth('POST', '/auth/v1/account/passkeys/remove', byAccount), 'STEP_UP_REQUIRED', missing);
  const strong = (await login(one.key)).body.access_token;
  const three = await register(strong);
  const asked = (await begin(strong)).body;
  await age(strong, 5.1);
  const stale = { ...details, reason: 'stale' };
  expectRefusal(await begin(strong), 'STEP_UP_REQUIRED', stale);
  // Also when it became too old between asking and finishing.
  const late = new SoftwareAuthenticator(origin).create(asked);
  expectRefusal(await finish(strong, late), 'STEP_UP_REQUIRED', stale);
  expectRefusal(await remove(strong, two.record.id), 'STEP_UP_REQUIRED', stale);
  // A later proof of another kind is none by passkey.
  await age(strong, 0, ['auth_time']);
  expectRefusal(await remove(strong, two.record.id), 'STEP_UP_REQUIRED', stale);
  await age(strong, 4.9);
  expect((await remove(strong, two.record.id)).status).toBe(200);
  expect((await remove(strong, three.record.id)).status).toBe(200);
  const list = await auth('GET', '/auth/v1/passkeys', { bearer: weak });
  expect(list.body.passkeys.map(({ id }: { id: string }) => id)).toEqual([one.record.id]);
});

test('an admin who has none makes the first by a fresh sign-in, and only the first', async () => {
  const ada = await admin();
  await register(ada.access_token);
  await demand(true);
  const bob = await admin();
  expect(bob.elevation_required).toBe(true);
  await age(bob.access_token, 5.1);
  expectRefusal(await begin(bob.access_token), 'RECENT_SIGN_IN_REQUIRED', { max_age_seconds: 300 });
  const fresh = (await signIn(bob.email, bob.password)).body.access_token;
  const asked = await Promise.all(Array.from({ length: 20 }, () => begin(fresh)));
  const answers = await Promise.all(
    asked.map(({ body }) => finish(fresh, new SoftwareAuthenticator(origin).create(body))),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 19 }, () => 403)]);
  expectRefusal(answers.find(({ status }) => status === 403)!, 'STEP_UP_REQUIRED', { reason: 'missing' });
});

test('an admin keeps the last passkey as long as one is demanded, however many remove at once', async () => {
  const ada = await admin();
  const made = [];
  for (let count = 0; count < 5; count += 1) made.push(await register(ada.access_token));
  await demand(true);
  const strong = (await login(made[0]!.key)).body.access_token;
  // The one that the session rests on goes last: without it nothing more could be removed.
  const others = made.slice(1).map(({ record }) => remove(strong, record.id));
  expect((await Promise.all(others)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expectRefusal(await remove(strong, made[0]!.record.id), 'LAST_ADMIN_PASSKEY');
  expectRefusal(
    await auth('POST', '/auth/v1/account/passkeys/remove', {
      bearer: strong,
      body: { passkey_id: made[0]!.record.id },
    }),
    'LAST_ADMIN_PASSKEY',
  );
  expect(await roleNow(strong)).toBe('project_admin');
  await demand(false);
  expect((await remove(strong, made[0]!.record.id)).status).toBe(200);
});

test('a passkey is demanded of admins only while one of them has one, whatever is removed meanwhile', async () => {
  await project.sql('delete from auth.passkeys');
  const ada = await admin();
  expectRefusal(await demand(true), 'ADMINS_WITHOUT_PASSKEY');
  // A user’s passkey is no admin’s.
  await register((await project.signedIn()).access_token);
  expectRefusal(await demand(true), 'ADMINS_WITHOUT_PASSKEY');
  for (let time = 0; time < 5; time += 1) {
    const fresh = (await signIn(ada.email, ada.password)).body.access_token;
    const { record } = await register(fresh);
    const [demanded, removed] = await Promise.all([demand(true), remove(fresh, record.id)]);
    expect([demanded.status, removed.status]).toSatisfy(
      ([one, other]: number[]) => (one === 200 && other === 403) || (one === 409 && other === 200),
    );
    await demand(false);
    await project.sql(`delete from auth.passkeys where user_id = '${ada.id}'`);
  }
});

test('the graph demands passkeys the same way', async () => {
  await project.sql('delete from auth.passkeys');
  const ada = await admin();
  const change = () =>
    service.graphql(
      asKey,
      `mutation ($project: ID!) {
        changeAuthSettings(input: { project: $project, requirePasskeyForProjectAdmin: true }) { requirePasskeyForProjectAdmin }
      }`,
      { project: project.projectId },
    );
  expect((await change()).errors?.[0]?.extensions.code).toBe('ADMINS_WITHOUT_PASSKEY');
  await register(ada.access_token);
  expect(await change()).toEqual({ data: { changeAuthSettings: { requirePasskeyForProjectAdmin: true } } });
  expect(await roleNow(ada.access_token)).toBe('authenticated');
});
