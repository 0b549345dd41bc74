import { afterAll, expect, test } from 'vitest';
import { startService } from '../helpers/service.ts';
import { startSmtp } from '../helpers/smtp-server.ts';
import { mailDoor } from './mail-door.ts';
import { mailOf, mailSender, plainSmtp } from './mail-sender.ts';

const smtp = await startSmtp();
const service = await startService({
  env: { SMTP_URL: `smtp://127.0.0.1:${smtp.port}`, MAIL_LISTEN: '127.0.0.1:0' },
});
afterAll(async () => {
  await service.stop();
  await smtp.stop();
});
const port = service.app.mailPort!;
const outside = mailSender(port);

const project = await service.project();
const door = mailDoor(service, project.serviceKey);
const { mailbox_id: id, address } = (await door.create('hello-there')).body;
const reader = 'ada@example.com';
await door.send(id, { to: reader, subject: 'Your export', html: '<p>Ready.</p>' });
const envelope = { from: reader, to: address };

let mails = 0;

/** Sends a mail that answers the one above, and shows what was kept of it. */
async function kept(raw: string | Buffer) {
  mails += 1;
  const bytes = Buffer.concat([Buffer.from(`From: ${reader}\r\nX-Number: ${mails}\r\n`), Buffer.from(raw)]);
  const answer = await outside.raw(envelope, bytes);
  expect(answer).toMatch(/^250 /);
  const { messages } = (await door.messages(id, '?direction=inbound&limit=1')).body;
  return (await door.message(id, messages[0].message_id)).body;
}

const big = 10 * 1024 * 1024 - 1_000;
/** More than is looked at of a body. */
const middle = 1024 * 1024;
const filled = (head: string, unit: string, size = big) =>
  Buffer.concat([Buffer.from(head), Buffer.alloc(size - head.length, unit)]);

const bombs: readonly (readonly [string, string, Buffer])[] = [
  ['empty lines', 'too_many_lines', filled('A: b\r\n\r\n', '\r\n')],
  ['headers of two letters', 'too_many_lines', filled('A: b\r\n', 'a:\r\n')],
  ['one header of many lines', 'too_many_lines', filled('A: b\r\n', ' x\r\n')],
  [
    'parts',
    'too_many_parts',
    Buffer.from(`Content-Type: multipart/mixed; boundary=a\r\n\r\n${'--a\r\n\r\n'.repeat(11_000)}`),
  ],
  [
    'nested parts',
    'too_deep',
    Buffer.from(
      Array.from({ length: 500 }, (_, at) => `Content-Type: multipart/mixed; boundary=b${at}\r\n\r\n--b${at}\r\n`).join(
        '',
      ),
    ),
  ],
];

test.each(bombs)('a mail of nothing but %s is refused for good: %s', async (_what, fault, raw) => {
  const answer = await outside.raw(envelope, Buffer.concat([Buffer.from(`From: ${reader}\r\n`), raw]));
  expect(answer).toContain(`554 5.6.0 The mail cannot be read: ${fault}`);
});

const harmless: readonly (readonly [string, Buffer | string])[] = [
  [
    'many elements in each other',
    filled('Content-Type: text/html\r\n\r\n', `${'<table><a><b>'.repeat(20)}\r\n`, middle),
  ],
  ['many encoded words', `Subject: ${'=?utf-8?Q?a?=\r\n '.repeat(20_000)}\r\n\r\nx`],
  ['many addresses', `To: ${'a@b, "<\r\n '.repeat(20_000)}\r\n\r\nx`],
  [
    'parameters',
    `Content-Type: text/plain; ${Array.from({ length: 20_000 }, (_, at) => `a*${at}=b;\r\n `).join('')}c=d\r\n\r\nx`,
  ],
  [
    'signatures',
    `${'DKIM-Signature: v=1; a=rsa-sha256; d=b.test; s=x; h=from; l=9; bh=aaaa; b=aaaa\r\n'.repeat(2_000)}\r\nx`,
  ],
  [
    'many quotations',
    filled('A: b\r\n\r\n', `${'> '.repeat(30)}\r\nOn Mon wrote somebody long ago in a mail:\r\n`, middle),
  ],
  ['an unknown charset', 'Content-Type: text/plain; charset=klingon\r\n\r\nQapla'],
  ['nothing', '\r\n'],
];

test.each(harmless)('a mail with %s is read', async (_what, raw) => {
  const { body_text } = await kept(raw);
  expect(body_text.length).toBeLessThan(10_100);
});

test('texts are read by what they are, and no NUL reaches a text', async () => {
  const part = (type: string, bytes: Buffer) => Buffer.concat([Buffer.from(`Content-Type: ${type}\r\n\r\n`), bytes]);
  const japanese = Buffer.from('1b2442242224241b2842', 'hex');
  expect((await kept(part('text/plain', japanese))).body_text).toBe('あい');
  expect((await kept(part('text/plain; charset=iso-2022-jp', Buffer.from('Grüße')))).body_text).toBe('Grüße');
  expect((await kept(part('text/plain', Buffer.from('Gr\xfc\xdfe', 'latin1')))).body_text).toBe('Grüße');
  expect((await kept(part('text/plain; charset=gbk', Buffer.from('c4e3bac3', 'hex')))).body_text).toBe('你好');
  const zero = await kept(Buffer.from('Subject: a\0b\r\n\r\nx\0y'));
  expect(zero).toMatchObject({ subject: 'a b', body_text: 'xy' });
  const raw = await kept(
    Buffer.concat([Buffer.from('Subject: '), Buffer.from('c4e3bac3', 'hex'), Buffer.from('\r\n\r\nx')]),
  );
  expect(raw.subject).not.toBe('');
});

test('names of files come through in every spelling', async () => {
  const file = (disposition: string) =>
    mailOf(
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b',
      '',
      'See.',
      '--b',
      'Content-Type: text/csv',
      disposition,
      '',
      'a,b',
      '--b--',
    );
  const named = async (disposition: string) => (await kept(file(disposition))).attachments_meta[0].filename;
  expect(await named(`Content-Disposition: attachment; filename*=utf-8''%F0%9F%98%8A.txt`)).toBe('😊.txt');
  expect(await named('Content-Disposition: attachment; filename="=?utf-8?Q?=C3=98konomi=2Exlsx?="')).toBe(
    'Økonomi.xlsx',
  );
  expect(await named('Content-Disposition: attachment; filename="../../etc/passwd"')).toBe('passwd');
  const korean = '가'.repeat(90);
  const pieces = encodeURIComponent(korean).match(/.{1,54}/g)!;
  const continued = pieces.map((piece, at) => ` filename*${at}*=${at === 0 ? "utf-8''" : ''}${piece}`).join(';\n');
  expect(await named(`Content-Disposition: attachment;\n${continued}`)).toBe(korean);
});

const written: readonly (readonly [string, readonly string[], string])[] = [
  [
    'begins like an attribution',
    ['On your server run:', 'ls -l', '', 'Then tell me.'],
    'On your server run:\nls -l\n\nThen tell me.',
  ],
  [
    'stands above a quotation',
    ['Yes.', '', 'On Mon, 4 May 2026, Bo', '<bo@example.com> wrote:', '> Shall we?'],
    'Yes.',
  ],
  ['stands below a quotation', ['On Mon, 4 May 2026, Bo wrote:', '> Shall we?', '', 'Yes.'], 'Yes.'],
  [
    'stands above Danish headers',
    ['Ja.', '', 'Fra: Bo <bo@example.com>', 'Sendt: 4. maj 2026 10:00', 'Til: Ada', 'Emne: Skal vi?', '', 'Skal vi?'],
    'Ja.',
  ],
  [
    'stands above a divider',
    ['Yes.', '', '-----Original Message-----', 'From: Bo', 'Sent: Monday, May 4, 2026', 'To: Ada', '', 'Shall we?'],
    'Yes.',
  ],
  [
    'lists points',
    ['Fix: the door', 'Paint: the wall', 'Call: the owner'],
    'Fix: the door\nPaint: the wall\nCall: the owner',
  ],
  ['is all quoted', ['> Shall we?', '> Yes.'], '> Shall we?\n> Yes.'],
];

test.each(written)('what somebody wrote is kept where it %s', async (_where, lines, text) => {
  expect((await kept(mailOf('A: b', '', ...lines))).body_text).toBe(text);
});

test('only CRLF.CRLF ends a mail, and a line that ends otherwise has it refused', async () => {
  const client = await plainSmtp(port);
  await client.say('EHLO mx.example.com\r\n');
  const smuggled = async (end: string) => {
    expect(await client.say(`MAIL FROM:<${reader}>\r\n`)).toMatch(/^250/);
    expect(await client.say(`RCPT TO:<${address}>\r\n`)).toMatch(/^250/);
    expect(await client.say('DATA\r\n')).toMatch(/^354/);
    const answer = await client.say(
      `From: ${reader}\r\n\r\nOne${end}MAIL FROM:<eve@example.com>\r\nRCPT TO:<${address}>\r\nDATA\r\nTwo\r\n.\r\n`,
    );
    expect(answer).toMatch(/^550 5\.6\.0 /);
  };
  for (const end of ['\n.\r\n', '\n.\n', '\r.\r\n', '\r\n.\n', '\r\n.\r', '\n..\r\n']) await smuggled(end);
  client.end();
});

test('a mail that is too large is refused, whether or not it says so', async () => {
  const over = `552 `;
  const client = await plainSmtp(port);
  await client.say('EHLO mx.example.com\r\n');
  expect(await client.say(`MAIL FROM:<${reader}> SIZE=10485761\r\n`)).toContain(over);
  expect(await client.say(`MAIL FROM:<${reader}>\r\n`)).toMatch(/^250/);
  await client.say(`RCPT TO:<${address}>\r\n`);
  await client.say('DATA\r\n');
  expect(
    await client.say(Buffer.concat([Buffer.alloc(11 * 1024 * 1024, 'aaaaaaa\r\n'), Buffer.from('\r\n.\r\n')])),
  ).toContain(over);
  client.end();
});

test('strangers hold no more than their share of connections', async () => {
  const clients = await Promise.all(Array.from({ length: 20 }, () => plainSmtp(port)));
  expect(await (await plainSmtp(port)).say('EHLO mx.example.com\r\n')).toMatch(/^421|closed/);
  for (const client of clients) client.end();
  await expect
    .poll(async () => {
      const client = await plainSmtp(port);
      const answer = await client.say('EHLO mx.example.com\r\n');
      client.end();
      return answer;
    })
    .toMatch(/^250/);
});
