import { afterAll, expect, test } from 'vitest';
import { mirrorMessages } from '../../resolvers/rooms/mirror-messages.ts';
import { jobContext } from '../../server/workers.ts';
import { startService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

// Nobody tells but the tests, at the moments that they choose.
const service = await startService({ jobs: false, nodes: 1 });
afterAll(() => service.stop());

const mirror = () => mirrorMessages(jobContext(service.app.services, new AbortController().signal));

async function home() {
  const project = await service.project();
  const { wallet, orgId, projectId } = project;
  await service.call(service.actors.admin, 'POST', `/orgs/v1/admin/${orgId}/limits`, {
    body: { limits: { writes_per_second: 10_000, writes_burst: 10_000 } },
  });
  const send = async (body: object, room: string = projectId) => {
    const path = `/orgs/v1/${orgId}/rooms/${room}/messages`;
    const answer = await service.call<{ message_id: string }>(wallet, 'POST', path, {
      body: { session_key: 's', requested_name: 'Sam', ...body },
    });
    expect(answer.status).toBe(201);
    return answer.body.message_id;
  };
  const events = () =>
    service.control.sql<{ project_id: string | null; payload: Record<string, unknown> }>(
      `select project_id, class, source, payload from events where org_id = $1 and type = 'agent_message_sent'
       order by position`,
      [orgId],
    );
  const told = async () => (await events()).map(({ payload }) => payload.message_id);
  const lags = async () => {
    const rows = await service.control.sql(
      'select feed_id from feed_heads where org_id = $1 and unmirrored_from is not null',
      [orgId],
    );
    return rows.length;
  };
  return { ...project, send, events, told, lags };
}

test('a message in a project’s own room is an event of the project, with what points at it', async () => {
  const { send, events, projectId, wallet, orgId } = await home();
  await service.call(wallet, 'POST', `/orgs/v1/${orgId}/rooms/${projectId}/presences`, {
    body: { requested_name: 'Ada' },
  });
  const said = { body: '🦊'.repeat(201), to: ['Ada'], thread_id: 't', importance: 'high' };
  const message_id = await send(said);
  await mirror();
  expect(await events()).toEqual([
    {
      project_id: projectId,
      class: 'coordination',
      source: 'platform',
      payload: {
        room_key: projectId,
        message_id,
        sender: 'Sam',
        importance: 'high',
        thread_id: 't',
        recipients: ['Ada'],
        body_snippet: '🦊'.repeat(200),
        body_truncated: true,
      },
    },
  ]);
});

test('an event of a message is of the moment when it was sent, however late it is told', async () => {
  const { send, wallet, orgId, projectId } = await home();
  const message_id = await send({ body: 'x' });
  await service.control.sql(`update room_messages set created_at = created_at - interval '3 minutes' where id = $1`, [
    message_id,
  ]);
  await mirror();
  const path = `/orgs/v1/${orgId}/rooms/${projectId}/messages/${message_id}`;
  const message = (await service.call<{ created_at: string }>(wallet, 'GET', path)).body;
  const { body } = await service.call<{ events: { occurred_at: string; event_type: string }[] }>(
    wallet,
    'GET',
    `/projects/v1/${projectId}/events`,
  );
  const event = body.events.find(({ event_type }) => event_type === 'agent_message_sent');
  expect(event?.occurred_at).toBe(message.created_at);
});

test('of a named room the organization is told what stands out, and nothing else', async () => {
  const { send, events, lags } = await home();
  await send({ body: 'as usual' }, 'standup');
  expect(await lags()).toBe(0);
  const loud = await send({ body: 'fire', importance: 'high' }, 'standup');
  await send({ body: 'what?' }, 'standup');
  await mirror();
  await send({ body: 'oh' }, 'standup');
  await mirror();
  expect(await events()).toMatchObject([{ project_id: null, payload: { message_id: loud, room_key: 'standup' } }]);
  expect(await lags()).toBe(0);
});

test('however many tell at once, every message is told once, in the order of the room', async () => {
  const { send, told, lags } = await home();
  const sent: string[] = [];
  const sending = (async () => {
    for (let n = 0; n < 130; n++) sent.push(await send({ body: `${n}` }));
  })();
  let over = false;
  const telling = Array.from({ length: 4 }, async () => {
    while (!over) await mirror();
  });
  await sending;
  over = true;
  await Promise.all(telling);
  await mirror();
  expect(await told()).toEqual(sent);
  expect(await lags()).toBe(0);
});

test('more messages than one transaction tells of are all told, without anything in between', async () => {
  const { send, told } = await home();
  const sent = await Promise.all(
    Array.from({ length: 250 }, (_, n) => send({ body: `${n}`, session_key: `${n % 8}` })),
  );
  await mirror();
  expect(new Set(await told())).toEqual(new Set(sent));
  expect(await told()).toHaveLength(250);
});

test('a node that dies between the events and the note of them tells nothing twice', async () => {
  const { send, told, orgId } = await home();
  const sent = [await send({ body: '1' }), await send({ body: '2' })];
  await mirror();
  // As if the note had never been written.
  await service.control.sql(`update feed_heads set unmirrored_from = 1 where org_id = $1 and kind = 'room'`, [orgId]);
  sent.push(await send({ body: '3' }));
  await mirror();
  expect(await told()).toEqual(sent);
});

test('a node that dies before it has told anything leaves all of it to the next', async () => {
  const { send, told } = await home();
  const sent = [await send({ body: '1' }), await send({ body: '2' })];
  const stopped = new AbortController();
  stopped.abort();
  await expect(mirrorMessages(jobContext(service.app.services, stopped.signal))).rejects.toThrow();
  expect(await told()).toEqual([]);
  await mirror();
  expect(await told()).toEqual(sent);
});

test('a room whose events cannot be written holds up no other, and is told later', async () => {
  const broken = await home();
  const sound = await home();
  await service.control.sql(
    `alter table events add constraint not_these check (org_id <> '${broken.orgId}') not valid`,
  );
  const late = await broken.send({ body: 'x' });
  const sent = await sound.send({ body: 'x' });
  await mirror();
  expect([await broken.told(), await sound.told()]).toEqual([[], [sent]]);
  await service.control.sql('alter table events drop constraint not_these');
  await mirror();
  expect(await broken.told()).toEqual([late]);
});

test('a message that is repeated is told once, and one that is refused never', async () => {
  const { send, told, wallet, orgId, projectId } = await home();
  const first = await send({ body: 'once', idempotency_key: 'k' });
  const path = `/orgs/v1/${orgId}/rooms/${projectId}/messages`;
  await service.call(wallet, 'POST', path, { body: { body: 'once', idempotency_key: 'k', session_key: 's' } });
  await service.call(wallet, 'POST', path, { body: { body: 'x', to: ['Nobody'] } });
  await mirror();
  expect(await told()).toEqual([first]);
});

test('a node that runs tells by itself, at once and what was left behind', async () => {
  const running = await startService({ nodes: 1 });
  try {
    const { wallet, orgId, projectId } = await running.project();
    const send = () =>
      running.call(wallet, 'POST', `/orgs/v1/${orgId}/rooms/${projectId}/messages`, { body: { body: 'hello' } });
    const told = (count: number) =>
      until(async () => {
        const rows = await running.control.sql(`select 1 from events where type = 'agent_message_sent'`);
        expect(rows).toHaveLength(count);
      });
    await send();
    await told(1);
    // Nobody here sent it, as far as this node knows.
    await running.control.sql('delete from events');
    await running.control.sql('delete from event_keys');
    await running.control.sql(`update feed_heads set unmirrored_from = 1 where kind = 'room'`);
    await running.control.sql(`select graphile_worker.add_job('mirror-messages')`);
    await told(1);
  } finally {
    await running.stop();
  }
});
