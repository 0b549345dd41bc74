import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, expect, test } from 'vitest';
import { Engine } from '../../schema/engine/engine.ts';
import { schema } from '../../schema/schema.ts';
import { createContext } from '../../server/request-context.ts';
import { startService } from '../helpers/service.ts';

const service = await startService();
afterAll(() => service.stop());

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const query = `subscription ($org: ID!, $room: String!) {
  roomMessages(org: $org, room: $room) { message { body } }
}`;

/** What an audience keeps of the subscriber that began it, and whether that subscriber is still there. */
async function begin({ orgId, projectId, serviceKey }: { orgId: string; projectId: string; serviceKey: string }) {
  const { services } = service.app;
  const ctx = createContext(services, {
    credentials: { apikey: serviceKey },
    address: '127.0.0.1',
    baseUrl: service.url,
    traceId: 'trc_test',
    signal: new AbortController().signal,
  });
  const engine = new Engine(schema, { introspection: false });
  const prepared = engine.prepare({ query, variables: { org: orgId, room: projectId } }, 'trc_test');
  if (!('document' in prepared)) throw new Error('The document was refused.');
  const subscribed = await engine.subscribe(prepared, ctx);
  if (!('opened' in subscribed)) throw new Error(JSON.stringify(subscribed));
  expect(subscribed.key).toBeDefined();
  const { feed, toEvent } = subscribed.opened;
  return { kept: { feed, toEvent, execute: subscribed.execute }, subscriber: new WeakRef(ctx) };
}

test('an audience holds nothing of whoever began it, and executes all the same', async () => {
  const project = await service.project();
  const { kept, subscriber } = await begin(project);
  // The turn of the event loop that it was made in keeps it.
  await sleep(0);
  collectGarbage();
  expect(subscriber.deref()).toBeUndefined();

  const path = `/orgs/v1/${project.orgId}/rooms/${project.projectId}/messages`;
  await service.call(project.wallet, 'POST', path, { body: { body: 'hello' } });
  const { rows } = await kept.feed.fetch(service.app.services.db, 0n, 1);
  expect(await kept.execute(kept.toEvent(rows[0], false))).toMatchObject({
    data: { roomMessages: { message: { body: 'hello' } } },
  });
});
