import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { expectRefusal } from '../helpers/documented.ts';
import { giveRateBack } from '../helpers/project-rate.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { authProject, expectNoSecretLogged } from './auth-project.ts';

const service = await sharedService();
const project = await authProject(service);
afterAll(async () => {
  expectNoSecretLogged(service);
  await project.end();
  await service.stop();
});

// Each test has a project's whole rate, however fast the ones before it were.
beforeEach(async () => {
  await project.sql('delete from auth.throttles');
  giveRateBack(service, project.projectId);
});

const { auth } = project;
const asService = (method: string, path: string, body: object) =>
  // biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
  service.call<any>(service.actors.apikey(project.serviceKey), method, path, { body });

/** Every door that takes the address of a user. */
const doors: Record<string, (email: unknown) => Promise<Awaited<ReturnType<typeof auth>>>> = {
  signup: (email) => auth('POST', '/auth/v1/signup', { body: { email, password: 'secret' } }),
  password: (email) => auth('POST', '/auth/v1/token?grant_type=password', { body: { email, password: 'secret' } }),
  'magic-link': (email) => auth('POST', '/auth/v1/magic-link', { body: { email, delivery: 'code' } }),
  otp: (email) => auth('POST', '/auth/v1/otp', { body: { email } }),
  recover: (email) => auth('POST', '/auth/v1/recover', { body: { email } }),
  resend: (email) => auth('POST', '/auth/v1/resend', { body: { email, type: 'signup' } }),
  verify: (email) => auth('POST', '/auth/v1/verify', { body: { email, token: '123456', type: 'email' } }),
  'admin create': (email) => asService('POST', '/auth/v1/admin/users', { email }),
  'admin create with a password': (email) => asService('POST', '/auth/v1/admin/users', { email, password: 'secret' }),
  invite: (email) => asService('POST', '/auth/v1/invite', { email, redirect_url: 'http://localhost/' }),
  promote: (email) => asService('POST', `/projects/v1/admin/${project.projectId}/promote-user`, { email }),
  demote: (email) => asService('POST', `/projects/v1/admin/${project.projectId}/demote-user`, { email }),
};

test.each(Object.keys(doors))('%s takes no address that is none, or that looks like another', async (door) => {
  for (const email of [
    'ada',
    'ada@',
    '@example.com',
    'ada@example',
    'ada@@example.com',
    'ada lovelace@example.com',
    'ada@example.com, eve@example.com',
    'ada@example.com\r\nBcc: eve@example.com',
    'Ada <ada@example.com>',
    '\u0430da@example.com', // Cyrillic
    '\uff41da@example.com', // full width
    'ada\u200b@example.com', // no width
    '\u212aate@example.com', // Kelvin sign, which folds into k
    '\u0131da@example.com', // without its dot
    'a\u0301da@example.com', // combined
    'ada@ex\u00e4mple.com',
    'ada@example\u3002com', // another full stop
    'ada@example.com\0',
    '',
    42,
    ['ada@example.com'],
    undefined,
  ])
    expectRefusal(await doors[door]!(email), 'VALIDATION_FAILED', { field: 'email' });
});

test('letter case and blanks around an address do not matter at any door, and all else does', async () => {
  const name = randomUUID();
  const email = `${name}+tag@example.com`;
  const spelt = ` \t${email.toUpperCase()}\u00a0\n`;
  expect((await doors.signup!(spelt)).body.email).toBe(email);
  expectRefusal(await doors.signup!(email), 'EMAIL_ALREADY_REGISTERED');
  expectRefusal(await doors['admin create with a password']!(spelt), 'EMAIL_ALREADY_REGISTERED');
  expect((await doors.password!(spelt)).body.user.email).toBe(email);
  expect((await doors['admin create']!(spelt)).body).toMatchObject({ email, created: false });
  expect((await doors.promote!(spelt)).body).toMatchObject({ email, is_admin: true });
  expect((await doors.demote!(spelt)).body).toMatchObject({ email, is_admin: false });
  await doors.recover!(spelt);
  const { code } = await project.mailTo(email);
  const verified = await auth('POST', '/auth/v1/verify', { body: { email: spelt, token: code, type: 'recovery' } });
  expect(verified.body.user.email).toBe(email);
  // What a provider of mail may take for the same address is another one here.
  for (const another of [`${name}@example.com`, `${name.replaceAll('-', '.')}+tag@example.com`])
    expect((await doors.signup!(another)).status).toBe(201);
  const users = await project.sql(`select from auth.users where email like '${name.slice(0, 8)}%'`);
  expect(users).toHaveLength(3);
});

test('tries are counted for an address, however it is spelt', async () => {
  const { email } = await project.user();
  const spellings = [email, email.toUpperCase(), ` ${email}`, `${email}\t`];
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_one, at) => project.signIn(spellings[at % 4]!, 'wrong one')),
  );
  expect(answers.filter(({ status }) => status === 401)).toHaveLength(10);
  const mails = await Promise.all(
    Array.from({ length: 20 }, (_one, at) => doors[at % 2 === 0 ? 'magic-link' : 'otp']!(spellings[at % 4])),
  );
  expect(mails.filter(({ status }) => status === 200)).toHaveLength(5);
});
