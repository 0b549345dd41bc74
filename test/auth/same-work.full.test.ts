import { afterAll, expect, test, vi } from 'vitest';
import { startService } from '../helpers/service.ts';
import { authProject, newEmail } from './auth-project.ts';

// No jobs, which would mail beside the requests whose work is compared.
const service = await startService({ jobs: false });
const project = await authProject(service);
afterAll(async () => {
  await project.end();
  await service.stop();
});

const { auth } = project;
const doors: Record<string, (email: unknown) => Promise<Awaited<ReturnType<typeof auth>>>> = {
  signup: (email) => auth('POST', '/auth/v1/signup', { body: { email, password: 'secret' } }),
  'magic-link': (email) => auth('POST', '/auth/v1/magic-link', { body: { email, delivery: 'code' } }),
  otp: (email) => auth('POST', '/auth/v1/otp', { body: { email } }),
  recover: (email) => auth('POST', '/auth/v1/recover', { body: { email } }),
  resend: (email) => auth('POST', '/auth/v1/resend', { body: { email, type: 'signup' } }),
  verify: (email) => auth('POST', '/auth/v1/verify', { body: { email, token: '123456', type: 'email' } }),
};

/** Statements of the project, and the passwords that were hashed or checked, while something is asked. */
async function work(run: () => Promise<unknown>) {
  const { passwords } = service.app.services;
  const [verify, hash] = [vi.spyOn(passwords, 'verify'), vi.spyOn(passwords, 'hash')];
  const statements = await service.statements(run);
  const hashed = [verify.mock.calls.length, hash.mock.calls.length];
  verify.mockRestore();
  hash.mockRestore();
  // A project is remembered for a second.
  return {
    hashed,
    statements: statements.filter(
      (text) =>
        !/^(begin|commit)$|from "projects" join "orgs"|^select "projects"."name" as "name" from "projects" where/.test(
          text,
        ),
    ),
  };
}

test('a known and an unknown address cause the same work: the same statements, as many passwords hashed', async () => {
  const { email } = await project.user();
  const stranger = newEmail();
  const social = newEmail();
  await project.sql(`insert into auth.users (email) values ('${social}')`);
  // Once before, so that whatever is remembered is.
  await project.signIn(newEmail(), 'wrong one');
  for (const door of ['magic-link', 'otp', 'recover', 'verify']) {
    await doors[door]!(newEmail());
    await project.sql('delete from auth.throttles');
  }
  for (const door of ['magic-link', 'otp', 'recover', 'resend', 'verify']) {
    await project.sql('delete from auth.throttles');
    const [known, unknown] = [await work(() => doors[door]!(email)), await work(() => doors[door]!(stranger))];
    expect(known.statements.length, door).toBeGreaterThan(1);
    expect(unknown, door).toEqual(known);
  }
  const wrong = (address: string) => work(() => project.signIn(address, 'wrong one'));
  const [known, unknown, bare] = [await wrong(email), await wrong(stranger), await wrong(social)];
  expect(known.hashed).toEqual([1, 0]);
  expect([unknown, bare]).toEqual([known, known]);
  const taken = await work(() => doors.signup!(email));
  const free = await work(() => doors.signup!(newEmail()));
  expect(taken).toEqual(free);
  expect(free.hashed).toEqual([0, 1]);
  await project.settings(`public_signup = 'invite_only'`);
  const [closedTo, closed] = [await work(() => doors.otp!(email)), await work(() => doors.otp!(newEmail()))];
  await project.settings(`public_signup = 'open'`);
  expect(closed).toEqual(closedTo);
});
