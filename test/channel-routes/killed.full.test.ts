import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { startFaultyWorld } from '../helpers/faulty-world.ts';
import { startRelay } from '../helpers/nostr-relay.ts';
import { approvalBy } from './channel-door.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
type Any = any;

const [world, relay] = await Promise.all([startFaultyWorld(), startRelay()]);
afterAll(async () => {
  await world.stop();
  await relay.stop();
});

test('a message that was taken before its process could write so is sent again, as the very same', async () => {
  const start = () => world.start({ WEBHOOK_ORIGINS: relay.origin, DNS_SERVERS: '127.0.0.1:9' });
  let gateway = await start();
  const { wallet, orgId } = await world.owner(gateway);
  const ask = async (method: string, path: string, body?: object): Promise<Any> => {
    const headers = method === 'GET' ? {} : { 'idempotency-key': randomUUID() };
    const options = { headers, ...(body === undefined ? {} : { body }) };
    return (await gateway.call<Any>(gateway.as(wallet), method, path, options)).body;
  };
  const begun = await ask('POST', '/channel-communities/v1', {
    org_id: orgId,
    community_subject: relay.self.publicKey,
    community_authority_subject: relay.operator.publicKey,
  });
  await ask('POST', `/channel-communities/v1/${begun.community_installation_id}/activate`, {
    authority_proof: {
      community_subject: relay.self.publicKey,
      approval_event: approvalBy(relay, begun.authority_proof_content),
      relay_url: relay.url,
    },
  });
  const { channel_route_id: id, notification_pubkey: key } = await ask('POST', '/channel-routes/v1', {
    org_id: orgId,
    community_installation_id: begun.community_installation_id,
    route_name: 'deploys',
    channel_id: 'deploys',
    project_scope: 'org',
  });
  relay.join('deploys', key);
  // The relay has it, and its answer never comes: the process dies in between.
  relay.behave(() => 'take and hang');
  const test = await ask('POST', `/channel-routes/v1/${id}/test`, {});
  await expect.poll(() => relay.sent.length, { timeout: 20_000 }).toBe(1);
  await gateway.kill();
  expect(relay.in('deploys')).toHaveLength(1);
  relay.behave(() => 'take');
  gateway = await start();
  const shown = async () =>
    (await ask('GET', `/channel-routes/v1/${id}/deliveries?delivery_id=${test.channel_route_delivery_id}`))
      .channel_route_deliveries[0];
  await expect.poll(async () => (await shown()).status, { timeout: 90_000 }).toBe('delivered');
  expect(relay.sent.length).toBeGreaterThan(1);
  expect(new Set(relay.sent.map(({ text }) => text)).size).toBe(1);
  expect(relay.in('deploys').map((one) => one.id)).toEqual([(await shown()).envelope_event_id]);
  await gateway.stop();
});
