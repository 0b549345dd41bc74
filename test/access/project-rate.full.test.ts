import { afterAll, beforeEach, expect, test } from 'vitest';
import { projectRate, reservedTokens } from '../../kernel/limits/limits.ts';
import { RateLimiter } from '../../kernel/limits/rate-limit.ts';
import { authProject } from '../auth/auth-project.ts';
import { startService } from '../helpers/service.ts';

const service = await startService({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
const project = await authProject(
  service,
  'create table notes (id int primary key); grant select on notes to anon, authenticated',
);
const user = await project.signedIn();
afterAll(async () => {
  await project.end();
  await service.stop();
});

// Time stands still for limits: what is taken does not come back.
beforeEach(() => {
  for (const { services } of service.nodes) Object.assign(services, { rateLimiter: new RateLimiter(() => 0) });
});

const [attacker, other] = ['203.0.113.9', '198.51.100.7'];
const asked = (path: string, from: string, bearer?: string, method = 'GET', body?: unknown) =>
  service.call<{ code?: string }>(service.actors.nobody, method, path, {
    headers: {
      apikey: project.anonKey,
      'x-forwarded-for': from,
      ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
    },
    ...(body === undefined ? {} : { body }),
  });
const graph = (from: string, bearer?: string) =>
  asked(`/projects/v1/${project.projectId}/graphql`, from, bearer, 'POST', { query: '{ __typename }' });
const signIn = (from: string) =>
  asked('/auth/v1/token?grant_type=password', from, undefined, 'POST', { email: user.email, password: user.password });

/** Asks more than a project may be asked. @returns how many were let in */
async function flood(ask: () => Promise<{ status: number }>): Promise<number> {
  let admitted = 0;
  for (let sent = 0; sent < 160; sent += 20) {
    const answers = await Promise.all(Array.from({ length: 20 }, ask));
    admitted += answers.filter(({ status }) => status !== 429).length;
  }
  return admitted;
}

test.each([
  ['rows', () => asked('/rest/v1/nothing', attacker)],
  ['the graph', () => graph(attacker)],
  ['held reads', () => asked('/live/v1/changes', attacker)],
])('a flood of %s by the public key leaves users, sign-in and other networks their share', async (_what, ask) => {
  const admitted = await flood(ask);
  expect(admitted).toBe(projectRate.burst - 2 * reservedTokens);
  expect((await ask()).status).toBe(429);
  expect((await asked('/rest/v1/notes', other)).status).toBe(200);
  expect((await asked('/rest/v1/notes', attacker, user.access_token)).status).toBe(200);
  expect((await graph(other, user.access_token)).status).toBe(200);
  expect((await signIn(other)).status).toBe(200);
  expect((await signIn(attacker)).status).toBe(200);
});

test('a flood of sign-ins from one network leaves others their share', async () => {
  const admitted = await flood(() => asked('/auth/v1/providers', attacker));
  expect(admitted).toBe(projectRate.burst - reservedTokens);
  expect((await signIn(attacker)).status).toBe(429);
  expect((await signIn(other)).status).toBe(200);
  expect((await asked('/rest/v1/notes', other, user.access_token)).status).toBe(200);
});

test('a token that is forged has no share of those that hold', async () => {
  await flood(() => asked('/rest/v1/nothing', attacker));
  const [head, claims, signature] = user.access_token.split('.') as [string, string, string];
  const forged = `${head}.${claims}.${signature.slice(0, -4)}AAAA`;
  const before = (await asked('/rest/v1/notes', attacker)).status;
  expect([before, (await asked('/rest/v1/notes', attacker, forged)).status]).toEqual([429, 401]);
});

test('networks of a flood that is spread give way to users together', async () => {
  let next = 0;
  await flood(() => asked('/rest/v1/nothing', `192.0.2.${(next += 1) % 250}`));
  expect((await asked('/rest/v1/notes', other)).status).toBe(429);
  expect((await asked('/rest/v1/notes', other, user.access_token)).status).toBe(200);
});
