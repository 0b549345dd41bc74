import { afterAll, beforeAll, expect, test } from 'vitest';
import { deploying, refOf } from '../deploys/deploying.ts';
import { startService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import { mailDoor } from '../mailboxes/mail-door.ts';
import { mailOf, mailSender } from '../mailboxes/mail-sender.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
type Any = any;

const service = await startService({ env: { MAIL_LISTEN: '127.0.0.1:0' } });
afterAll(() => service.stop());
const outside = mailSender(service.app.mailPort!);

const source = `export default async (request) => {
  console.log(JSON.stringify((await request.json()).payload));
  return new Response('');
};`;

let project: Awaited<ReturnType<typeof service.project>>;
let door: ReturnType<typeof mailDoor>;
let box: { readonly mailbox_id: string; readonly address: string };
let key: ReturnType<typeof service.actors.bearer>;
beforeAll(async () => {
  project = await service.project();
  key = service.actors.bearer(project.serviceKey);
  door = mailDoor(service, project.serviceKey);
  box = (await door.create('hello-there')).body as typeof box;
  await door.send(box.mailbox_id, { to: 'ada@example.com', subject: 'Hello', html: 'x' });
});

const trigger = (id: string, events: readonly string[], mailbox: string) => ({
  id,
  type: 'email',
  mailbox,
  events,
  run: { event_type: `mail.${id}`, payload: { of: id } },
});
const deploy = async (triggers: readonly object[]): Promise<Any> => {
  const spec = { functions: { replace: { reader: { source: refOf(source), triggers } } } };
  const done = await deploying(service, project.wallet, project).deploy(spec, [source]);
  expect(done).toMatchObject({ status: 'ready' });
  return done;
};
const runs = async () =>
  (await service.call<Any>(key, 'GET', '/functions/v1/reader/runs?limit=100')).body.runs as Any[];
const answer = (subject: string) =>
  outside.raw(
    { from: 'ada@example.com', to: box.address },
    mailOf('From: ada@example.com', `Subject: ${subject}`, '', 'Thanks', ''),
  );
const messages = async () => (await door.messages(box.mailbox_id, '?direction=inbound')).body.messages as Any[];

test('mail that comes in makes one run of each function that waits for it, and tells what has come', async () => {
  const { release_id } = await deploy([
    trigger('by-slug', ['reply_received', 'bounced'], 'hello-there'),
    trigger('by-id', ['reply_received'], box.mailbox_id),
    trigger('other-event', ['complained'], 'hello-there'),
    trigger('other-box', ['reply_received'], 'not-there-yet'),
  ]);
  const { body } = await service.call<Any>(key, 'GET', `/projects/v1/admin/${project.projectId}/functions`);
  expect(body.functions[0].mail_triggers).toHaveLength(4);
  expect(body.functions[0].mail_triggers[0]).toEqual({
    trigger_id: 'by-id',
    mailbox: box.mailbox_id,
    events: ['reply_received'],
    event_type: 'mail.by-id',
  });
  // A server that hears no answer sends a mail again.
  for (const _time of [1, 2]) expect(await answer('Yes')).toMatch(/^250/);
  const made = await until(async () => {
    const found = await runs();
    expect(found).toMatchObject([{ status: 'succeeded' }, { status: 'succeeded' }]);
    return found;
  });
  const [message] = await messages();
  const ofTrigger = (id: string) => made.find(({ source: from }) => from.trigger_id === id);
  expect(ofTrigger('by-slug')).toMatchObject({
    event_type: 'mail.by-slug',
    source: {
      type: 'email',
      trigger_id: 'by-slug',
      mailbox_id: box.mailbox_id,
      release_id,
      event_type: 'reply_received',
      discriminator: message.message_id,
    },
  });
  const { run_id } = ofTrigger('by-id');
  const { logs } = (await service.call<Any>(key, 'GET', `/functions/v1/runs/${run_id}/logs`)).body;
  expect(JSON.parse(logs[0].message)).toMatchObject({
    of: 'by-id',
    event: { type: 'reply_received', mailbox_id: box.mailbox_id, message_id: message.message_id, subject: 'Yes' },
  });
});

test('a release without a trigger is not run by mail, and what was made before goes on', async () => {
  const before = (await runs()).length;
  await deploy([trigger('by-slug', ['bounced'], 'hello-there')]);
  expect(await answer('Again')).toMatch(/^250/);
  expect((await messages()).map(({ subject }) => subject)).toContain('Again');
  // Runs are made with the message: there is nothing to wait for.
  expect(await runs()).toHaveLength(before);
});

test('mail of another project makes no run here', async () => {
  await deploy([trigger('by-id', ['reply_received'], box.mailbox_id)]);
  const before = (await runs()).length;
  const theirs = await service.project();
  const their = mailDoor(service, theirs.serviceKey);
  const other = (await their.create('hello-there')).body as typeof box;
  await their.send(other.mailbox_id, { to: 'ada@example.com', subject: 'Hello', html: 'x' });
  // A function of theirs that names a mailbox of this project hears nothing of it.
  const spec = {
    functions: {
      replace: { spy: { source: refOf(source), triggers: [trigger('spy', ['reply_received'], box.mailbox_id)] } },
    },
  };
  await deploying(service, theirs.wallet, theirs).deploy(spec, [source]);
  expect(await answer('Secret')).toMatch(/^250/);
  expect(await runs()).toHaveLength(before + 1);
  const spied = await service.call<Any>(service.actors.bearer(theirs.serviceKey), 'GET', '/functions/v1/spy/runs');
  expect(spied.body.runs).toEqual([]);
});
