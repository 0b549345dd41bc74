import { afterAll, expect, test } from 'vitest';
import { sharedService } from '../helpers/shared-service.ts';
import { mailDoor } from './mail-door.ts';

const service = await sharedService();
afterAll(() => service.stop());
const { control } = service;

const newDoor = async () => {
  const project = await service.project();
  return { ...project, ...mailDoor(service, project.serviceKey) };
};

test('a mailbox has an address of its project, and the first one sends what names none', async () => {
  const door = await newDoor();
  expect((await door.list()).body).toMatchObject({
    mailboxes: [],
    mailbox_settings: { default_outbound_mailbox_id: null, auth_sender_mailbox_id: null },
    provider_readiness: { status: 'configured', provider: 'outbox' },
    inbound_provider_readiness: { status: 'not_configured', max_raw_bytes: 10_485_760 },
    next_actions: [{ method: 'POST', path: '/mailboxes/v1', fields: { slug: '<slug>' } }],
  });
  const first = await door.create('hello-there');
  expect(first.status).toBe(201);
  expect(first.body).toMatchObject({
    mailbox_id: expect.stringMatching(/^mbx_/),
    slug: 'hello-there',
    project_id: door.projectId,
    status: 'active',
    is_default_outbound: true,
    is_auth_sender: false,
    can_send: true,
    send_blocked_reason: null,
    can_receive: false,
    receive_blocked_reason: 'provider_not_configured',
    domain_kind: 'managed',
    custom_domain_ready: false,
    footer_policy: 'svc_transparency',
    effective_footer_policy: 'svc_transparency',
    footer_policy_locked_reason: 'tier_prototype',
    sends_today: 0,
    unique_recipients: 0,
  });
  const { address, managed_address, managed_domain } = first.body;
  expect(address).toBe(`hello-there@${managed_domain}`);
  expect(managed_address).toBe(address);
  expect(managed_domain).toMatch(/^[a-z0-9]+\.mail\.localhost$/);
  const second = await door.create('another');
  expect(second.body.is_default_outbound).toBe(false);
  expect((await door.list()).body).toMatchObject({
    mailboxes: [{ slug: 'another' }, { slug: 'hello-there' }],
    mailbox_settings: { default_outbound_mailbox_id: first.body.mailbox_id },
    next_actions: [],
  });
  expect((await door.get('another')).body).toEqual(second.body);
});

test('making a mailbox again is refused, and so are slugs that mean something to mail servers', async () => {
  const door = await newDoor();
  await door.create('hello-there');
  expect(await door.create('hello-there')).toMatchObject({ status: 409, body: { code: 'SLUG_ALREADY_IN_USE' } });
  for (const slug of ['ab', 'a'.repeat(64), '-abc', 'abc-', 'a--b', 'Abc', 'a.b', 'postmaster', 'no-reply', 'billing'])
    expect(await door.create(slug), slug).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_FAILED', details: { field: 'slug' } },
    });
  expect((await door.create('a'.repeat(63))).status).toBe(201);
});

test('a project has five mailboxes at most, also of callers who race; a deleted one does not count', async () => {
  const door = await newDoor();
  const made = await Promise.all(Array.from({ length: 9 }, (_, at) => door.create(`box-${at}`)));
  expect(made.filter(({ status }) => status === 201)).toHaveLength(5);
  for (const { body } of made.filter(({ status }) => status !== 201))
    expect(body).toMatchObject({ code: 'MAILBOX_LIMIT_REACHED', details: { limit: 5, used: 5 } });
  const defaults = (await door.list()).body.mailboxes.filter(
    (one: { is_default_outbound: boolean }) => one.is_default_outbound,
  );
  expect(defaults).toHaveLength(1);
  await door.remove(made.find(({ status }) => status === 201)!.body.mailbox_id);
  expect((await door.create('one-more')).status).toBe(201);
});

test('a deleted mailbox takes its mail along, is no default any more, and its address rests for 30 days', async () => {
  const door = await newDoor();
  const { mailbox_id: id, address } = (await door.create('hello-there')).body;
  await door.send(id, { to: 'ada@example.com', subject: 'Hello', html: '<p>Hello</p>' });
  expect(await door.remove(id)).toMatchObject({
    status: 200,
    body: { status: 'deleted', mailbox_id: id, address, managed_address: address },
  });
  expect((await door.list()).body).toMatchObject({
    mailboxes: [],
    mailbox_settings: { default_outbound_mailbox_id: null },
  });
  for (const answer of [await door.get(id), await door.messages(id), await door.remove(id)])
    expect(answer).toMatchObject({ status: 404, body: { code: 'MAILBOX_NOT_FOUND' } });
  expect(await control.sql('select 1 from mailbox_messages where mailbox_id = $1', [id])).toEqual([]);
  expect(await door.create('hello-there')).toMatchObject({ status: 409, body: { code: 'SLUG_IN_COOLDOWN' } });
  // Another project may have it meanwhile.
  expect((await (await newDoor()).create('hello-there')).status).toBe(201);
  await control.sql(`update mailboxes set deleted_at = now() - interval '31 days' where id = $1`, [id]);
  expect((await door.create('hello-there')).status).toBe(201);
});

test('defaults name mailboxes of the project that send, or none', async () => {
  const door = await newDoor();
  const other = await newDoor();
  const { mailbox_id: one } = (await door.create('box-one')).body;
  const { mailbox_id: two } = (await door.create('box-two')).body;
  const { mailbox_id: foreign } = (await other.create('box-three')).body;
  expect((await door.defaults({ default_outbound_mailbox_id: two, auth_sender_mailbox_id: one })).body).toMatchObject({
    mailbox_settings: { default_outbound_mailbox_id: two, auth_sender_mailbox_id: one },
  });
  expect((await door.defaults({ auth_sender_mailbox_id: null })).body.mailbox_settings).toEqual({
    default_outbound_mailbox_id: two,
    auth_sender_mailbox_id: null,
  });
  expect((await door.defaults({ default_outbound_mailbox_id: null })).body.next_actions).toMatchObject([
    { method: 'PATCH', path: '/mailboxes/v1/settings' },
  ]);
  expect((await door.defaults({})).body.code).toBe('VALIDATION_FAILED');
  expect((await door.defaults({ default_outbound_mailbox_id: 7 })).body.code).toBe('VALIDATION_FAILED');
  for (const id of [foreign, 'mbx_none'])
    expect((await door.defaults({ default_outbound_mailbox_id: id })).body.code).toBe('MAILBOX_NOT_FOUND');
  await control.sql(`update mailboxes set status = 'suspended' where id = $1`, [one]);
  expect(await door.defaults({ default_outbound_mailbox_id: one })).toMatchObject({
    status: 409,
    body: { code: 'DEFAULT_MAILBOX_INVALID', details: { status: 'suspended' } },
  });
  expect((await door.get(one)).body).toMatchObject({ can_send: false, send_blocked_reason: 'mailbox_suspended' });
});

test('the footer can be left out from the tier hobby on, and is back when the tier ends', async () => {
  const door = await newDoor();
  const { mailbox_id: id } = (await door.create('hello-there')).body;
  expect(await door.update(id, 'none')).toMatchObject({ status: 403, body: { code: 'FOOTER_POLICY_TIER_REQUIRED' } });
  expect((await door.update(id, 'some')).body.code).toBe('VALIDATION_FAILED');
  const set = (tier: string) => control.sql('update orgs set tier = $2 where id = $1', [door.orgId, tier]);
  await set('hobby');
  expect((await door.update(id, 'none')).body).toMatchObject({
    footer_policy: 'none',
    effective_footer_policy: 'none',
    footer_policy_locked_reason: null,
  });
  await set('prototype');
  expect((await door.get(id)).body).toMatchObject({
    footer_policy: 'none',
    effective_footer_policy: 'svc_transparency',
    footer_policy_locked_reason: 'tier_prototype',
  });
});
