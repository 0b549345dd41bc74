import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import type { SMTPServerOptions } from 'smtp-server';
import { expect, test } from 'vitest';
import { createMailer, MailError } from '../../engines/mail/mailer.ts';
import { startSmtp } from '../helpers/smtp-server.ts';

const log = { debug: () => {} };
const from = 'svc <no-reply@example.com>';
const mail = { to: 'ada@example.com', subject: 'Hello', text: 'Line one\nÜmläut\n.\nafter the dot' };

test('without a server nothing is sent and the mailer says so', async () => {
  const mailer = createMailer({ smtpUrl: undefined, from, log });
  expect(mailer.configured).toBe(false);
  await expect(mailer.send(mail)).rejects.toThrow(/SMTP_URL/);
  mailer.close();
});

test('a mail reaches the server whole, from the configured sender, with the credentials of the URL', async () => {
  let signedIn: unknown;
  const smtp = await startSmtp({
    authOptional: false,
    onAuth: (auth, _session, done) => {
      signedIn = [auth.username, auth.password];
      done(null, { user: auth.username! });
    },
  });
  const mailer = createMailer({ smtpUrl: `smtp://postman:p%40ss@127.0.0.1:${smtp.port}`, from, log });
  expect(mailer.configured).toBe(true);
  await mailer.send(mail);
  mailer.close();
  await smtp.stop();
  expect(signedIn).toEqual(['postman', 'p@ss']);
  expect(smtp.taken).toHaveLength(1);
  expect(smtp.taken[0]).toMatchObject({ from: 'no-reply@example.com', to: ['ada@example.com'] });
  expect(smtp.taken[0]!.raw).toMatch(/^Subject: Hello\r$/m);
  expect(smtp.taken[0]!.raw).toMatch(/after the dot/);
});

test('neither a recipient nor a subject can add recipients or headers', async () => {
  const smtp = await startSmtp();
  const mailer = createMailer({ smtpUrl: `smtp://127.0.0.1:${smtp.port}`, from, log });
  await mailer.send({ ...mail, subject: 'Hello\r\nBcc: eve@example.com' });
  await mailer.send({ ...mail, to: 'ada@example.com, eve@example.com' }).catch(() => undefined);
  await mailer.send({ ...mail, to: 'ada@example.com\r\nRCPT TO:<eve@example.com>' }).catch(() => undefined);
  await smtp.stop();
  expect(smtp.taken.flatMap(({ to }) => to).filter((address) => address === 'eve@example.com')).toEqual([]);
  expect(smtp.taken[0]!.raw).not.toMatch(/^Bcc:/m);
});

const refusal = (code: number, message: string) => Object.assign(new Error(message), { responseCode: code });

test.each<[string, SMTPServerOptions, RegExp]>([
  [
    'wrong credentials',
    { authOptional: false, onAuth: (_auth, _session, done) => done(refusal(535, 'hunter2 is wrong')) },
    /^The mail server refused the credentials of SMTP_URL \(535\)\.$/,
  ],
  [
    'an unknown recipient',
    { onRcptTo: (_address, _session, done) => done(refusal(550, 'ada@example.com? hunter2')) },
    /^The mail server refused the sender or the recipient \(550\)\.$/,
  ],
  [
    'a mail it does not like',
    {
      onData: (stream, _session, done) => {
        stream.resume().on('end', () => done(refusal(554, 'spam hunter2')));
      },
    },
    /^The mail server refused the message \(554\)\.$/,
  ],
])('%s is reported in words that hold no secret', async (_case, options, message) => {
  const smtp = await startSmtp(options);
  const mailer = createMailer({ smtpUrl: `smtp://user:hunter2@127.0.0.1:${smtp.port}`, from, log });
  const error = await mailer.send(mail).catch((caught: unknown) => caught);
  await smtp.stop();
  expect(error).toBeInstanceOf(MailError);
  expect((error as Error).message).toMatch(message);
  expect((error as Error).stack).not.toContain('hunter2');
});

test('a server that is not there, and one that never answers, are given up', async () => {
  const sockets: Socket[] = [];
  const mute = createServer((socket) => void sockets.push(socket)).listen(0, '127.0.0.1');
  await once(mute, 'listening');
  const { port } = mute.address() as AddressInfo;
  const mailer = createMailer({ smtpUrl: `smtp://127.0.0.1:${port}`, from, log, timeoutMs: 100 });
  await expect(mailer.send(mail)).rejects.toThrow('The mail server cannot be reached.');
  for (const socket of sockets) socket.destroy();
  mute.close();
  await once(mute, 'close');
  await expect(mailer.send(mail)).rejects.toThrow('The mail server cannot be reached.');
});
