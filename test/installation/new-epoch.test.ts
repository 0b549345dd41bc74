import { afterAll, expect, test } from 'vitest';
import { openProtocolSocket } from '../graphql/protocol-socket.ts';
import { startService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import { liveProject } from '../live/live-project.ts';

const service = await startService();
afterAll(() => service.stop());
const { admin } = service.actors;

const beginEpoch = async () => {
  const answer = await service.call<{ epoch: string }>(admin, 'POST', '/admin/v1/epochs');
  expect(answer.status).toBe(201);
  return answer.body.epoch;
};

// biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
type Any = any;

test('a new epoch makes every kind of follower start over and tells it so, those that are connected too', async () => {
  const project = await liveProject(service);
  const { orgId, projectId, owner } = project;
  const room = `/orgs/v1/${orgId}/rooms/${projectId}/messages`;
  const events = `/projects/v1/${projectId}/events`;
  const say = async (body: string) =>
    expect(await service.call(owner, 'POST', room, { body: { body } })).toMatchObject({ status: 201 });
  const read = async (path: string, cursor?: string) =>
    (await service.call<Any>(owner, 'GET', `${path}?${new URLSearchParams(cursor === undefined ? {} : { cursor })}`))
      .body;

  await say('one');
  await say('two');
  for (const event_type of ['first', 'second'])
    await service.call({ headers: async () => ({ apikey: project.serviceKey }) }, 'POST', events, {
      body: { event_type },
    });
  const [messages, happened, live] = [
    await read(room),
    await read(events),
    (await project.changes({ tables: 'notes' })).body,
  ];
  expect(await read(room, messages.cursor)).toMatchObject({ messages: [] });

  const socket = await openProtocolSocket(service.url);
  await socket.init(await owner.headers('/graphql'));
  const documents = {
    messages: `subscription { roomMessages(org: "${orgId}", room: "${projectId}") { cursor reset message { body } } }`,
    events: `subscription { events(project: "${projectId}") { reset cursor } }`,
  };
  for (const [id, document] of Object.entries(documents)) socket.subscribe(id, document, {});
  const seen = (id: string): Any[] =>
    socket.seen
      .filter((one) => one.type === 'next' && one.id === id)
      .map(({ payload }: Any) => Object.values(payload.data)[0]);
  const stream = await project.stream({ tables: 'notes' });
  const held = service.call<Any>(owner, 'GET', `${room}?wait=25&cursor=${messages.cursor}`);
  await until(() => expect(seen('messages')).toHaveLength(2));
  await until(() => expect(seen('events').length).toBeGreaterThan(0));
  const before = seen('events').length;

  const epoch = await beginEpoch();
  expect(
    await service.control.sql("select object_id from audit_events where action = 'installation.epoch_begun'"),
  ).toEqual([{ object_id: epoch }]);

  const [messagesAfter, eventsAfter] = [await read(room, messages.cursor), await read(events, happened.cursor)];
  expect(messagesAfter).toMatchObject({ reset: true, messages: [{ body_snippet: 'one' }, { body_snippet: 'two' }] });
  expect(eventsAfter).toMatchObject({ reset: true });
  const types = eventsAfter.events
    .map((one: Any) => one.event_type)
    .filter((type: string) => !type.startsWith('agent_'));
  expect(types).toEqual(['first', 'second']);
  expect(await project.changes({ tables: 'notes', cursor: live.cursor })).toMatchObject({ body: { resync: true } });
  expect((await held).body).toMatchObject({
    reset: true,
    messages: [{ body_snippet: 'one' }, { body_snippet: 'two' }],
  });

  await until(() => expect(seen('messages').map(({ reset }) => reset)).toEqual([false, false, true, false]));
  await until(() => expect(seen('events')[before]).toMatchObject({ reset: true }));
  await stream.until(({ event }) => event === 'resync');
  stream.close();
  socket.socket.terminate();

  // Cursors of the new epoch go on as ever.
  await say('three');
  expect(await read(room, messagesAfter.cursor)).toMatchObject({ messages: [{ body_snippet: 'three' }] });
  expect((await read(room, messagesAfter.cursor)).reset).toBeUndefined();
});
