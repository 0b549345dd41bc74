import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../scripts/free-port.ts';
import { dkimPython, swaksProgram } from '../../scripts/lane-programs.ts';
import { expectRefusal } from '../helpers/documented.ts';
import { startPostfix } from '../helpers/postfix-server.ts';
import { until } from '../helpers/until.ts';
import { bothWays, startMailStage } from '../hosts/mail-stage.ts';

// A real mail server (Postfix), a real client (swaks), and another reader of signatures (dkimpy), in place of those of
// `npm test`. The gateway sends all its mail by Postfix, which gives it all mail but that of its own domain.

const domain = 'outside.example';
const port = await freePort();
const stage = await startMailStage({}, { SMTP_URL: `smtp://127.0.0.1:${port}` });
const { service, dns } = stage;
const gateway = service.app.mailPort!;
let postfix: Awaited<ReturnType<typeof startPostfix>>;
beforeAll(async () => {
  postfix = await startPostfix({ port, domain, people: ['ada', 'bob', 'eve', 'sam'], next: gateway });
});
afterAll(async () => {
  await stage.stop();
  await postfix?.stop();
});

async function box(slug = 'hello-there') {
  const home = await stage.owner();
  const { mailbox_id: id, address } = (await home.mail.create(slug)).body;
  return { ...home, id, address };
}
type Box = Awaited<ReturnType<typeof box>>;

const send = async ({ mail, id }: Box, to: string, more: object = {}) => {
  const { status, body } = await mail.send(id, { to, subject: 'Your export', html: '<p>It is ready.</p>', ...more });
  expect(status).toBe(201);
  return body.message_id as string;
};
const becomes = ({ mail, id }: Box, message: string, expected: object) =>
  until(async () => expect((await mail.message(id, message)).body).toMatchObject(expected));

/** The latest mail that somebody has got, once there are so many. */
const delivered = (name: string, count: number) =>
  until(async () => {
    const mails = await postfix.mailOf(name);
    expect(mails).toHaveLength(count);
    return mails.at(-1)!;
  });

const header = (raw: string, name: string): string =>
  new RegExp(`^${name}: (.*)$`, 'im').exec(raw.split('\n\n')[0]!.replaceAll(/\n[ \t]+/g, ' '))![1]!;

/** Runs a program. @returns what it wrote, and how it ended */
async function run(program: string, args: readonly string[], input = '') {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.end(input, 'latin1');
  const [output, errors, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.on('close', resolve)),
  ]);
  return { output: output + errors, code };
}

/** Has swaks talk to a server. @returns the last answers, each line as the server said it */
async function swaks(server: number, args: readonly string[], input?: string) {
  const { output, code } = await run(
    swaksProgram()!,
    ['--server', '127.0.0.1', '--port', String(server), '--helo', `mx.${domain}`, ...args],
    input,
  );
  const answers = [...output.matchAll(/^<(?:-|\*\*|~|~\*) +(\d{3}[ -].*)$/gm)].map(([, answer]) => answer!);
  return { code, answers, output };
}

test('Postfix delivers what a mailbox sends, says so, and brings back what is answered', async () => {
  const home = await box();
  const to = `ada@${domain}`;
  const sent = await send(home, to, { attachments: [{ filename: 'a.csv', content_base64: 'YSxiCg==' }] });
  const raw = await delivered('ada', 1);
  expect(header(raw, 'From')).toContain(home.address);
  expect(header(raw, 'Return-Path')).toMatch(/^<bounces\+/);
  expect(raw).toContain('filename=a.csv');
  await becomes(home, sent, { status: 'delivered', provider: 'smtp', provider_message_id: expect.any(String) });
  const { code } = await swaks(port, [
    ...['--from', to, '--to', home.address, '--h-From', `Ada <${to}>`, '--h-Subject', 'Re: Your export'],
    ...['--add-header', `In-Reply-To: ${header(raw, 'Message-ID')}`, '--body', 'Thank you, Söhne.'],
  ]);
  expect(code).toBe(0);
  await until(async () => {
    const { messages } = (await home.mail.messages(home.id, '?direction=inbound')).body;
    expect(messages).toMatchObject([{ from_address: to, in_reply_to_message_id: sent, subject: 'Re: Your export' }]);
  });
});

test('a mail that Postfix takes and cannot deliver comes back, and its address is written to no more', async () => {
  const home = await box();
  const to = `nobody-here@${domain}`;
  const sent = await send(home, to);
  await becomes(home, sent, {
    status: 'bounced',
    bounce_type: 'Permanent',
    last_error: expect.stringContaining('unknown user'),
  });
  const again = await home.mail.send(home.id, { to, subject: 'Again', html: '<p>x</p>' });
  expectRefusal(again, 'RECIPIENT_SUPPRESSED', { suppression_reason: 'bounce' });
});

/** Asks the name server of the test for the key, and checks the signature by it. */
const script = `import sys, dkim, dns.resolver
resolver = dns.resolver.Resolver(configure=False)
resolver.nameservers, resolver.port = ['127.0.0.1'], int(sys.argv[1])
def key(name, timeout=5):
    return b''.join(resolver.resolve(name.decode(), 'TXT')[0].strings)
mail = dkim.DKIM(sys.stdin.buffer.read())
try:
    print(mail.verify(dnsfunc=key), mail.domain.decode())
except dkim.ValidationError as error:
    print(str(error).split(' (')[0])`;

const signed = async (raw: string) =>
  (await run(dkimPython()!, ['-c', script, dns.address.split(':').at(-1)!], raw)).output.trim();

test('another reader finds mail from an own domain signed by it, after Postfix has delivered it', async () => {
  const home = await box();
  const name = 'shop.example';
  expect((await stage.connect(home, name, bothWays)).status).toBe('active');
  await send(home, `bob@${domain}`, { subject: 'Rückruf – 42', text: '.\r\n.. dots\r\n', from_name: 'Söhne' });
  const raw = await delivered('bob', 1);
  expect(header(raw, 'From')).toContain(`hello@${name}`);
  expect(await signed(raw)).toBe(`True ${name}`);
  expect(await signed(raw.replace('dots', 'data'))).toBe('body hash mismatch');
  // The mails of sign-in of its users as well.
  await home.mail.defaults({ auth_sender_mailbox_id: home.id });
  const asked = await service.call(service.actors.apikey(home.anonKey), 'POST', '/auth/v1/magic-link', {
    body: { email: `bob@${domain}`, delivery: 'code' },
  });
  expect(asked.status).toBe(200);
  const code = await delivered('bob', 2);
  expect(header(code, 'From')).toContain(`hello@${name}`);
  expect(await signed(code)).toBe(`True ${name}`);
});

test('a mail of sign-in that comes back leaves its mailbox as it is, and nothing in it', async () => {
  const home = await box();
  await home.mail.defaults({ auth_sender_mailbox_id: home.id });
  const email = `not-there@${domain}`;
  await service.call(service.actors.apikey(home.anonKey), 'POST', '/auth/v1/magic-link', {
    body: { email, delivery: 'code' },
  });
  await until(async () => {
    const answer = await home.mail.send(home.id, { to: email, subject: 'x', html: '<p>x</p>' });
    expectRefusal(answer, 'RECIPIENT_SUPPRESSED', { suppression_scope: 'project' });
  });
  expect((await home.mail.get(home.id)).body.status).toBe('active');
  expect((await home.mail.messages(home.id, '?direction=inbound')).body.messages).toEqual([]);
});

test('swaks is refused what answers nothing, what is for nobody, and what is for elsewhere', async () => {
  const home = await box();
  const from = `eve@${domain}`;
  const last = async (...args: readonly string[]) => {
    const { answers, code } = await swaks(gateway, ['--from', from, ...args]);
    expect(code).not.toBe(0);
    return answers.find((answer) => /^[45]/.test(answer));
  };
  expect(await last('--to', home.address)).toMatch(/^550 /);
  expect(await last('--to', home.address.replace('hello', 'other'))).toMatch(/^550 5\.1\.1/);
  expect(await last('--to', 'ada@elsewhere.example')).toMatch(/^550 5\.7\.1/);
  expect(await last('--to', home.address, '--auth', 'PLAIN', '--auth-user', 'a', '--auth-password', 'b')).toBe(
    undefined,
  );
  expect((await home.mail.messages(home.id)).body.messages).toEqual([]);
});

test('swaks smuggles no second mail in behind a bare line feed, and sends none that is too large', async () => {
  const home = await box();
  const from = `sam@${domain}`;
  const sent = await send(home, from);
  const raw = await delivered('sam', 1);
  const head = [
    `From: <${from}>`,
    `To: <${home.address}>`,
    'Subject: Re',
    `In-Reply-To: ${header(raw, 'Message-ID')}`,
    '',
    '',
  ].join('\r\n');
  const data = async (body: string) => {
    const { answers } = await swaks(
      gateway,
      ['--from', from, '--to', home.address, '--no-data-fixup', '--data', '-'],
      `${head}${body}\r\n.\r\n`,
    );
    // What the client says behind the end of its mail is no command.
    const said = answers.slice(answers.findIndex((answer) => answer.startsWith('354')) + 1);
    return said.filter((answer) => !/^(221|500) /.test(answer));
  };
  const smuggled = `MAIL FROM:<ceo@${domain}>\r\nRCPT TO:<${home.address}>\r\nDATA\r\n${head}Smuggled.`;
  for (const end of ['\n.\n', '\n.\r\n', '\r\n.\n', '\r.\r', '\r.\r\n'])
    expect(await data(`Hello.${end}${smuggled}`)).toEqual([expect.stringMatching(/^550 5\.6\.0 /)]);
  expect(await data('x'.repeat(10).concat('\r\n').repeat(900_000))).toEqual([expect.stringMatching(/^552 /)]);
  expect((await home.mail.messages(home.id, '?direction=inbound')).body.messages).toEqual([]);
  // The same without any of it is an answer.
  expect(await data('Hello.')).toEqual([expect.stringMatching(/^250 /)]);
  const { messages } = (await home.mail.messages(home.id, '?direction=inbound')).body;
  expect(messages).toMatchObject([{ from_address: from, in_reply_to_message_id: sent }]);
});
