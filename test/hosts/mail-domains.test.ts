import { afterAll, expect, test } from 'vitest';
import { expectRefusal } from '../helpers/documented.ts';
import { mailOf } from '../mailboxes/mail-sender.ts';
import {
  bothWays as both,
  checksOf,
  mailHost,
  recordOf,
  setRecords,
  signatureOf,
  startMailStage,
} from './mail-stage.ts';

const stage = await startMailStage();
afterAll(() => stage.stop());
const { dns, outside, age, mailTo, owner, connect } = stage;

const [hello] = both.mailbox_addresses.addresses;

test('a mailbox writes from a domain of the project’s own, signed by it, and gets the answers', async () => {
  const home = await owner();
  const name = 'shop.example';
  dns.set(name, { SOA: true });
  const first = await home.ensure(name, { email: both });
  expect(first.status).toBe(201);
  expect(first.body.desired.email).toMatchObject({
    send: { enabled: true },
    receive: { enabled: true, strategy: 'auto', resolved_strategy: 'full_receive_takeover' },
    mailbox_addresses: { mode: 'primary', addresses: [{ local_part: 'hello', mailbox_slug: 'hello-there' }] },
    activation: 'automatic_when_ready',
  });
  const key = recordOf(first.body, 'dkim');
  expect(key).toMatchObject({ type: 'TXT', status: 'missing', required: true, purpose: 'mail_signature' });
  expect(key.name).toMatch(/^svc[0-9a-f]{10}\._domainkey\.shop\.example$/);
  expect(key.value).toMatch(/^v=DKIM1; k=rsa; p=[A-Za-z0-9+/=]{380,}$/);
  expect(key.value_parts.join('')).toBe(key.value);
  expect(key.value_parts.every((part: string) => part.length <= 255)).toBe(true);
  expect(recordOf(first.body, 'mx')).toMatchObject({ type: 'MX', name, value: mailHost, priority: 10 });
  const box = await home.boxOf('hello-there');
  expect(box).toMatchObject({ domain_kind: 'managed', custom_domain_ready: false, address: box.managed_address });

  setRecords(dns, first.body.dns_records, { [name]: { SOA: true } });
  await age();
  const { body } = await home.check(name);
  expect(body.status).toBe('active');
  expect(checksOf(body)).toEqual({
    ownership: 'passed',
    routing: 'passed',
    binding: 'passed',
    mail_binding: 'passed',
    dkim: 'passed',
    spf: 'passed',
    dmarc: 'passed',
    mail_routing: 'passed',
    mailbox_addresses: 'passed',
  });
  expect(body.effective.email).toEqual({
    send: { active: true },
    receive: { active: true, strategy: 'full_receive_takeover' },
    mailbox_addresses: [
      {
        address: `hello@${name}`,
        mailbox_id: box.mailbox_id,
        mailbox_slug: 'hello-there',
        primary: true,
        active: true,
      },
    ],
  });
  expect(await home.boxOf('hello-there')).toMatchObject({
    address: `hello@${name}`,
    address_domain: name,
    domain_kind: 'custom',
    custom_domain_ready: true,
    managed_address: box.managed_address,
    managed_domain: box.managed_domain,
  });

  const to = 'ada@example.com';
  const sent = await home.mail.send(box.mailbox_id, { to, subject: 'Your export', html: '<p>Ready.</p>' });
  expect(sent.body.from_address).toBe(`hello@${name}`);
  const mail = await mailTo(to);
  expect(mail.raw).toMatch(/^From: hello@shop\.example/m);
  // What comes back goes to the platform, whose server it was sent by.
  expect(mail.from).toMatch(new RegExp(`^bounces\\+.*@${box.managed_domain}$`));
  expect(await signatureOf(mail.raw, dns)).toEqual([{ result: 'pass', domain: name, aligned: name }]);
  const changed = mail.raw.replace('Ready.', 'Ruddy.');
  expect(changed).not.toBe(mail.raw);
  expect(await signatureOf(changed, dns)).toMatchObject([{ result: 'neutral' }]);

  const mailId = /^Message-ID: <([^>]+)>/m.exec(mail.raw)![1]!;
  const answer = mailOf(
    `From: <${to}>`,
    `To: <hello@${name}>`,
    'Subject: Re',
    `In-Reply-To: <${mailId}>`,
    '',
    'Yes.',
    '',
  );
  expect(await outside.raw({ from: to, to: `Hello+tag@${name.toUpperCase()}` }, answer)).toMatch(/^250 /);
  const inbound = (await home.mail.messages(box.mailbox_id, '?direction=inbound')).body.messages;
  expect(inbound).toMatchObject([
    { to: `hello@${name}`, from_address: to, in_reply_to_message_id: sent.body.message_id },
  ]);
  expect(await outside.raw({ from: to, to: `nobody@${name}` }, answer)).toMatch(/^550 5\.1\.1/);
  expect(await outside.raw({ from: to, to: 'hello@elsewhere.example' }, answer)).toMatch(/^550 5\.7\.1/);
});

test('a key that is another, twice there or in quotes is a conflict, and mail goes out from the managed address', async () => {
  const home = await owner();
  const name = 'keys.example';
  const good = await connect(home, name, both);
  expect(good.status).toBe('active');
  const key = recordOf(good, 'dkim');
  const managed = (await home.boxOf('hello-there')).managed_address;
  for (const TXT of [[key.value, 'v=DKIM1; p=abc'], [`"${key.value}"`], ['v=DKIM1; k=rsa; p=QUJD']]) {
    dns.set(key.name, { TXT });
    await age();
    const { body } = await home.check(name);
    expect(body.status).toBe('needs_repair');
    expect(recordOf(body, 'dkim').status).toBe('conflict');
    expect(checksOf(body).dkim).toBe('another_record');
    expect((await home.boxOf('hello-there')).address).toBe(managed);
  }
  dns.set(key.name, null);
  await age();
  expect(checksOf((await home.check(name)).body).dkim).toBe('record_missing');
  // A panel that broke it into parts, with blanks between, says the same.
  dns.set(key.name, { TXT: [key.value.replace('; p=', ';p= ')] });
  await age();
  expect((await home.check(name)).body.status).toBe('active');
  expect((await home.boxOf('hello-there')).address).toBe(`hello@${name}`);
});

test('mail servers that a domain has are left alone: mail comes in below a subdomain', async () => {
  const home = await owner();
  const name = 'office.example';
  dns.set(name, { SOA: true, MX: ['mx1.provider.example', 'mx2.provider.example'], TXT: ['v=spf1 mx -all'] });
  const { body } = await home.ensure(name, { web: { enabled: false }, email: both });
  expect(body.desired.email.receive).toMatchObject({
    resolved_strategy: 'subdomain_mode',
    mail_subdomain: 'mail',
    observed_mx_fingerprint: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
  });
  expect(body.observed.mail.exchangers).toEqual(['mx1.provider.example', 'mx2.provider.example']);
  expect(recordOf(body, 'mx')).toMatchObject({ name: `mail.${name}`, value: mailHost, status: 'missing' });
  // Two policies would both count for nothing, so the one that is there is completed.
  const include = `include:${(await home.boxOf('hello-there')).managed_domain}`;
  expect(recordOf(body, 'spf')).toMatchObject({
    value: `v=spf1 ${include} mx -all`,
    status: 'conflict',
    required: false,
  });
  const untouched = body.dns_records.filter(({ id }: { id: string }) => id !== 'spf' && id !== 'dmarc');
  setRecords(dns, untouched, { [name]: { SOA: true, MX: ['mx1.provider.example'] } });
  await age();
  const checked = (await home.check(name)).body;
  expect(checked.status).toBe('active');
  expect(checked.effective.email.mailbox_addresses).toMatchObject([{ address: `hello@mail.${name}`, active: true }]);
  const box = await home.boxOf('hello-there');
  expect(box.address).toBe(`hello@mail.${name}`);
  await home.mail.send(box.mailbox_id, { to: 'bob@example.com', subject: 'Hi', html: '<p>Hi.</p>' });
  const mail = await mailTo('bob@example.com');
  expect(await signatureOf(mail.raw, dns)).toEqual([{ result: 'pass', domain: name, aligned: name }]);
  // A second mail server would take a part of the mail.
  dns.set(`mail.${name}`, { MX: [mailHost, 'mx1.provider.example'] });
  await age();
  expect(checksOf((await home.check(name)).body).mail_routing).toBe('leads_elsewhere');
});

test('where the present mail server forwards, a mail that arrives is the proof', async () => {
  const home = await owner();
  const name = 'forward.example';
  const email = { ...both, receive: { enabled: true, strategy: 'forwarding_mode' } };
  const waiting = await connect(home, name, email);
  expect(recordOf(waiting, 'mx')).toBeUndefined();
  expect(checksOf(waiting)).toMatchObject({ mail_routing: 'test_missing', mailbox_addresses: 'not_ready' });
  expect(waiting.next_actions.map(({ type }: { type: string }) => type)).toContain('test_receive');
  expectRefusal(await home.testReceive(name, 'nobody'), 'VALIDATION_FAILED');

  const tested = await home.testReceive(name, 'Hello');
  expect(tested.status).toBe(201);
  const { receive_test: pending } = tested.body;
  const managed = (await home.boxOf('hello-there')).managed_address;
  expect(pending).toMatchObject({
    id: expect.stringMatching(/^rct_/),
    local_part: 'hello',
    address: `hello@${name}`,
    target_managed_address: managed,
    status: 'pending',
    passed_at: null,
  });
  const mail = await mailTo(`hello@${name}`);
  expect(mail.raw).toContain(`svc-receive-test=`);
  // A mail without the token, or with another one, proves nothing.
  const wrong = mail.raw.replace(/svc-receive-test(=|=3D)\s*[0-9a-f=\s]*/, `svc-receive-test=3D${'0'.repeat(40)}`);
  expect(await outside.raw({ from: 'no-reply@apps.example.net', to: managed }, wrong)).toMatch(/^550 5\.7\.1/);
  expect((await home.get(name)).body.receive_test.status).toBe('pending');
  expect(await outside.raw({ from: 'no-reply@apps.example.net', to: managed }, mail.raw)).toMatch(/^250 /);
  await age();
  const passed = (await home.check(name)).body;
  expect(passed.receive_test).toMatchObject({ id: pending.id, status: 'passed', passed_at: expect.any(String) });
  expect(passed.status).toBe('active');
  expect(passed.effective.email.receive).toEqual({ active: true, strategy: 'forwarding_mode' });
  // It is no mail of the mailbox.
  const { mailbox_id: id } = await home.boxOf('hello-there');
  expect((await home.mail.messages(id)).body.messages).toEqual([]);
});

test('a test tells of the mailbox and of the way that it was sent for, and of no other', async () => {
  const home = await owner();
  const name = 'detour.example';
  await connect(home, name, both);
  await home.testReceive(name, 'hello');
  const direct = await mailTo(`hello@${name}`);
  expect(await outside.raw({ from: '', to: `hello@${name}` }, direct.raw)).toMatch(/^250 /);
  expect((await home.get(name)).body.receive_test.status).toBe('passed');
  // What came by the gateway's own mail server says nothing of what another one forwards.
  const receive = { enabled: true, strategy: 'forwarding_mode' };
  const wanted = { web: { enabled: false }, email: { ...both, receive } };
  expect(checksOf((await home.ensure(name, wanted)).body).mail_routing).toBe('test_missing');

  // Each test is a mail of the platform's: no project floods anybody with them.
  const soon = await home.testReceive(name, 'hello');
  expectRefusal(soon, 'RATE_LIMITED');
  expect(soon.body.details.retry_after).toBeGreaterThan(0);
  await stage.service.control.sql(`update receive_tests set created_at = created_at - interval '1 minute'`);
  expect((await home.testReceive(name, 'hello')).status).toBe(201);
  const managed = (await home.boxOf('hello-there')).managed_address;
  const token = (await home.get(name)).body.receive_test.token;
  const forwarded = mailOf('From: <a@example.com>', 'Subject: Test', '', `svc-receive-test=${token}`, '');
  expect(await outside.raw({ from: '', to: managed }, forwarded)).toMatch(/^250 /);
  expect(checksOf((await home.ensure(name, wanted)).body).mail_routing).toBe('passed');
  const addresses = [{ local_part: 'hello', mailbox_slug: 'other-box', create_mailbox: true }];
  const moved = await home.ensure(name, { ...wanted, email: { ...wanted.email, mailbox_addresses: { addresses } } });
  expect(moved.body.receive_test.status).toBe('stale');
  expect(checksOf(moved.body).mail_routing).toBe('test_missing');
});

test('addresses that are activated by hand take tests alone before that', async () => {
  const home = await owner();
  const name = 'manual.example';
  dns.set(name, { SOA: true });
  const early = await home.ensure(name, { web: { enabled: false }, email: { ...both, activation: 'manual' } });
  expectRefusal(await home.testReceive(name, 'hello'), 'DOMAIN_MAIL_NOT_READY');
  const refused = await home.activate(name);
  expectRefusal(refused, 'DOMAIN_MAIL_NOT_READY');
  expect(refused.body.details.checks.map(({ id }: { id: string }) => id)).toEqual(
    expect.arrayContaining(['ownership', 'mail_binding', 'dkim', 'mail_routing']),
  );
  setRecords(dns, early.body.dns_records, { [name]: { SOA: true } });
  await age();
  const ready = (await home.check(name)).body;
  expect(ready).toMatchObject({ status: 'active', effective: { email: { receive: { active: false } } } });
  expect(checksOf(ready).mailbox_addresses).toBe('activation_manual');
  expect(ready.next_actions).toMatchObject([{ type: 'activate_mailbox_addresses', method: 'POST' }]);
  const box = await home.boxOf('hello-there');
  expect(box.domain_kind).toBe('managed');
  await home.testReceive(name, 'hello');
  const test = await mailTo(`hello@${name}`);
  expect(await outside.raw({ from: '', to: `hello@${name}` }, test.raw)).toMatch(/^250 /);
  const other = mailOf('From: <ada@example.com>', 'Subject: Hi', '', 'Hi.', '');
  expect(await outside.raw({ from: 'ada@example.com', to: `hello@${name}` }, other)).toMatch(/^550 5\.7\.1/);
  const active = (await home.activate(name)).body;
  expect(active.effective.email.mailbox_addresses).toMatchObject([{ active: true }]);
  expect((await home.boxOf('hello-there')).address).toBe(`hello@${name}`);
  expect((await home.activate(name)).status).toBe(200);
});

test('an alias beside the primary address receives, and the mailbox writes from the first', async () => {
  const home = await owner();
  const name = 'many.example';
  const addresses = [
    hello,
    { ...hello, local_part: 'info' },
    { local_part: 'post', mailbox_slug: 'post-box', create_mailbox: true },
  ];
  const ready = await connect(home, name, { ...both, mailbox_addresses: { addresses } });
  expect(
    ready.effective.email.mailbox_addresses.map((one: Record<string, unknown>) => [one.address, one.primary]),
  ).toEqual([
    [`hello@${name}`, true],
    [`info@${name}`, false],
    [`post@${name}`, true],
  ]);
  const mode = { mailbox_addresses: { mode: 'alias', addresses } };
  const aliases = await home.ensure(name, { web: { enabled: false }, email: { ...both, ...mode } });
  expect(aliases.body.effective.email.mailbox_addresses.every((one: { primary: boolean }) => !one.primary)).toBe(true);
  const box = await home.boxOf('hello-there');
  expect(box).toMatchObject({ domain_kind: 'managed', custom_domain_ready: true, address: box.managed_address });
  // What is not said of mail stays as it is.
  const again = await home.ensure(name, { web: { enabled: false } });
  expect(again.body.desired.email).toEqual(aliases.body.desired.email);
  expect(recordOf(again.body, 'dkim').value).toBe(recordOf(ready, 'dkim').value);
  await home.mail.remove((await home.boxOf('post-box')).mailbox_id);
  await age();
  const { body } = await home.check(name);
  expect(checksOf(body).mailbox_addresses).toBe('mailbox_missing');
  expect(body.effective.email.mailbox_addresses).toHaveLength(2);
});

test('the policy of a domain is that of the nearest name above it that has one', async () => {
  const home = await owner();
  const name = 'team.policy.example';
  dns.set('_dmarc.policy.example', { TXT: ['v=DMARC1; p=reject'] });
  // As a text says that stands for all names.
  dns.set(`_dmarc.${name}`, { TXT: ['v=spf1 -all'] });
  const { body } = await home.ensure(name, { web: { enabled: false }, email: both });
  expect(recordOf(body, 'dmarc')).toMatchObject({ status: 'present', value: 'v=DMARC1; p=reject' });
});

test('mail of a domain ends with it', async () => {
  const home = await owner();
  const name = 'gone.example';
  await connect(home, name, both);
  const box = await home.boxOf('hello-there');
  expect(box.address).toBe(`hello@${name}`);
  const held = await stage.service.control.sql(
    `select 1 from mail_addresses where mail_domain = $1 and activated_at is not null`,
    [name],
  );
  expect(held).toHaveLength(1);
  await home.disconnect(name);
  expect((await home.boxOf('hello-there')).address).toBe(box.managed_address);
  const late = mailOf('From: <ada@example.com>', 'Subject: Hi', '', 'Hi.', '');
  expect(await outside.raw({ from: 'ada@example.com', to: `hello@${name}` }, late)).toMatch(/^550 5\.7\.1/);
});
