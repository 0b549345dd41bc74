import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { tell } from '../events/feed.ts';
import { expectRefusal, moment } from '../helpers/documented.ts';
import { startService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import { startReceiver } from '../mailboxes/webhook-receiver.ts';
import { noticeDoor } from './notice-door.ts';
import { startTelegram } from './telegram-server.ts';

const [telegram, receiver] = await Promise.all([startTelegram(), startReceiver()]);
const service = await startService({
  env: {
    TELEGRAM_API_URL: telegram.url,
    TELEGRAM_BOT_TOKEN: telegram.token,
    WEBHOOK_ORIGINS: receiver.url,
  },
});
afterAll(async () => {
  await service.stop();
  await Promise.all([telegram.stop(), receiver.stop()]);
});
const { control } = service;
const { told } = noticeDoor(service);

let chats = 1_000;

/** An operator with a chat of its own. */
async function chatting() {
  const ada = await told();
  const chat = { id: ++chats, type: 'private', title: 'Ada' };
  const connected = await ada.ask('POST', '/notifications/channels/chat', { label: 'mine' });
  const [, code] = /\?start=([\w-]{32})$/.exec(connected.body.connect_url)!;
  telegram.say(`/start ${code}`, chat);
  const binding = connected.body.binding_id as string;
  const shown = async () => (await ada.ask('GET', '/notifications/channels')).body.chat;
  await until(async () => expect(await shown()).toMatchObject([{ id: binding, status: 'active' }]));
  const rule = (body: object = {}) => ada.ask('POST', '/notifications/rules', { chat_binding_id: binding, ...body });
  const project = (
    await service.call<{ project_id: string; service_key: string }>(ada.wallet, 'POST', '/projects/v1', {
      body: { org_id: ada.orgId },
    })
  ).body;
  const emit = async (event_type: string, payload: object = {}) =>
    expect(
      await service.call(
        service.actors.bearer(project.service_key),
        'POST',
        `/projects/v1/${project.project_id}/events`,
        {
          body: { event_type, payload },
        },
      ),
    ).toMatchObject({ status: 201 });
  const happened = () =>
    tell(service, {
      orgId: ada.orgId,
      projectId: project.project_id,
      type: 'deploy_activated',
      payload: { release_id: 'rel_1', operation_id: 'op_1' },
    });
  const inChat = async (search = '') => (await ada.notices(search)).filter(({ channel }) => channel === 'chat');
  return { ...ada, chat, code: code!, binding, shown, rule, emit, happened, inChat, projectId: project.project_id };
}

const hasten = async () => {
  await control.sql(`update notices set due_at = now() where due_at is not null and lease is null`);
  await control.sql(`select graphile_worker.add_job('notices.wake')`);
};

/** Waits until everybody was told of what has happened: rules hold for what happens while they stand. */
const settled = () =>
  until(async () =>
    expect(await control.sql(`select from graphile_worker.jobs where task_identifier = 'notices.tell'`)).toEqual([]),
  );

test('a chat is connected by whoever first says its code, and hears what a rule says, once', async () => {
  const ada = await chatting();
  expect(await ada.shown()).toEqual([
    {
      id: ada.binding,
      recipient_email: ada.email,
      status: 'active',
      chat_id: ada.chat.id,
      chat_type: 'private',
      chat_title: 'Ada',
      label: 'mine',
      consecutive_failures: 0,
      disabled_at: null,
      code_expires_at: null,
      created_at: moment,
      activated_at: moment,
    },
  ]);
  // Without a rule nothing is told; with two that say the same it is told once.
  await ada.happened();
  await settled();
  const made = await ada.rule({ event_types: ['deploy_activated'], project_id: ada.projectId });
  expect(made.body).toEqual({
    id: expect.any(String),
    recipient_email: ada.email,
    project_id: ada.projectId,
    source: null,
    event_types: ['deploy_activated'],
    classes: null,
    channel: 'chat',
    chat_binding_id: ada.binding,
    enabled: true,
    created_at: moment,
    updated_at: moment,
    next_actions: [expect.objectContaining({ type: 'test_notification' })],
  });
  await ada.rule({ source: 'platform', classes: ['lifecycle'] });
  await ada.happened();
  await settled();
  await until(() => expect(telegram.in(ada.chat.id)).toHaveLength(1));
  expect(telegram.in(ada.chat.id)[0]).toMatch(/^Deploy activated: /);
  await ada.emit('order_paid', { order: 'o_1' });
  await settled();
  await ada.rule({ source: 'app', event_types: ['order_paid'] });
  await ada.emit('order_paid', { order: '<b>o_2</b> _x_' });
  await ada.emit('order_sent');
  await until(() => expect(telegram.in(ada.chat.id)).toHaveLength(2));
  expect(telegram.in(ada.chat.id)[1]).toContain('order: <b>o_2</b> _x_');
  await until(async () =>
    expect((await ada.inChat()).map((one) => [one.event_type, one.delivery_status])).toEqual([
      ['order_paid', 'delivered'],
      ['deploy_activated', 'delivered'],
    ]),
  );
  // A code is good once, and a stranger's chat changes nothing.
  telegram.say(`/start ${ada.code}`, { id: 5, type: 'private', title: 'Eve' });
  await chatting();
  expect(await ada.shown()).toMatchObject([{ chat_id: ada.chat.id }]);
});

test('rules are changed, rest, match nothing by an empty list, and end with their chat', async () => {
  const ada = await chatting();
  const { id } = (await ada.rule({ event_types: [] })).body;
  const rules = async () => (await ada.ask('GET', '/notifications/rules')).body.rules;
  await ada.happened();
  await settled();
  const change = (body: object) => ada.ask('PATCH', `/notifications/rules/${id}`, body);
  expect((await change({ enabled: false, event_types: null })).body).toMatchObject({
    enabled: false,
    event_types: null,
  });
  await ada.happened();
  await settled();
  await change({ enabled: true, source: 'app' });
  await ada.happened();
  await settled();
  await change({ source: null });
  await ada.happened();
  await settled();
  await until(() => expect(telegram.in(ada.chat.id)).toHaveLength(1));
  const bob = await chatting();
  const elsewhere = { chat_binding_id: bob.binding };
  expectRefusal(await ada.ask('POST', '/notifications/rules', elsewhere), 'RULE_REF_NOT_FOUND');
  expectRefusal(await change(elsewhere), 'RULE_REF_NOT_FOUND');
  expectRefusal(await ada.rule({ project_id: bob.projectId }), 'RULE_REF_NOT_FOUND');
  expectRefusal(await ada.rule({ chat_binding_id: randomUUID() }), 'RULE_REF_NOT_FOUND');
  for (const [method, path] of [
    ['PATCH', `/notifications/rules/${id}`],
    ['DELETE', `/notifications/rules/${id}`],
    ['DELETE', `/notifications/channels/chat/${ada.binding}`],
  ] as const)
    expectRefusal(await bob.ask(method, path, {}), 'RESOURCE_NOT_FOUND');
  expect(await rules()).toHaveLength(1);
  const other = (await ada.rule({})).body.id;
  expect((await ada.ask('DELETE', `/notifications/rules/${other}`, {})).body).toEqual({
    deleted: true,
    rule_id: other,
  });
  expect((await ada.ask('DELETE', `/notifications/channels/chat/${ada.binding}`, {})).body).toEqual({
    status: 'revoked',
    binding_id: ada.binding,
  });
  expect([await rules(), await ada.shown()]).toEqual([[], []]);
});

test('a chat is not connected without a passkey, nor by a code that is over', async () => {
  const ada = await told({ passkey: false });
  expectRefusal(await ada.ask('POST', '/notifications/channels/chat', {}), 'OPERATOR_PASSKEY_REQUIRED');
  const bob = await told();
  const { body } = await bob.ask('POST', '/notifications/channels/chat', {});
  expect(body).toMatchObject({ status: 'pending', code_expires_at: moment, label: null });
  await control.sql(`update chat_bindings set code_expires_at = now() where id = $1`, [body.binding_id]);
  telegram.say(`/start ${/start=([\w-]+)$/.exec(body.connect_url)![1]}`, { id: 77, type: 'private', title: 'Late' });
  await chatting();
  expect((await bob.ask('GET', '/notifications/channels')).body.chat).toEqual([]);
});

test('a group that moved is found again, a chat that waits is asked later, and one that is gone is given up', async () => {
  const ada = await chatting();
  await ada.rule();
  telegram.refusals.set(ada.chat.id, {
    error_code: 400,
    description: 'Bad Request: group chat was upgraded to a supergroup chat',
    parameters: { migrate_to_chat_id: -1_000_000 - ada.chat.id },
  });
  await ada.happened();
  await settled();
  await until(() => expect(telegram.in(-1_000_000 - ada.chat.id)).toHaveLength(1));
  const moved = -1_000_000 - ada.chat.id;
  telegram.refusals.set(moved, {
    error_code: 429,
    description: 'Too Many Requests: retry after 35',
    parameters: { retry_after: 35 },
  });
  await ada.happened();
  await settled();
  await until(async () => expect((await ada.inChat())[0]).toMatchObject({ delivery_status: 'failed_transient' }));
  const [{ wait }] = (await control.sql<{ wait: number }>(
    `select extract(epoch from due_at - now())::float as wait from notices where channel = 'chat' and due_at is not null`,
  )) as [{ wait: number }];
  expect(wait).toBeGreaterThan(15);
  telegram.refusals.set(moved, { error_code: 403, description: 'Forbidden: bot was kicked from the supergroup chat' });
  await hasten();
  for (let given = 2; given <= 10; given += 1) await ada.happened();
  await until(async () => {
    await hasten();
    expect(await ada.shown()).toMatchObject([{ consecutive_failures: 10, disabled_at: moment }]);
  });
  expect((await ada.inChat()).filter((one) => one.delivery_status === 'failed_permanent')).toHaveLength(10);
  await ada.happened();
  await settled();
  expect(await ada.inChat()).toHaveLength(11);
  expectRefusal(await ada.rule(), 'RULE_REF_NOT_FOUND');
});

test('a long notice is cut to what the chat takes', async () => {
  const ada = await chatting();
  await ada.rule({ source: 'app' });
  await ada.emit(
    'order_paid',
    Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`a${at}`.repeat(90), '😊'.repeat(90)])),
  );
  await until(() => expect(telegram.in(ada.chat.id)).toHaveLength(1));
  const [text] = telegram.in(ada.chat.id);
  expect(text!.length).toBeLessThanOrEqual(4_096);
  expect(text!.isWellFormed()).toBe(true);
});

test('an incoming webhook is connected at once, and its address is shown to nobody', async () => {
  const ada = await told();
  const url = `${receiver.url}/200/hook-${ada.orgId}`;
  const connected = await ada.ask('POST', '/notifications/channels/chat', { url, label: 'ops' });
  expect(connected.body).toMatchObject({ status: 'active', connect_url: null, connect_group_url: null });
  await ada.ask('POST', '/notifications/rules', { chat_binding_id: connected.body.binding_id });
  const tested = await ada.ask('POST', '/notifications/test', {});
  expect(tested.body.chat.destinations).toEqual([
    { binding_id: connected.body.binding_id, label: 'ops', delivered: true },
  ]);
  expect(receiver.of(`/200/hook-${ada.orgId}`).map(({ body }) => body)).toEqual([
    { text: expect.stringMatching(/^\[Test\] Project past due: /) },
  ]);
  const shown = await ada.ask('GET', '/notifications/channels');
  expect(shown.body.chat).toMatchObject([{ chat_type: 'incoming_webhook', chat_id: null }]);
  expect(JSON.stringify(shown.body)).not.toContain('hook-');
  expect(JSON.stringify(service.logged())).not.toContain(telegram.token);
});
