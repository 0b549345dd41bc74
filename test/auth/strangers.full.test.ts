import { afterAll, beforeEach, expect, test } from 'vitest';
import { startService } from '../helpers/service.ts';
import { authProject, claimsOf, newEmail } from './auth-project.ts';
import { meetingOf } from './meeting.ts';

// What strangers who only know an address can keep its user from.
const service = await startService({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
const project = await authProject(service);
afterAll(async () => {
  await project.end();
  await service.stop();
});
beforeEach(() => project.sql('delete from auth.throttles'));

const [home, elsewhere] = ['198.51.100.7', '203.0.113.9'];

/** Asks from a network. */
const from =
  (address: string) =>
  (path: string, body: object, { key = project.anonKey, bearer }: { key?: string; bearer?: string } = {}) =>
    service.call<{ access_token: string; error_code?: string }>(service.actors.nobody, 'POST', `/auth/v1/${path}`, {
      body,
      headers: {
        apikey: key,
        'x-forwarded-for': address,
        ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
      },
    });
const password = (address: string, email: string, tried: string) =>
  from(address)('token?grant_type=password', { email, password: tried });
const mail = (address: string, email: string, key?: string) =>
  from(address)('magic-link', { email, delivery: 'code' }, key === undefined ? {} : { key });

/** Asks until it is refused for haste. @returns how often it was not */
async function untilRefused(ask: () => Promise<{ readonly status: number }>): Promise<number> {
  for (let times = 0; times < 100; times += 1) if ((await ask()).status === 429) return times;
  throw new Error('It was never refused.');
}

test('who tries passwords from elsewhere locks nobody out of the network that they sign in from', async () => {
  const user = await project.user();
  expect((await password(home!, user.email, user.password)).status).toBe(200);
  expect(await untilRefused(() => password(elsewhere!, user.email, 'wrong one'))).toBe(10);
  expect((await password(home!, user.email, user.password)).status).toBe(200);
  // Nor is the count of strangers begun anew by that, or by what is wrong at home.
  expect((await password(elsewhere!, user.email, user.password)).status).toBe(429);
  expect(await untilRefused(() => password(home!, user.email, 'wrong one'))).toBe(10);
});

test('a network where only wrong passwords were tried is a stranger’s, and stays known for thirty days else', async () => {
  const user = await project.user();
  expect(await untilRefused(() => password(elsewhere!, user.email, 'wrong one'))).toBe(10);
  expect((await password(home!, user.email, user.password)).status).toBe(429);
  await project.sql('delete from auth.throttles');
  expect((await password(home!, user.email, user.password)).status).toBe(200);
  const [known] = await project.sql(
    `select window_ends > now() + interval '29 days' as long from auth.throttles where key like 'network:%'`,
  );
  expect(known).toEqual({ long: true });
  await project.sql(`update auth.throttles set window_ends = now() where key like 'network:%'`);
  expect(await untilRefused(() => password(elsewhere!, user.email, 'wrong one'))).toBe(10);
  expect((await password(home!, user.email, user.password)).status).toBe(429);
});

test('who is signed in changes the password while strangers try it', async () => {
  const user = await project.signedIn();
  expect(await untilRefused(() => password(elsewhere!, user.email, 'wrong one'))).toBe(10);
  const change = (current_password: string) =>
    from(elsewhere!)('user/password', { new_password: 'another one', current_password }, { bearer: user.access_token });
  expect((await change(user.password)).status).toBe(200);
  expect(await untilRefused(() => change('wrong one'))).toBe(10);
});

const prove = ({ email }: { email: string }) =>
  project.sql(`update auth.users set email_verified_at = now() where email = '${email}'`);

test('mails that strangers ask for are not those of the user, nor those of the service key', async () => {
  const user = await project.user();
  await prove(user);
  expect((await password(home!, user.email, user.password)).status).toBe(200);
  expect(await untilRefused(() => mail(elsewhere!, user.email))).toBe(5);
  // And none is left for the project, whoever it goes to.
  expect(await untilRefused(() => mail(elsewhere!, newEmail()))).toBe(25);
  expect((await mail(elsewhere!, user.email)).status).toBe(429);
  expect((await mail(home!, user.email)).status).toBe(200);
  expect((await mail(elsewhere!, user.email, project.serviceKey)).status).toBe(200);
  expect(await untilRefused(() => mail(home!, user.email))).toBe(4);
  expect(await untilRefused(() => mail(elsewhere!, user.email, project.serviceKey))).toBe(4);
});

test('who signs up with the address of another sends it no more mails than a stranger, before it is proven and after', async () => {
  const user = await project.user();
  const squats = async () => expect((await password(elsewhere!, user.email, user.password)).status).toBe(200);
  await squats();
  expect(await untilRefused(() => mail(elsewhere!, user.email))).toBe(5);
  // They count among those of the project, too.
  expect(await untilRefused(() => mail(elsewhere!, newEmail()))).toBe(25);
  await project.sql("delete from auth.throttles where key not like 'network:%'");
  await prove(user);
  expect(await untilRefused(() => mail(home!, user.email))).toBe(5);
  expect((await mail(elsewhere!, user.email)).status).toBe(429);
  // Nor has it tries of its own at the password that the owner sets.
  expect(await untilRefused(() => password(home!, user.email, 'wrong one'))).toBe(10);
  expect((await password(elsewhere!, user.email, user.password)).status).toBe(429);
});

test('from however many networks somebody has signed in, the tries for one address are bounded', async () => {
  const user = await project.user();
  await prove(user);
  const networks = Array.from({ length: 12 }, (_, at) => `198.51.100.${at + 1}`);
  for (const network of networks) expect((await password(network, user.email, user.password)).status).toBe(200);
  let [tries, mails] = [0, 0];
  for (const network of networks) {
    tries += await untilRefused(() => password(network, user.email, 'wrong one'));
    mails += await untilRefused(() => mail(network, user.email));
  }
  expect(tries).toBeLessThanOrEqual(80);
  expect(mails).toBeLessThanOrEqual(40);
  // Nor is a project sent for without end by those who are known.
  await project.sql(`delete from auth.throttles where key like 'mail:%'`);
  expect((await mail(networks[0]!, user.email)).status).toBe(200);
  await project.sql(`update auth.throttles set count = 300 where key like 'known_mails:%'`);
  expect((await mail(networks[0]!, user.email)).status).toBe(429);
  expect((await mail(elsewhere!, user.email)).status).toBe(200);
});

test('who signed in by a mail is known by it', async () => {
  const email = newEmail();
  const { body } = await from(home!)('magic-link', { email, delivery: 'code' });
  const { code } = await project.mailTo(email);
  const { challenge_id } = body as unknown as { challenge_id: string };
  const signedIn = await from(home!)('token?grant_type=email_code', { challenge_id, code });
  expect(signedIn.status).toBe(200);
  expect(await untilRefused(() => mail(elsewhere!, email))).toBe(4);
  expect((await mail(home!, email)).status).toBe(200);
});

test('a token says whether its address was shown to be the user’s, or only named at sign-up', async () => {
  const { email, access_token } = await project.signedIn();
  expect(claimsOf(access_token)).toMatchObject({ email, email_verified: false });
  await from(home!)('magic-link', { email, delivery: 'code', intent: 'recovery' });
  const { code } = await project.mailTo(email);
  const recovered = await from(home!)('verify', { type: 'recovery', email, token: code });
  expect(claimsOf(recovered.body.access_token)).toMatchObject({ email, email_verified: true });
});

test('who guesses codes of an address all the time is stopped before there is one, and right ones do not count', async () => {
  const email = newEmail();
  const guess = (address: string, token: string) => from(address)('verify', { type: 'email', email, token });
  expect(await untilRefused(() => guess(elsewhere!, '000000'))).toBe(30);
  for (let round = 1; round <= 2; round += 1) {
    expect((await mail(home!, email)).status).toBe(200);
    const code = (await project.mailTo(email, round)).code!;
    for (let time = 0; time < 5; time += 1) expect((await guess(elsewhere!, '000000')).status).toBe(429);
    expect((await guess(home!, code)).status).toBe(200);
  }
  const [counted] = await project.sql(
    `select max(count) as wrong from auth.throttles where key like 'code_of_address:%' and count < 30`,
  );
  expect(counted).toEqual({ wrong: 0 });
});

/** Somebody who signs up with the address of another, and makes itself at home. */
async function squatter() {
  const { email, password, access_token, id } = await project.signedIn();
  await project.sql(
    `insert into auth.identities (provider, provider_sub, user_id) values ('google', '${id}', '${id}')`,
  );
  const gone = async () => {
    expect((await project.auth('GET', '/auth/v1/user', { bearer: access_token })).status).toBe(401);
    expect((await project.signIn(email, password)).status).toBe(401);
    expect(await project.sql(`select from auth.identities where user_id = '${id}'`)).toEqual([]);
  };
  return { email, password, id, gone };
}

const manage = (body: object) =>
  service.call<object>(service.actors.apikey(project.serviceKey), 'POST', '/auth/v1/admin/users', { body });

test('who took an address before gets nothing of the admin that its owner is made', async () => {
  const { email, id, gone } = await squatter();
  const made = await manage({ email, is_admin: true });
  expect([made.status, made.body]).toEqual([200, expect.objectContaining({ id, is_admin: true, created: false })]);
  await gone();
  await mail(home!, email);
  const { code } = await project.mailTo(email);
  const owner = await from(home!)('verify', { type: 'email', email, token: code });
  expect(claimsOf(owner.body.access_token)).toMatchObject({ sub: id, role: 'project_admin', email_verified: true });
});

test('who takes an address in the very moment in which its owner is made an admin gets nothing of it either', async () => {
  const other = await project.user();
  const email = newEmail();
  const { begun, waiting } = meetingOf(service, project);
  const taken = await begun(
    `insert into auth.users (email, password_hash) select '${email}', password_hash from auth.users where id = '${other.id}'`,
  );
  const making = manage({ email, is_admin: true });
  await waiting(1, making);
  await taken();
  expect((await making).status).toBe(200);
  expect((await password(home!, email, other.password)).status).toBe(401);
});

test('a user whose address is proven stays as it is when it is made an admin', async () => {
  const { email, password, access_token, id } = await project.signedIn();
  await project.sql(`update auth.users set email_verified_at = now() where id = '${id}'`);
  expect((await manage({ email, is_admin: true })).status).toBe(200);
  expect((await project.auth('GET', '/auth/v1/user', { bearer: access_token })).status).toBe(200);
  expect(claimsOf((await project.signIn(email, password)).body.access_token)).toMatchObject({ role: 'project_admin' });
});

test('who is invited comes in, and puts an end to what a stranger set up under the address', async () => {
  const { email, id, gone } = await squatter();
  expect((await manage({ email, send_invite: true, redirect_url: 'http://localhost:3000/' })).status).toBe(200);
  const { token } = await project.mailTo(email);
  const owner = await from(home!)('token?grant_type=magic_link', { token });
  expect([owner.status, claimsOf(owner.body.access_token).sub]).toEqual([200, id]);
  await gone();
});
