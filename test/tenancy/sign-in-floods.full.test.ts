import { afterAll, expect, test } from 'vitest';
import { authProject, newEmail } from '../auth/auth-project.ts';
import { expectRefusal } from '../helpers/documented.ts';
import { startService } from '../helpers/service.ts';

const service = await startService();
const [hostile, neighbour] = [await authProject(service), await authProject(service)];
afterAll(async () => {
  await Promise.all([hostile.end(), neighbour.end()]);
  await service.stop();
});

test('a flood of sign-ins fills the project’s own share of the hasher, and the neighbour’s come between', async () => {
  const { email, password } = await neighbour.user();
  let pending = 60;
  let first: (() => void) | undefined;
  const full = new Promise<void>((resolve) => (first = resolve));
  const flood = Array.from({ length: pending }, async () => {
    const answer = await hostile.signIn(newEmail(), 'secret word');
    pending -= 1;
    if (answer.status === 503) first!();
    return answer;
  });
  await full;
  expect((await neighbour.signIn(email, password)).status).toBe(200);
  // Of those that waited before the neighbour came, most wait on.
  expect(pending).toBeGreaterThan(0);
  const answers = await Promise.all(flood);
  for (const answer of answers) if (answer.status === 503) expectRefusal(answer, 'UPSTREAM_UNAVAILABLE', {});
  for (const answer of answers) if (answer.status !== 503) expectRefusal(answer, 'INVALID_AUTH');
  expect((await hostile.signIn(newEmail(), 'secret word')).status).toBe(401);
});

test('so many passwords of one network are tried in a project and no more, whoever’s they are; others’ go on', async () => {
  const { email, password } = await hostile.user();
  expect((await hostile.signIn(email, password)).status).toBe(200);
  await hostile.sql(`update auth.throttles set count = 300 where key like 'passwords:%' or key like 'signups:%'`);
  expectRefusal(await hostile.signIn(email, password), 'RATE_LIMITED');
  const signUp = (key?: string) =>
    hostile.auth('POST', '/auth/v1/signup', { body: { email: newEmail(), password }, key });
  expectRefusal(await signUp(), 'RATE_LIMITED');
  // The project's own server speaks for many.
  expect((await signUp(hostile.serviceKey)).status).toBe(201);
  const { email: theirs, password: word } = await neighbour.user();
  expect((await neighbour.signIn(theirs, word)).status).toBe(200);
});
