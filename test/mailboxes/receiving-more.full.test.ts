import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { afterAll, expect, test } from 'vitest';
import { certificate, certificateKey } from '../helpers/certificate.ts';
import { startDnsServer } from '../helpers/dns-server.ts';
import { openSocket } from '../helpers/graphql-ws-client.ts';
import { startService } from '../helpers/service.ts';
import { startSmtp } from '../helpers/smtp-server.ts';
import { until } from '../helpers/until.ts';
import { mailDoor } from './mail-door.ts';
import { mailOf, mailSender } from './mail-sender.ts';

const dns = await startDnsServer();
const smtp = await startSmtp({
  onData: async (stream, session, done) => {
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk as Buffer);
    const raw = Buffer.concat(chunks).toString();
    smtp.taken.push({ from: (session.envelope.mailFrom as { address: string }).address, to: [], raw });
    // As SES names what it has taken.
    done(null, `Ok 0100018f-${/<msg_(\w{26})@/.exec(raw)?.[1]}-000000`);
  },
});
const folder = join(tmpdir(), `svc-mail-${randomBytes(6).toString('hex')}`);
await writeFile(`${folder}.pem`, certificate);
await writeFile(`${folder}.key`, certificateKey);
const service = await startService({
  env: {
    SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
    MAIL_LISTEN: '127.0.0.1:0',
    DNS_SERVERS: dns.address,
    TLS_CERT_FILE: `${folder}.pem`,
    TLS_KEY_FILE: `${folder}.key`,
  },
});
afterAll(async () => {
  await service.stop();
  await smtp.stop();
  await dns.stop();
  await rm(`${folder}.pem`);
  await rm(`${folder}.key`);
});
const { control } = service;
const port = service.app.mailPort!;
const outside = mailSender(port);

async function newBox() {
  const project = await service.project();
  const door = mailDoor(service, project.serviceKey);
  const { mailbox_id: id, address } = (await door.create('hello-there')).body;
  const inbound = async () => (await door.messages(id, '?direction=inbound')).body.messages;
  return { ...project, ...door, id, address, inbound };
}
type Box = Awaited<ReturnType<typeof newBox>>;

async function written(box: Box, to: string) {
  const { body } = await box.send(box.id, { to, subject: 'Your export', html: '<p>Ready.</p>' });
  await expect.poll(async () => (await box.message(box.id, body.message_id)).body.status).toBe('sent');
  return body.message_id as string;
}

const keys = generateKeyPairSync('rsa', {
  modulusLength: 1024,
  publicKeyEncoding: { type: 'spki', format: 'der' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});

/** A mail server of a domain, which signs what it sends. */
const signing = (domain: string) =>
  createTransport({
    host: '127.0.0.1',
    port,
    ignoreTLS: true,
    name: `mx.${domain}`,
    dkim: { domainName: domain, keySelector: 'one', privateKey: keys.privateKey },
  });

test('what the domain of a sender says of its mail is kept with it', async () => {
  dns.set('signed.test', { TXT: ['v=spf1 ip4:127.0.0.1 -all'] });
  dns.set('_dmarc.signed.test', { TXT: ['v=DMARC1; p=reject'] });
  dns.set('one._domainkey.signed.test', { TXT: [`v=DKIM1; p=${keys.publicKey.toString('base64')}`] });
  const box = await newBox();
  await written(box, 'ada@signed.test');
  await signing('signed.test').sendMail({ from: 'ada@signed.test', to: box.address, subject: 'Yes', text: 'Yes.' });
  expect(await box.inbound()).toMatchObject([
    {
      authentication: {
        spf: 'pass',
        dkim: 'pass',
        dmarc: 'pass',
        dmarc_policy: 'reject',
        from_domain: 'signed.test',
        signed_by: ['signed.test'],
      },
    },
  ]);
});

test('a mail whose domain has such mail refused is refused, and one of a domain that says nothing is kept', async () => {
  dns.set('strict.test', { TXT: ['v=spf1 -all'] });
  dns.set('_dmarc.strict.test', { TXT: ['v=DMARC1; p=reject'] });
  dns.set('loose.test', { TXT: ['v=spf1 -all'] });
  dns.set('_dmarc.loose.test', { TXT: ['v=DMARC1; p=none'] });
  const box = await newBox();
  for (const to of ['ada@strict.test', 'ada@loose.test', 'ada@silent.test']) await written(box, to);
  const from = (address: string) =>
    outside.raw({ from: address, to: box.address }, mailOf(`From: ${address}`, '', 'I am Ada.'));
  expect(await from('ada@strict.test')).toMatch(/^550 5\.7\.1 .*DMARC/);
  expect(await from('ada@loose.test')).toMatch(/^250/);
  expect(await from('ada@silent.test')).toMatch(/^250/);
  expect((await box.inbound()).map((one: { authentication: object }) => one.authentication)).toMatchObject([
    { spf: 'none', dmarc: 'none' },
    { spf: 'fail', dmarc: 'fail', dmarc_policy: 'none' },
  ]);
});

test('with a certificate the connection can be encrypted', async () => {
  const box = await newBox();
  await written(box, 'ada@silent.test');
  const secure = mailSender(port, { ca: certificate, servername: 'mine.example.com' });
  const mail = mailOf('From: ada@silent.test', '', 'Over TLS.');
  expect(await secure.raw({ from: 'ada@silent.test', to: box.address }, mail)).toMatch(/^250/);
  const wrong = mailSender(port, { ca: certificate, servername: 'other.example.com' });
  await expect(wrong.raw({ from: 'ada@silent.test', to: box.address }, mail)).rejects.toThrow();
});

test('an answer finds its mail by the name that the mail server gave it, and by its thread from the end', async () => {
  const box = await newBox();
  const [first, second] = [await written(box, 'ada@silent.test'), await written(box, 'bo@silent.test')];
  const nameOf = (id: string) => `0100018f-${id.slice(4)}-000000@eu-west-1.amazonses.com`;
  expect((await box.message(box.id, first)).body.provider_message_id).toBe(nameOf(first).split('@')[0]);
  const answer = (references: string) =>
    outside.raw(
      { from: 'cy@silent.test', to: box.address },
      mailOf('From: cy@silent.test', references, '', references),
    );
  expect(await answer(`In-Reply-To: <${nameOf(first)}>`)).toMatch(/^250/);
  expect(await answer(`References: <${nameOf(first)}> <${nameOf(second)}> <unknown@silent.test>`)).toMatch(/^250/);
  const kept = await box.inbound();
  expect(kept.map((one: { in_reply_to_message_id: string }) => one.in_reply_to_message_id)).toEqual([second, first]);
  // And an answer to it continues the thread in its order.
  const [{ message_id: id }] = kept;
  const { body } = await box.send(box.id, { to: 'cy@silent.test', subject: 'Re', html: 'x', in_reply_to: id });
  await expect.poll(() => smtp.taken.some(({ raw }) => raw.includes(body.message_id))).toBe(true);
  const { raw } = smtp.taken.find((one) => one.raw.includes(body.message_id))!;
  const references = /^References:((?:.|\r\n[ \t])*)/m.exec(raw)![1]!.trim().split(/\s+/);
  expect(references.slice(0, 3)).toEqual([`<${nameOf(first)}>`, `<${nameOf(second)}>`, '<unknown@silent.test>']);
});

test('the spelling of an address is the sender’s, and it is one address', async () => {
  const box = await newBox();
  await written(box, 'Foo@Silent.test');
  expect((await box.messages(box.id)).body.messages[0].to).toBe('Foo@Silent.test');
  const mail = mailOf('From: foo@silent.test', '', 'Yes.');
  expect(await outside.raw({ from: 'foo@silent.test', to: box.address.toUpperCase() }, mail)).toMatch(/^250/);
  await written(box, 'foo@silent.test');
  expect((await box.get(box.id)).body.unique_recipients).toBe(1);
});

test('bytes of mail count as storage, a full organization takes none, and they go with the mailbox', async () => {
  const box = await newBox();
  await written(box, 'ada@silent.test');
  const envelope = { from: 'ada@silent.test', to: box.address };
  expect(await outside.raw(envelope, mailOf('From: ada@silent.test', '', 'One.'))).toMatch(/^250/);
  const held = () =>
    control.sql<{ named: boolean; given_up: boolean }>(
      'select named, given_up from content_objects where project_id = $1',
      [box.projectId],
    );
  expect(await held()).toEqual([{ named: true, given_up: false }]);
  await control.sql(`update orgs set limit_overrides = '{"storageBytes": 1}' where id = $1`, [box.orgId]);
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  expect(await outside.raw(envelope, mailOf('From: ada@silent.test', '', 'Two.'))).toMatch(/^452 4\.2\.2/);
  await control.sql(`update orgs set limit_overrides = '{}' where id = $1`, [box.orgId]);
  await box.remove(box.id);
  expect(await held()).toEqual([{ named: false, given_up: true }]);
});

test('a subscription tells of mail as it is sent and comes in', async () => {
  const box = await newBox();
  const { client } = openSocket(service.url, service.actors.bearer(box.serviceKey));
  const events = client.iterate<{ mailboxMessages: { message: { subject: string; status: string } } }, unknown>({
    query:
      'subscription ($mailbox: String) { mailboxMessages(mailbox: $mailbox) { cursor message { direction status subject } } }',
    variables: { mailbox: box.id },
  });
  const heard: { subject: string; status: string }[] = [];
  const all = (async () => {
    for await (const { data } of events) heard.push(data!.mailboxMessages.message);
  })();
  // Mail that is sent before the subscription has begun is none of its events.
  while (heard.length === 0) await written(box, 'ada@silent.test');
  await box.send(box.id, { to: 'ada@silent.test', subject: 'Your report', html: '<p>Ready.</p>' });
  const told = () => heard.filter(({ subject }) => subject !== 'Your export');
  await until(() => expect(told().at(-1)).toMatchObject({ status: 'SENT' }));
  const envelope = { from: 'ada@silent.test', to: box.address };
  expect(await outside.raw(envelope, mailOf('From: ada@silent.test', 'Subject: Yes', '', 'x'))).toMatch(/^250/);
  await until(() => expect(told()).toHaveLength(3));
  expect(told()).toEqual([
    { direction: 'OUTBOUND', status: 'PENDING', subject: 'Your report' },
    { direction: 'OUTBOUND', status: 'SENT', subject: 'Your report' },
    { direction: 'INBOUND', status: 'RECEIVED', subject: 'Yes' },
  ]);
  await client.dispose();
  await all;
});
