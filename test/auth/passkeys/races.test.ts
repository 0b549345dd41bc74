import { afterAll, expect, test } from 'vitest';
import { expectRefusal } from '../../helpers/documented.ts';
import { sharedService } from '../../helpers/shared-service.ts';
import { until } from '../../helpers/until.ts';
import { claimsOf } from '../auth-project.ts';
import { meetingOf } from '../meeting.ts';
import { origin, passkeyProject } from './passkey-project.ts';
import { SoftwareAuthenticator } from './software-authenticator.ts';

// Requests are made to meet by locks that the tests hold: what runs beside what is no matter of luck.
const service = await sharedService();
const project = await passkeyProject(service);
afterAll(async () => {
  await project.end();
  await service.stop();
});

const { auth, register, login, signIn, beginLogin, finishLogin } = project;
const asKey = service.actors.apikey(project.serviceKey);
const demand = (require_passkey_for_project_admin: boolean) =>
  service.call(asKey, 'PATCH', '/auth/v1/settings', { body: { require_passkey_for_project_admin } });
const remove = (bearer: string, id: string) => auth('DELETE', `/auth/v1/passkeys/${id}`, { bearer });
const admin = async () => {
  const made = await project.signedIn();
  await project.sql(`update auth.users set is_admin = true where id = '${made.id}'`);
  return made;
};

const { holding, waiting } = meetingOf(service, project);

test('a sign-in that meets the removal of its passkey is refused, and neither fails', async () => {
  const ada = await project.signedIn();
  const { key, record } = await register(ada.access_token);
  const answer = key.get((await beginLogin()).body);
  const challenge = await holding(`select from auth.passkey_challenges where id = '${answer.challenge_id}'`);
  const signingIn = finishLogin(answer);
  await waiting(1, signingIn);
  // The last step before the session begins.
  const tries = await holding('select from auth.throttles');
  await challenge();
  await until(async () =>
    expect(
      await project.sql(`select from auth.passkeys where id = '${record.id}' and last_used_at is not null`),
    ).toHaveLength(1),
  );
  const settings = await holding('select from auth.settings');
  const removing = remove(ada.access_token, record.id);
  await waiting(2, signingIn, removing);
  await tries();
  await until(async () =>
    expect(
      await project.sql(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like 'select to_json("auth"."users"."id")%for no key update'`,
      ),
    ).toHaveLength(1),
  );
  await settings();
  expect((await removing).status).toBe(200);
  expectRefusal(await signingIn, 'INVALID_AUTH');
});

test('a session that begins just before its passkey is removed is ended with it', async () => {
  const ada = await project.signedIn();
  const { key, record } = await register(ada.access_token);
  const answer = key.get((await beginLogin()).body);
  const user = await holding(`select from auth.users where id = '${ada.id}'`);
  const signingIn = finishLogin(answer);
  await waiting(1, signingIn);
  const removing = remove(ada.access_token, record.id);
  await waiting(2, signingIn, removing);
  await user();
  const session = await signingIn;
  expect([session.status, (await removing).status]).toEqual([200, 200]);
  expectRefusal(await auth('GET', '/auth/v1/user', { bearer: session.body.access_token }), 'INVALID_AUTH');
});

test('two sessions that each remove what the other rests on leave an admin one passkey', async () => {
  const ada = await admin();
  const [one, two] = [await register(ada.access_token), await register(ada.access_token)];
  expect((await demand(true)).status).toBe(200);
  const tokens = [(await login(one.key)).body.access_token, (await login(two.key)).body.access_token];
  const settings = await holding('select from auth.settings');
  const removals = [remove(tokens[0], two.record.id), remove(tokens[1], one.record.id)];
  await waiting(2, ...removals);
  await settings();
  const statuses = (await Promise.all(removals)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  expect(await project.sql(`select from auth.passkeys where user_id = '${ada.id}'`)).toHaveLength(1);
  expect((await demand(false)).status).toBe(200);
});

test('of two first passkeys that an admin finishes at once, one is made', async () => {
  const ada = await admin();
  await register(ada.access_token);
  await demand(true);
  const bob = await admin();
  const fresh = (await signIn(bob.email, bob.password)).body.access_token;

  const answers = [];
  for (let count = 0; count < 2; count += 1)
    answers.push(new SoftwareAuthenticator(origin).create((await project.begin(fresh)).body));
  const settings = await holding('select from auth.settings');
  const finishing = answers.map((answer) => project.finish(fresh, answer));
  await waiting(2, ...finishing);
  await settings();
  expect((await Promise.all(finishing)).map(({ status }) => status).sort()).toEqual([201, 403]);
  await demand(false);
});

test('a passkey is not demanded when the last one of an admin is just being removed', async () => {
  await project.sql('delete from auth.passkeys');
  const ada = await admin();
  const { key, record } = await register(ada.access_token);
  const { session_id } = claimsOf((await login(key)).body.access_token);
  // Gone already, and not for good yet: its session is yet to be ended.
  const session = await holding(`select from auth.sessions where id = '${session_id}'`);
  const removing = remove(ada.access_token, record.id);
  await waiting(1, removing);
  const demanding = demand(true);
  await waiting(2, removing, demanding);
  await session();
  expect((await removing).status).toBe(200);
  expectRefusal(await demanding, 'ADMINS_WITHOUT_PASSKEY');
});
