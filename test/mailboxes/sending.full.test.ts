import { afterAll, expect, test } from 'vitest';
import { startService } from '../helpers/service.ts';
import { startSmtp } from '../helpers/smtp-server.ts';
import { mailDoor } from './mail-door.ts';

const refused = new Set<string>();
const smtp = await startSmtp({
  onRcptTo: ({ address }, _session, done) =>
    done(
      refused.has(address)
        ? Object.assign(new Error('No such user.'), { responseCode: address.startsWith('later') ? 451 : 550 })
        : null,
    ),
});
const service = await startService({ env: { SMTP_URL: `smtp://127.0.0.1:${smtp.port}` } });
afterAll(async () => {
  await service.stop();
  await smtp.stop();
});
const { control } = service;

async function newBox(slug = 'hello-there') {
  const project = await service.project();
  const door = mailDoor(service, project.serviceKey);
  const { mailbox_id: id, address } = (await door.create(slug)).body;
  return { ...project, ...door, id, address };
}

let addresses = 0;
const someone = () => `reader-${++addresses}@example.com`;
const hello = { subject: 'Grüße', html: '<p>Hello <b>there</b></p>' };
const arrived = async (to: string) => {
  await expect.poll(() => smtp.taken.filter((mail) => mail.to.includes(to)).length).toBe(1);
  return smtp.taken.find((mail) => mail.to.includes(to))!;
};

test('a mail is kept, sent from the address of its mailbox, and then shown as sent', async () => {
  const box = await newBox();
  const to = someone();
  const sent = await box.send(box.id, { to, ...hello, from_name: 'The Shop' });
  expect(sent.status).toBe(201);
  expect(sent.body).toMatchObject({
    message_id: expect.stringMatching(/^msg_/),
    mailbox_id: box.id,
    status: 'pending',
    delivery_state: 'pending_provider',
    direction: 'outbound',
    to,
    template: null,
    subject: 'Grüße',
    from_address: box.address,
    attachments_meta: null,
  });
  const mail = await arrived(to);
  expect(mail.from).toBe(box.address);
  expect(mail.raw).toMatch(new RegExp(`^From: The Shop <${box.address}>\\r$`, 'm'));
  expect(mail.raw).toMatch(new RegExp(`^Message-ID: <${sent.body.message_id}@`, 'm'));
  await expect
    .poll(async () => (await box.message(box.id, sent.body.message_id)).body)
    .toMatchObject({
      status: 'sent',
      delivery_state: 'accepted',
      provider: 'smtp',
      provider_message_id: expect.stringContaining(sent.body.message_id),
      sent_at: expect.any(String),
      body_text: expect.stringMatching(/^Hello there\n\n-- \nAn application on localhost sent this mail\.$/),
      body_html: expect.stringContaining('<b>there</b>'),
      replies: [],
    });
  expect((await box.get(box.id)).body).toMatchObject({ sends_today: 1, unique_recipients: 1 });
});

test('templates are filled with what they need, and nothing that is filled in becomes markup', async () => {
  const box = await newBox();
  const to = someone();
  const variables = { project_name: '<Notes>', message: 'a < b & "c"', extra: 'passed over' };
  const sent = await box.send(box.id, { to, template: 'notification', variables });
  expect(sent.body).toMatchObject({ template: 'notification', subject: 'A message from <Notes>' });
  const { body } = await box.message(box.id, sent.body.message_id);
  expect(body.body_html).toContain('a &lt; b &amp; &quot;c&quot;');
  expect(body.body_text).toContain('a < b & "c"');
  expect(body.variables).toEqual(variables);
  for (const [template, given] of [
    ['notification', { project_name: 'Notes' }],
    ['notification', { project_name: 'Notes', message: 'x'.repeat(501) }],
    ['project_invite', { project_name: 'Notes' }],
    ['magic_link', { project_name: 'Notes', expires_in: '15 minutes' }],
    ['notification', { message: 'x', ...JSON.parse('{"__proto__": "Notes"}') }],
  ] as const)
    expect((await box.send(box.id, { to, template, variables: given })).body.code, template).toBe('VALIDATION_FAILED');
  const invite = { project_name: 'Notes', invite_url: 'javascript:alert(1)' };
  const invited = await box.send(box.id, { to: someone(), template: 'project_invite', variables: invite });
  expect((await box.message(box.id, invited.body.message_id)).body.body_html).not.toContain('href');
  const both = await box.send(box.id, { to, template: 'notification', variables, ...hello });
  expect(both.body.code).toBe('VALIDATION_FAILED');
  expect((await box.send(box.id, { to })).body.code).toBe('VALIDATION_FAILED');
  expect((await box.send(box.id, { to, subject: 'x' })).body.code).toBe('VALIDATION_FAILED');
});

test('files arrive as they were given, under a name that is no path, and are kept no longer than it takes', async () => {
  const box = await newBox();
  const to = someone();
  const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, at) => at % 251));
  const attachments = [
    { filename: '../../etc/report.bin', content_base64: bytes.toString('base64') },
    { filename: 'Übersicht.csv', content_base64: Buffer.from('a,b').toString('base64'), content_type: 'text/csv' },
  ];
  const sent = await box.send(box.id, { to, ...hello, attachments });
  expect(sent.body.attachments_meta).toEqual([
    { filename: 'report.bin', content_type: 'application/octet-stream', size_bytes: 70_000 },
    { filename: 'Übersicht.csv', content_type: 'text/csv', size_bytes: 3 },
  ]);
  const { raw } = await arrived(to);
  expect(raw.replaceAll('\r\n', '')).toContain(bytes.toString('base64'));
  expect(raw).toMatch(/filename=report\.bin/);
  await expect
    .poll(() => control.sql('select 1 from mailbox_attachments where message_id = $1', [sent.body.message_id]))
    .toEqual([]);
  const file = (size: number) => ({ filename: 'a', content_base64: Buffer.alloc(size).toString('base64') });
  const bad: readonly [string, object[]][] = [
    ['six files', Array.from({ length: 6 }, () => file(1))],
    ['more than 7 MB', [file(3_500_000), file(3_500_001)]],
    ['a program', [{ ...file(1), content_type: 'application/x-msdownload' }]],
    ['no base64', [{ filename: 'a', content_base64: 'not base64!' }]],
    ['no media type', [{ ...file(1), content_type: 'text/html\r\nBcc: eve@example.com' }]],
  ];
  for (const [what, files] of bad)
    expect((await box.send(box.id, { to, ...hello, attachments: files })).body.code, what).toBe('VALIDATION_FAILED');
  expect((await box.send(box.id, { to: someone(), ...hello, attachments: [file(7_000_000)] })).status).toBe(201);
});

test('nothing that is given adds a header or a recipient', async () => {
  const box = await newBox();
  for (const more of [
    { to: 'ada@example.com\r\nBcc: eve@example.com' },
    { to: 'ada@example.com, eve@example.com' },
    { subject: 'x\r\nBcc: eve@example.com' },
    { from_name: 'Ada\r\nBcc: eve@example.com' },
    { from_name: 'Ada <eve@example.com>' },
  ])
    expect((await box.send(box.id, { to: someone(), ...hello, ...more })).body.code).toBe('VALIDATION_FAILED');
  expect((await box.messages(box.id)).body.messages).toEqual([]);
});

test('what the mail server refuses for good has failed at once; what it refuses for now is tried again', async () => {
  const box = await newBox();
  const gone = someone();
  const later = `later-${someone()}`;
  refused.add(gone).add(later);
  const first = await box.send(box.id, { to: gone, ...hello });
  const second = await box.send(box.id, { to: later, ...hello });
  const state = async (id: string) => (await box.message(box.id, id)).body;
  await expect
    .poll(() => state(first.body.message_id))
    .toMatchObject({ status: 'bounced', delivery_state: 'bounced', last_error: expect.stringContaining('550') });
  await expect
    .poll(() => state(second.body.message_id))
    .toMatchObject({ status: 'pending', last_error: expect.stringContaining('451') });
  refused.clear();
  await control.sql(`update graphile_worker._private_jobs set run_at = now() where key = $1`, [second.body.message_id]);
  await expect.poll(() => state(second.body.message_id)).toMatchObject({ status: 'sent' });
  expect(smtp.taken.filter(({ to }) => to.includes(later))).toHaveLength(1);
});

test('an answer stands in the thread of the mail that it answers', async () => {
  const box = await newBox();
  const to = someone();
  const first = await box.send(box.id, { to, ...hello });
  const second = await box.send(box.id, { to: `second-${to}`, ...hello, in_reply_to: first.body.message_id });
  const third = await box.send(box.id, { to: `third-${to}`, ...hello, in_reply_to: second.body.message_id });
  expect(second.body.in_reply_to_message_id).toBe(first.body.message_id);
  const { raw } = await arrived(`third-${to}`);
  expect(raw).toMatch(new RegExp(`^In-Reply-To: <${second.body.message_id}@`, 'm'));
  expect(raw.replaceAll(/\r\n\s+/g, ' ')).toMatch(
    new RegExp(`^References: <${first.body.message_id}@\\S+> <${second.body.message_id}@\\S+>`, 'm'),
  );
  expect(third.status).toBe(201);
  const other = await newBox();
  const { body } = await box.send(box.id, { to, ...hello, in_reply_to: other.id });
  expect(body.code).toBe('MESSAGE_NOT_FOUND');
});

test('the tier limits the mails of a day over all mailboxes, exactly under 50 senders at once', async () => {
  const box = await newBox();
  const second = (await box.create('second')).body.mailbox_id;
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, at) =>
      box.send(at % 2 === 0 ? box.id : second, { to: 'ada@example.com', ...hello }),
    ),
  );
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(10);
  const over = answers.find(({ status }) => status !== 201)!;
  expect(over).toMatchObject({
    status: 403,
    body: { code: 'QUOTA_EXCEEDED', details: { resource: 'emails_per_day', limit: 10, used: 10 } },
  });
  const kept = await control.sql('select 1 from mailbox_messages where project_id = $1', [box.projectId]);
  expect(kept).toHaveLength(10);
});

test('a mail beyond the day takes one mail credit, and none is taken twice under 20 senders at once', async () => {
  const box = await newBox();
  await control.sql(`update orgs set limit_overrides = '{"emailsPerDay": 1}' where id = $1`, [box.orgId]);
  await control.sql('insert into org_balances (org_id, email_credits) values ($1, 5)', [box.orgId]);
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => box.send(box.id, { to: 'ada@example.com', ...hello })),
  );
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(6);
  expect(answers.find(({ status }) => status !== 201)!.body.code).toBe('QUOTA_EXCEEDED');
  const [balance] = await control.sql('select email_credits from org_balances where org_id = $1', [box.orgId]);
  expect(balance).toEqual({ email_credits: '0' });
});

test('the tier limits whom an organization writes to, and nothing is counted of what is refused', async () => {
  const box = await newBox();
  await control.sql(`update orgs set limit_overrides = '{"emailsPerDay": 1000, "mailRecipients": 3}' where id = $1`, [
    box.orgId,
  ]);
  for (const to of ['one@example.com', 'two@example.com', 'three@example.com', 'one@example.com'])
    expect((await box.send(box.id, { to, ...hello })).status).toBe(201);
  expect(await box.send(box.id, { to: 'four@example.com', ...hello })).toMatchObject({
    status: 403,
    body: { code: 'QUOTA_EXCEEDED', details: { resource: 'unique_recipients', limit: 3, used: 3 } },
  });
  expect((await box.get(box.id)).body).toMatchObject({ sends_today: 4, unique_recipients: 3 });
  expect((await box.send(box.id, { to: 'TWO@example.com', ...hello })).status).toBe(201);
});

test('a mailbox sends 60 mails in a minute at most', async () => {
  const box = await newBox();
  await control.sql(`update orgs set limit_overrides = '{"emailsPerDay": 1000}' where id = $1`, [box.orgId]);
  await control.sql(
    `insert into mailbox_messages (id, org_id, project_id, mailbox_id, direction, from_address, recipient, subject, body_text,
       mail_message_id, status, created_at)
     select 'msg_' || $1 || n, $2, $3, $1, 'outbound', 'a@b.test', 'ada@example.com', 'x', 'x', 'x', 'sent',
       now() - interval '30 seconds' from generate_series(1, 60) n`,
    [box.id, box.orgId, box.projectId],
  );
  const over = await box.send(box.id, { to: someone(), ...hello });
  expect(over).toMatchObject({
    status: 429,
    body: { code: 'MAILBOX_SEND_RATE_LIMITED', details: { limit: 60, window_ms: 60_000 } },
  });
  expect(Number(over.headers.get('retry-after'))).toBeGreaterThan(0);
});

test('nobody is written to who may not be, and a suspended mailbox sends nothing', async () => {
  const box = await newBox();
  const [own, everywhere] = [someone(), someone()];
  await control.sql(
    `insert into mail_suppressions (address, scope, reason, message_id) values ($1, $2, 'bounce', 'm'), ($3, '*', 'complaint', 'm')`,
    [own, box.projectId, everywhere],
  );
  expect(await box.send(box.id, { to: own, ...hello })).toMatchObject({
    status: 403,
    body: {
      code: 'RECIPIENT_SUPPRESSED',
      retryable: false,
      details: { suppression_scope: 'project', suppression_reason: 'bounce' },
    },
  });
  expect((await box.send(box.id, { to: everywhere, ...hello })).body.details).toEqual({
    suppression_scope: 'global',
    suppression_reason: 'complaint',
  });
  const other = await newBox();
  expect((await other.send(other.id, { to: own, ...hello })).status).toBe(201);
  await control.sql(`update mailboxes set status = 'suspended' where id = $1`, [box.id]);
  expect(await box.send(box.id, { to: someone(), ...hello })).toMatchObject({
    status: 403,
    body: { code: 'MAILBOX_NOT_SEND_READY', details: { send_blocked_reason: 'mailbox_suspended' } },
  });
});

test('without a name, the graph sends by the default mailbox and reads the only one', async () => {
  const box = await newBox();
  const send = `mutation { sendMail(input: { project: "${box.projectId}", to: "ada@example.com", subject: "x", html: "x" }) {
    mailboxId } }`;
  const run = (query: string) => service.graphql(box.wallet, query);
  expect((await run(send)).data.sendMail.mailboxId).toBe(box.id);
  const list = `{ project(id: "${box.projectId}") { mail { edges { node { messageId } } } } }`;
  expect((await run(list)).data.project.mail.edges).toHaveLength(1);
  await box.create('second');
  expect((await run(list)).errors?.[0]?.extensions.code).toBe('AMBIGUOUS_MAILBOX');
  await box.defaults({ default_outbound_mailbox_id: null });
  expect((await run(send)).errors?.[0]?.extensions.code).toBe('DEFAULT_MAILBOX_REQUIRED');
  await box.defaults({ default_outbound_mailbox_id: box.id });
  await control.sql(`update mailboxes set status = 'suspended' where id = $1`, [box.id]);
  expect((await run(send)).errors?.[0]?.extensions.code).toBe('DEFAULT_MAILBOX_INVALID');
});

test('pages of mail go on where they ended, in one direction where that is asked', async () => {
  const box = await newBox();
  for (let at = 0; at < 5; at++) await box.send(box.id, { to: 'ada@example.com', subject: `No ${at}`, html: 'x' });
  const first = (await box.messages(box.id, '?limit=2')).body;
  expect(first.messages.map(({ subject }: { subject: string }) => subject)).toEqual(['No 4', 'No 3']);
  const second = (await box.messages(box.id, `?limit=9&after=${encodeURIComponent(first.next_cursor)}`)).body;
  expect(second.messages.map(({ subject }: { subject: string }) => subject)).toEqual(['No 2', 'No 1', 'No 0']);
  expect(second).toMatchObject({ has_more: false, next_cursor: null });
  expect((await box.messages(box.id, '?direction=inbound')).body.messages).toEqual([]);
  expect((await box.messages(box.id, '?direction=sideways')).status).toBe(400);
});
