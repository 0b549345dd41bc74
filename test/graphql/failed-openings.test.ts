import { afterAll, expect, test, vi } from 'vitest';
import { startService } from '../helpers/service.ts';
import { openProtocolSocket } from './protocol-socket.ts';

const service = await startService({ nodes: 1 });
afterAll(() => service.stop());

const query = `subscription ($org: ID!, $room: String!) {
  roomMessages(org: $org, room: $room) { message { body } }
}`;

test('a subscription that fails when it begins is told so, counts for nothing, and its id is free again', async () => {
  const { wallet, orgId, projectId, serviceKey } = await service.project();
  const raw = await (await openProtocolSocket(service.url)).init({ apikey: serviceKey });
  const more = { variables: { org: orgId, room: projectId } };
  const failing = vi.spyOn(service.app.services.authority, 'watch').mockImplementationOnce(() => {
    throw new Error('It cannot be watched.');
  });
  raw.subscribe('s', query, more);
  const { payload } = await raw.next('next', 's');
  expect(payload.errors).toMatchObject([{ extensions: { code: 'INTERNAL_ERROR' } }]);
  await raw.next('complete', 's');
  expect(await service.gauge('subscriptions_open')).toBe(0);
  failing.mockRestore();

  raw.seen.length = 0;
  raw.subscribe('s', query, more);
  const path = `/orgs/v1/${orgId}/rooms/${projectId}/messages`;
  await service.call(wallet, 'POST', path, { body: { body: 'hello' } });
  expect((await raw.next('next', 's')).payload).toEqual({ data: { roomMessages: { message: { body: 'hello' } } } });
  expect(await service.gauge('subscriptions_open')).toBe(1);
  raw.socket.terminate();
});
