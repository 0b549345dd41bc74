import { afterAll, expect, test } from 'vitest';
import { channelDoor } from '../channel-routes/channel-door.ts';
import { startRelay } from '../helpers/nostr-relay.ts';
import { startService } from '../helpers/service.ts';
import { platformTools } from './mcp-stage.ts';

const relay = await startRelay();
const service = await startService({ env: { WEBHOOK_ORIGINS: relay.origin } });
afterAll(async () => {
  await service.stop();
  await relay.stop();
});
const { routed, lookAgain } = channelDoor(service, relay);
const tools = platformTools(service);

/** A route, and what its owner’s model is told of it. */
async function watched(options?: { isMember: boolean }) {
  const ada = await routed({}, options);
  const told = async (name: string, args: object = {}) =>
    (await tools.call(ada.wallet, name, { channel_route_id: ada.routeId, ...args })).structuredContent;
  return {
    ...ada,
    status: () => told('get_channel_route'),
    delivered: async (args?: object) => (await told('list_channel_route_deliveries', args)).channel_route_deliveries,
    /** Changes the route as its owner does, over REST. */
    does: async (what: string, method = 'POST') =>
      expect((await ada.ask(method, `${ada.route}${what}`, method === 'POST' ? {} : undefined)).status).toBeLessThan(
        300,
      ),
  };
}

test('a model follows a route from its making to its end', async () => {
  const ada = await watched({ isMember: false });
  expect(await ada.status()).toMatchObject({
    channel_route_id: ada.routeId,
    status: 'pending_authorization',
    revision: 1,
    project_ids: [ada.projectId],
    notification_pubkey: ada.pubkey,
  });
  expect(await ada.delivered()).toEqual([]);

  await ada.does('/test');
  const [queued] = await ada.delivered();
  expect(queued).toMatchObject({ kind: 'test', status: 'queued' });
  relay.join(ada.channel, ada.pubkey);
  await lookAgain(ada.routeId);
  await expect.poll(ada.status).toMatchObject({ status: 'active', delivery_counts: { delivered: 1 } });
  const { channel_route_delivery_id: delivery_id } = queued;
  expect(await ada.delivered({ delivery_id })).toMatchObject([{ kind: 'test', status: 'delivered', attempt_count: 1 }]);
  expect(await ada.delivered({ limit: 1 })).toHaveLength(1);

  await ada.does('/pause');
  expect(await ada.status()).toMatchObject({ status: 'paused', pause_reason: 'owner' });
  await ada.does('/resume');
  expect(await ada.status()).toMatchObject({ status: 'active', pause_reason: null });
  await ada.does('/rotate');
  // The present key signs until the next one is a member.
  expect(await ada.status()).toMatchObject({ notification_pubkey: ada.pubkey, signing_generation: 1 });
  await ada.does('', 'DELETE');
  expect(await ada.status()).toMatchObject({ status: 'revoked' });
  const all = await tools.call(ada.wallet, 'get_channel_route', { org_id: ada.orgId });
  expect(all.structuredContent.channel_routes).toMatchObject([{ channel_route_id: ada.routeId, status: 'revoked' }]);
});

test('a model changes no route: no tool does', async () => {
  const ada = await watched();
  const ofRoutes = (await tools.list('all')).filter(({ name }) => /channel_route/.test(name));
  expect(ofRoutes.map(({ name }) => name).toSorted()).toEqual(['get_channel_route', 'list_channel_route_deliveries']);
  for (const { annotations } of ofRoutes) expect(annotations).toMatchObject({ readOnlyHint: true });
  const { body } = await tools.rpc(ada.wallet, 'tools/call', {
    name: 'revoke_channel_route',
    arguments: { channel_route_id: ada.routeId },
  });
  expect(body).toMatchObject({ error: { code: -32602 } });
  expect(await ada.status()).toMatchObject({ status: 'active' });
});

test.each([
  ['get_channel_route', {}],
  ['list_channel_route_deliveries', {}],
])('%s of somebody else’s route is refused as of one that there is not', async (name, args) => {
  const ada = await watched();
  const { wallet: eve } = await service.owner();
  const [foreign, absent] = await Promise.all(
    [ada.routeId, 'chrt_00000000000000000000000000'].map((channel_route_id) =>
      tools.call(eve, name, { ...args, channel_route_id }),
    ),
  );
  expect(foreign).toMatchObject({ isError: true, structuredContent: { code: 'RESOURCE_NOT_FOUND' } });
  expect(foreign!.structuredContent.message).toBe(absent!.structuredContent.message);
});

test.each([
  ['get_channel_route', {}],
  ['list_channel_route_deliveries', {}],
  ['list_channel_route_deliveries', { channel_route_id: 'chrt_1', limit: 0 }],
])('%s with %j is refused by the argument', async (name, args) => {
  const { wallet } = await service.owner();
  expect(await tools.call(wallet, name, args)).toMatchObject({
    isError: true,
    structuredContent: { code: 'VALIDATION_FAILED' },
  });
});
