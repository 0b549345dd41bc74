import { createServer } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { startService } from '../helpers/service.ts';
import { startSmtp } from '../helpers/smtp-server.ts';
import { until } from '../helpers/until.ts';
import { authProject, expectNoSecretLogged, newEmail, noteSecrets } from './auth-project.ts';

const smtp = await startSmtp();
const service = await startService({
  env: { SMTP_URL: `smtp://127.0.0.1:${smtp.port}`, MAIL_FROM: 'svc <no-reply@example.com>' },
});
const project = await authProject(service);

/** A port where nobody listens. */
const closedPort = await new Promise<number>((resolve) => {
  const server = createServer().listen(0, '127.0.0.1', () => {
    const { port } = server.address() as { port: number };
    server.close(() => resolve(port));
  });
});
const unheard = await startService({ env: { SMTP_URL: `smtp://127.0.0.1:${closedPort}` } });
const unheardProject = await authProject(unheard);

afterAll(async () => {
  for (const one of [service, unheard]) expectNoSecretLogged(one);
  await Promise.all([project.end(), unheardProject.end()]);
  await Promise.all([service.stop(), unheard.stop()]);
  await smtp.stop();
});

/** The mail that reached the server, as its reader sees it. */
async function received(address: string) {
  return until(() => {
    const [mail, ...more] = smtp.taken.filter(({ to }) => to[0] === address);
    expect([mail === undefined, more]).toEqual([false, []]);
    const [head, body] = mail!.raw.split('\r\n\r\n', 2) as [string, string];
    const rest = mail!.raw.slice(head.length + 4);
    const encoding = /^content-transfer-encoding: (\S+)/im.exec(head)?.[1];
    const text =
      encoding === 'quoted-printable'
        ? rest
            .replaceAll('=\r\n', '')
            .replaceAll(/=([0-9A-F]{2})/g, (_all, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
        : encoding === 'base64'
          ? Buffer.from(body, 'base64').toString()
          : rest;
    const token = /[?&]token=([\w-]+)/.exec(text)?.[1];
    const codes = text.match(/^\d+\r?$/gm)?.map((line) => line.trim()) ?? [];
    noteSecrets({ token });
    return { from: mail!.from, head, text, token, codes };
  });
}

const ask = (body: object) => project.auth('POST', '/auth/v1/magic-link', { body });
const grant = (grant_type: string, body: object) =>
  project.auth('POST', `/auth/v1/token?grant_type=${grant_type}`, { body });

test('a link reaches the mail server as it was asked for, and signs in', async () => {
  const email = newEmail();
  await ask({ email, redirect_url: 'http://localhost:3000/welcome?next=%2Fa%20b#part' });
  const { from, head, text, token, codes } = await received(email);
  expect(from).toBe('no-reply@example.com');
  expect(head).toMatch(/^Subject: Sign in to /m);
  expect(text).toContain(`http://localhost:3000/welcome?next=%2Fa+b&token=${token}#part`);
  expect(text).toMatch(/good once, for 15 minutes/);
  expect(codes).toEqual([]);
  expect((await grant('magic_link', { token })).status).toBe(200);
});

test('a code of six digits reaches the mail server without a link, and signs in', async () => {
  const email = newEmail();
  const { challenge_id } = (await ask({ email, delivery: 'code', redirect_url: 'http://localhost/' })).body;
  const { text, token, codes } = await received(email);
  expect([token, codes]).toEqual([undefined, [expect.stringMatching(/^\d{6}$/)]]);
  expect(text).not.toContain('http');
  expect((await grant('email_code', { challenge_id, code: codes[0] })).status).toBe(200);
});

test('a mail with both has one link and one code', async () => {
  const email = newEmail();
  await ask({ email, delivery: 'both', redirect_url: 'http://localhost/?token=mine' });
  const { text, token, codes } = await received(email);
  expect([text.match(/token=/g)?.length, codes.length]).toEqual([1, 1]);
  expect(token).toMatch(/^svcl_[\w-]{43}$/);
  // What is kept of it is good for nobody.
  await until(async () => {
    const kept = await service.control.sql('select state, body_text from mail_outbox where recipient = $1', [email]);
    expect(kept).toEqual([
      {
        state: 'sent',
        body_text: text.replaceAll('\r', '').trimEnd().replace(token!, '***').replace(codes[0]!, '******'),
      },
    ]);
  });
});

test('the name of a project stays in the subject, whatever it is', async () => {
  const name = 'Ångström & "Söhne" <b>';
  await service.control.sql('update projects set name = $1 where id = $2', [name, project.projectId]);
  const email = newEmail();
  await ask({ email, intent: 'recovery', redirect_url: 'http://localhost/' });
  await project.auth('POST', '/auth/v1/signup', { body: { email: `second-${email}`, password: 'secret' } });
  await ask({ email: `second-${email}`, intent: 'recovery', redirect_url: 'http://localhost/' });
  const { head } = await received(`second-${email}`);
  expect(
    head
      .match(/^(subject|to|from|bcc|cc):/gim)
      ?.map((line) => line.toLowerCase())
      .sort(),
  ).toEqual(['from:', 'subject:', 'to:']);
  // Nobody recovers what is not there, and no mail says so.
  expect(await service.control.sql('select from mail_outbox where recipient = $1', [email])).toEqual([]);
});

test('while the mail server takes no mail, whoever asks for one is told, user or not', async () => {
  const body = (email: string) => ({ email, delivery: 'code' });
  const { email } = await unheardProject.user();
  const first = await unheardProject.auth('POST', '/auth/v1/magic-link', { body: body(email) });
  expect(first.body.warnings).toBeUndefined();
  await until(async () => {
    const tried = await unheard.control.sql('select from mail_outbox where recipient = $1 and last_error is not null', [
      email,
    ]);
    expect(tried).toHaveLength(1);
  });
  for (const address of [email, newEmail()]) {
    const { body: answer } = await unheardProject.auth('POST', '/auth/v1/magic-link', { body: body(address) });
    expect(answer.warnings).toEqual([{ code: 'EMAIL_DELIVERY_DELAYED', message: expect.any(String) }]);
  }
});
