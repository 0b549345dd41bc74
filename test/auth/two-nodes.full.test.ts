import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { chargeProject } from '../helpers/project-rate.ts';
import { startService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import { authProject, claimsOf, expectNoSecretLogged, newEmail } from './auth-project.ts';

// Two gateways on one database, which requests go to in turn: what is good once is good once between them, and what is
// counted is counted together.
const service = await startService({ nodes: 2 });
const project = await authProject(
  service,
  'create table notes (id int primary key); grant select on notes to authenticated',
);
afterAll(async () => {
  expectNoSecretLogged(service);
  await project.end();
  await service.stop();
});

beforeEach(() => project.sql('delete from auth.throttles'));

const { auth } = project;
const twenty = <Result>(run: (at: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: 20 }, (_one, at) => run(at)));
const statuses = (answers: readonly { status: number }[]) => answers.map(({ status }) => status).sort();
const oneOf20 = [200, ...Array.from({ length: 19 }, () => 401)];
const times = (count: number, status: number) => Array.from({ length: count }, () => status);
const redirect_url = 'http://localhost:3000/';
const ask = async (email: string, delivery: 'link' | 'code' | 'both') =>
  (await auth('POST', '/auth/v1/magic-link', { body: { email, delivery, redirect_url } })).body.challenge_id as string;
const byLink = (token: string) => auth('POST', '/auth/v1/token?grant_type=magic_link', { body: { token } });
const byCode = (challenge_id: string, code: string) =>
  auth('POST', '/auth/v1/token?grant_type=email_code', { body: { challenge_id, code } });
const wrong = (code: string) => (code === '000000' ? '111111' : '000000');

/** How often each node has answered an endpoint. */
const answered = (name: string) =>
  Promise.all(
    service.nodes.map(async ({ url }) => {
      const page = await (await fetch(`${url}/metrics`)).text();
      const lines = page.matchAll(
        new RegExp(`^operations_total\\{operation="${name.replace('.', '\\.')}",code="\\w+"\\} (\\d+)$`, 'gm'),
      );
      return [...lines].reduce((sum, [, count]) => sum + Number(count), 0);
    }),
  );

test('twenty who refresh at once on two nodes go on with one successor, and a late showing ends the session on both', async () => {
  const { refresh_token, sessionId } = await project.signedIn();
  const before = await answered('auth.token');
  const answers = await twenty(() => project.refresh(refresh_token));
  const after = await answered('auth.token');
  expect(after.map((count, node) => count - before[node]!)).toEqual([10, 10]);
  expect(statuses(answers)).toEqual(times(20, 200));
  expect(new Set(answers.map(({ body }) => body.refresh_token)).size).toBe(1);
  const { body } = answers[0]!;
  await project.sql(`update auth.refresh_tokens set used_at = used_at - interval '11 seconds'
    where session_id = '${sessionId}' and used_at is not null`);
  // Two parties hold it by now, and neither keeps the session.
  expect((await project.refresh(refresh_token)).status).toBe(401);
  for (let node = 0; node < 2; node += 1) {
    expect((await project.refresh(body.refresh_token)).status).toBe(401);
    expect((await auth('GET', '/auth/v1/user', { bearer: body.access_token })).body.details).toEqual({
      reason: 'session_ended',
    });
  }
});

test('a link, a code, and a challenge with both are good once between two nodes', async () => {
  const [first, second, third] = [newEmail(), newEmail(), newEmail()];
  await ask(first, 'link');
  const { token } = await project.mailTo(first);
  expect(statuses(await twenty(() => byLink(token!)))).toEqual(oneOf20);
  const challenge = await ask(second, 'code');
  const { code } = await project.mailTo(second);
  // Wrong codes that count cannot be told from tries of the right one that came late: these are all right.
  expect(statuses(await twenty(() => byCode(challenge, code!)))).toEqual(oneOf20);
  const both = await ask(third, 'both');
  const mail = await project.mailTo(third);
  const answers = await twenty((at) => (at % 4 < 2 ? byLink(mail.token!) : byCode(both, mail.code!)));
  expect(statuses(answers)).toEqual(oneOf20);
  const [users] = await project.sql<{ count: number }>(
    `select count(*)::int from auth.sessions s join auth.users u on u.id = s.user_id where u.email in ('${first}', '${second}', '${third}')`,
  );
  expect(users).toEqual({ count: 3 });
});

test('twenty links of one stranger used at once make one user', async () => {
  const email = newEmail();
  const tokens: string[] = [];
  for (let time = 1; time <= 5; time += 1) {
    await ask(email, 'link');
    tokens.push((await project.mailTo(email, time)).token!);
  }
  const answers = await twenty((at) => byLink(tokens[at % 5]!));
  expect(statuses(answers)).toEqual([...times(5, 200), ...times(15, 401)]);
  expect(new Set(answers.filter(({ status }) => status === 200).map(({ body }) => body.user.id)).size).toBe(1);
});

test('five wrong codes burn a challenge on every node, by challenge and by address alike', async () => {
  const email = newEmail();
  const challenge = await ask(email, 'both');
  const { code, token } = await project.mailTo(email);
  const tries = await twenty((at) =>
    at % 4 < 2
      ? byCode(challenge, wrong(code!))
      : auth('POST', '/auth/v1/verify', { body: { type: 'email', email, token: wrong(code!) } }),
  );
  expect(statuses(tries)).toEqual(times(20, 401));
  const [row] = await project.sql(`select attempts from auth.challenges where id = '${challenge}'`);
  expect(row).toEqual({ attempts: 5 });
  for (let node = 0; node < 2; node += 1) expect((await byCode(challenge, code!)).status).toBe(401);
  expect((await byLink(token!)).status).toBe(401);
});

test('passwords and mails are counted between the nodes: ten and five', async () => {
  const { email } = await project.user();
  expect(statuses(await twenty(() => project.signIn(email, 'wrong one')))).toEqual([
    ...times(10, 401),
    ...times(10, 429),
  ]);
  const mails = await twenty(() => auth('POST', '/auth/v1/magic-link', { body: { email, delivery: 'code' } }));
  expect(statuses(mails)).toEqual([...times(5, 200), ...times(15, 429)]);
  for (const answer of mails.filter(({ status }) => status === 429)) {
    expect(answer.body.code).toBe('RATE_LIMITED');
    expect(Number(answer.headers.get('retry-after'))).toBe(answer.body.retry_after);
    expect(answer.body.retry_after).toBeGreaterThan(3_500);
    expect(answer.body.retry_after).toBeLessThanOrEqual(3_600);
  }
});

test('thirty mails go from a project in an hour, whoever they go to and whichever node is asked', async () => {
  const answers = await Promise.all(
    Array.from({ length: 40 }, () =>
      auth('POST', '/auth/v1/magic-link', { body: { email: newEmail(), delivery: 'code' } }),
    ),
  );
  expect(statuses(answers)).toEqual([...times(30, 200), ...times(10, 429)]);
});

test('a project is asked a hundred times a second at most, whichever of its doors is knocked at', async () => {
  const caller = { headers: { apikey: project.anonKey } };
  // As if the project had been asked as often as it may be for the next minute.
  chargeProject(service, project.projectId, 6_000);
  for (const path of ['/auth/v1/providers', '/rest/v1/notes', '/auth/v1/.well-known/jwks.json']) {
    const answer = await service.call<{ code: string; retry_after: number }>(
      service.actors.nobody,
      'GET',
      path,
      caller,
    );
    expect([answer.status, answer.body.code]).toEqual([429, 'RATE_LIMITED']);
    expect(answer.headers.get('retry-after')).toBe(String(answer.body.retry_after));
  }
  chargeProject(service, project.projectId, -6_100);
  expect((await auth('GET', '/auth/v1/providers')).status).toBe(200);
});

test('both nodes sign with one key, and believe what the other signed', async () => {
  const { email, password } = await project.user();
  const kids = new Set<string>();
  for (let node = 0; node < 2; node += 1) {
    const { access_token } = (await project.signIn(email, password)).body;
    kids.add(JSON.parse(Buffer.from(access_token.split('.')[0], 'base64url').toString()).kid);
    for (let other = 0; other < 2; other += 1)
      expect((await auth('GET', '/auth/v1/user', { bearer: access_token })).status).toBe(200);
  }
  expect(kids.size).toBe(1);
});

const rows = (bearer: string) =>
  service.call(service.actors.nobody, 'GET', '/rest/v1/notes', {
    headers: { apikey: project.anonKey, authorization: `Bearer ${bearer}` },
  });

test('a session that is ended on one node ends on the other: at once for the account, soon for rows', async () => {
  const { access_token: bearer, sessionId } = await project.signedIn();
  // Both nodes remember that it stands.
  for (let node = 0; node < 2; node += 1) expect((await rows(bearer)).status).toBe(200);
  expect((await auth('POST', '/auth/v1/logout', { bearer })).status).toBe(200);
  for (let node = 0; node < 2; node += 1)
    expect((await auth('GET', '/auth/v1/user', { bearer })).body.details).toEqual({ reason: 'session_ended' });
  await until(async () => expect([(await rows(bearer)).status, (await rows(bearer)).status]).toEqual([401, 401]));
  expect(claimsOf(bearer).session_id).toBe(sessionId);
});

test('the sessions of a user who is gone are nobody’s, on either node', async () => {
  const { access_token: bearer, refresh_token, id } = await project.signedIn();
  await project.sql(`delete from auth.users where id = '${id}'`);
  for (let node = 0; node < 2; node += 1) {
    expect((await auth('GET', '/auth/v1/user', { bearer })).status).toBe(401);
    expect((await project.refresh(refresh_token)).status).toBe(401);
    expect((await auth('POST', '/auth/v1/logout?scope=global', { bearer })).status).toBe(401);
    expect((await auth('POST', '/auth/v1/logout', { bearer })).status).toBe(200);
  }
  expect((await byCode(randomUUID(), '123456')).status).toBe(401);
});
