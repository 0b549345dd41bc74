import { afterAll, expect, test } from 'vitest';
import { expectRefusal } from '../helpers/documented.ts';
import { mailOf } from '../mailboxes/mail-sender.ts';
import { bothWays, checksOf, recordOf, startMailStage } from './mail-stage.ts';

let isBusy = false;
const stage = await startMailStage({
  onMailFrom: (_address, _session, done) =>
    done(isBusy ? Object.assign(new Error('4.3.2 Later.'), { responseCode: 452 }) : null),
});
afterAll(() => stage.stop());
const { service, dns, outside, age, owner, connect } = stage;
const { control, actors } = service;

const stranger = 'ada@example.com';
const hello = mailOf(`From: <${stranger}>`, 'Subject: Hi', '', 'Hi.', '');

test('mail of a domain goes to the project that its owner’s proof names, and from the one that it names no more', async () => {
  const [one, other] = await Promise.all([owner(), owner()]);
  const name = 'wanted.example';
  const ours = await other.ensure(name, { web: { enabled: false }, email: bothWays });
  const theirs = await connect(one, name, bothWays);
  expect(theirs.status).toBe('active');
  await age();
  expect((await other.check(name)).body.status).toBe('action_required');
  expect((await other.boxOf('hello-there')).domain_kind).toBe('managed');
  // Both proofs at once change nothing.
  const proofs = [recordOf(theirs, 'ownership').value, recordOf(ours.body, 'ownership').value];
  dns.set(`_svc-challenge.${name}`, { TXT: proofs });
  await age();
  expect(checksOf((await other.check(name)).body).mail_binding).toBe('bound_elsewhere');
  expect((await one.check(name)).body.status).toBe('active');
  expectRefusal(await (await owner()).ensure(name, { email: bothWays }), 'DOMAIN_CONFLICT');

  dns.set(`_svc-challenge.${name}`, { TXT: [proofs[1]!] });
  const key = recordOf(ours.body, 'dkim');
  dns.set(key.name, { TXT: [key.value] });
  await age();
  expect((await other.check(name)).body.status).toBe('active');
  expect((await other.boxOf('hello-there')).address).toBe(`hello@${name}`);
  await age();
  const lost = (await one.check(name)).body;
  expect(lost).toMatchObject({ status: 'failed', effective: { email: { receive: { active: false } } } });
  expect((await one.boxOf('hello-there')).domain_kind).toBe('managed');
});

test('mail below a name that is another project’s is not had, nor is mail below the name before', async () => {
  const [one, other] = await Promise.all([owner(), owner()]);
  const name = 'parent.example';
  await connect(one, `mail.${name}`, bothWays);
  expect((await connect(other, name, bothWays)).status).toBe('active');
  const receive = { enabled: true, strategy: 'subdomain_mode' };
  const { body } = await other.ensure(name, { web: { enabled: false }, email: { ...bothWays, receive } });
  expect(checksOf(body).mail_binding).toBe('bound_elsewhere');
  expect(body.effective.email).toMatchObject({ send: { active: false }, receive: { active: false } });
  expect((await other.boxOf('hello-there')).domain_kind).toBe('managed');
  expect((await one.boxOf('hello-there')).address).toBe(`hello@mail.${name}`);
});

test('an own key, of one project, is of no use to another, nor are its mailboxes', async () => {
  const [one, other] = await Promise.all([owner(), owner()]);
  const name = 'mine.example';
  await connect(one, name, bothWays);
  const path = `/projects/v1/${one.projectId}/domains/${name}`;
  const key = actors.bearer(other.serviceKey);
  for (const [action, body] of [
    ['test_receive', { to: 'hello' }],
    ['activate_mailbox_addresses', {}],
  ] as const)
    expectRefusal(await service.call(key, 'POST', `${path}/actions/${action}`, { body }), 'FORBIDDEN');
  expectRefusal(await other.testReceive(name, 'hello'), 'DOMAIN_NOT_FOUND');
  expectRefusal(await other.activate(name), 'DOMAIN_NOT_FOUND');
  // A mailbox is named by its slug, which means the own project's alone.
  const addresses = [{ local_part: 'hello', mailbox_slug: 'hello-there' }];
  expectRefusal(
    await other.ensure('theirs.example', { email: { ...bothWays, mailbox_addresses: { addresses } } }),
    'MAILBOX_NOT_FOUND',
  );
});

test('who may connect domains, but not read mail, has no say in where mail goes', async () => {
  const home = await owner();
  const name = 'limited.example';
  const path = `/projects/v1/${home.projectId}/domains/${name}`;
  const as = async (...capabilities: readonly string[]) =>
    actors.delegate({ orgId: home.orgId, projectId: home.projectId, capabilities });
  const domains = await as('domains:write');
  const web = await service.call(domains, 'POST', path, { body: { desired: {} } });
  expect(web.status).toBe(201);
  const wants = { body: { desired: { email: bothWays } } };
  expectRefusal(await service.call(domains, 'POST', path, wants), 'NOT_AUTHORIZED');
  expectRefusal(await service.call(await as('mailbox:write'), 'POST', path, wants), 'NOT_AUTHORIZED');
  for (const [action, body] of [
    ['test_receive', { to: 'hello' }],
    ['activate_mailbox_addresses', {}],
  ] as const)
    expectRefusal(await service.call(domains, 'POST', `${path}/actions/${action}`, { body }), 'NOT_AUTHORIZED');
  expect((await home.mail.list()).body.mailboxes).toEqual([]);
});

test('what waits to be sent is not sent once the domain is not the project’s any more', async () => {
  const home = await owner();
  const name = 'ended.example';
  await connect(home, name, bothWays);
  const box = await home.boxOf('hello-there');
  isBusy = true;
  const { body } = await home.mail.send(box.mailbox_id, { to: 'bob@example.com', subject: 'Hi', html: '<p>Hi.</p>' });
  const message = async () => (await home.mail.message(box.mailbox_id, body.message_id)).body;
  await expect.poll(async () => (await message()).last_error).toContain('452');
  await home.disconnect(name);
  isBusy = false;
  await control.sql(`update graphile_worker._private_jobs set run_at = now() where key = $1`, [body.message_id]);
  await control.sql(
    `select graphile_worker.add_job('mailboxes.send', json_build_object('messageId', $1::text), job_key := $1)`,
    [body.message_id],
  );
  await expect.poll(async () => (await message()).status).toBe('failed');
  expect((await message()).last_error).toBe('The domain of the sender is no longer the project’s.');
  expect(stage.smtp.taken.some((mail) => mail.to.includes('bob@example.com'))).toBe(false);
});

test('a proof that is gone leaves three days, and then mail of the domain is nobody’s', async () => {
  const home = await owner();
  const name = 'lapsed.example';
  const good = await connect(home, name, bothWays);
  dns.set(recordOf(good, 'ownership').name, null);
  await age();
  const drifted = (await home.check(name)).body;
  expect(drifted.status).toBe('needs_repair');
  expect((await home.boxOf('hello-there')).address).toBe(`hello@${name}`);
  await control.sql(`update project_domains set unproven_since = now() - interval '73 hours' where name = $1`, [name]);
  await age();
  expect((await home.check(name)).body.status).toBe('failed');
  expect((await home.boxOf('hello-there')).domain_kind).toBe('managed');
  expect(await outside.raw({ from: stranger, to: `hello@${name}` }, hello)).toMatch(/^550 5\.7\.1/);
  expect(await control.sql('select 1 from mail_addresses where mail_domain = $1', [name])).toEqual([]);
});

test('mail of a domain ends with its project', async () => {
  const home = await owner();
  await connect(home, 'closed.example', bothWays);
  await service.call(actors.bearer(home.serviceKey), 'DELETE', `/projects/v1/${home.projectId}`);
  for (const table of ['mail_domains', 'mail_addresses', 'receive_tests'])
    expect(await control.sql(`select 1 from ${table} where project_id = $1`, [home.projectId])).toEqual([]);
  expect(await outside.raw({ from: stranger, to: 'hello@closed.example' }, hello)).toMatch(/^550 5\.7\.1/);
});

const address = { local_part: 'hello', mailbox_slug: 'hello-there' };
test.each([
  [
    'a local part twice',
    { mailbox_addresses: { addresses: [address, address] } },
    'desired.email.mailbox_addresses.addresses',
  ],
  [
    'addresses where there are none',
    { mailbox_addresses: { mode: 'none', addresses: [address] } },
    'desired.email.mailbox_addresses.addresses',
  ],
  [
    'a tag in a local part',
    { mailbox_addresses: { addresses: [{ ...address, local_part: 'a+b' }] } },
    'desired.email.mailbox_addresses.addresses.0.local_part',
  ],
  [
    'a whole address',
    { mailbox_addresses: { addresses: [{ ...address, local_part: 'a@b' }] } },
    'desired.email.mailbox_addresses.addresses.0.local_part',
  ],
  [
    'two labels for the subdomain',
    { receive: { enabled: true, mail_subdomain: 'a.b' } },
    'desired.email.receive.mail_subdomain',
  ],
  [
    'a strategy that there is none of',
    { receive: { enabled: true, strategy: 'magic' } },
    'desired.email.receive.strategy',
  ],
])('%s is refused, and nothing is made', async (_what, email, field) => {
  const home = await owner();
  const refused = await home.ensure('bad.example', { email });
  expectRefusal(refused, 'VALIDATION_FAILED');
  expect(JSON.stringify(refused.body.details)).toContain(field);
  expect((await home.list()).body.domains).toEqual([]);
});

test('a mailbox that cannot be made leaves the domain as it was', async () => {
  const home = await owner();
  const addresses = ['one', 'two', 'three', 'four', 'five', 'six'].map((word) => ({
    local_part: word,
    mailbox_slug: `box-${word}`,
    create_mailbox: true,
  }));
  expectRefusal(
    await home.ensure('full.example', { email: { ...bothWays, mailbox_addresses: { addresses } } }),
    'MAILBOX_LIMIT_REACHED',
  );
  expect((await home.mail.list()).body.mailboxes).toEqual([]);
  expect((await home.list()).body.domains).toEqual([]);
});
