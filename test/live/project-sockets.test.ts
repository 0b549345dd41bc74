import { afterAll, expect, test } from 'vitest';
import { openProtocolSocket } from '../graphql/protocol-socket.ts';
import { startService } from '../helpers/service.ts';
import { liveProject, notes } from './live-project.ts';

const service = await startService();
afterAll(() => service.stop());
const project = await liveProject(service);
await project.expose(notes);

test('subscriptions that are completed as they begin are counted no more', async () => {
  const socket = await openProtocolSocket(`${service.url}/projects/v1/${project.projectId}`);
  await socket.init({ apikey: project.serviceKey });
  const query = 'subscription { notesHints { cursor } }';
  // In one go, and at every moment of a beginning.
  for (let at = 0; at < 20; at++) {
    socket.subscribe(`s${at}`, query);
    for (let turn = 0; turn < at; turn++) await new Promise((resolve) => setImmediate(resolve));
    socket.complete(`s${at}`);
  }
  socket.subscribe('last', query);
  const first = await socket.next('next', 'last');
  expect(first.payload).toMatchObject({ data: { notesHints: { cursor: expect.any(String) } } });
  await expect.poll(() => service.gauge('subscriptions_open')).toBe(1);
  socket.socket.close();
  await socket.closed;
  await expect.poll(() => service.gauge('subscriptions_open')).toBe(0);
});
