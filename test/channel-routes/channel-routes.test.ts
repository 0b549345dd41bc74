import { afterAll, expect, test } from 'vitest';
import { tell } from '../events/feed.ts';
import { moment } from '../helpers/documented.ts';
import { startRelay } from '../helpers/nostr-relay.ts';
import { startService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import { channelDoor } from './channel-door.ts';

const relay = await startRelay();
const service = await startService({ env: { WEBHOOK_ORIGINS: relay.origin } });
afterAll(async () => {
  await service.stop();
  await relay.stop();
});
const { installed, routed, lookAgain } = channelDoor(service, relay);

const deployed = (at: { orgId: string; projectId: string }, release = 'rel_1') =>
  tell(service, {
    orgId: at.orgId,
    projectId: at.projectId,
    type: 'deploy_activated',
    payload: { release_id: release, operation_id: 'op_1' },
  });

test('a community is installed by what its authority signs, and a deploy is told in its channel by a signed message', async () => {
  const ada = await routed({}, { isMember: false });
  expect(ada.begun).toMatchObject({ status: 201, body: { status: 'pending', relay_url: null } });
  expect(ada.activated).toMatchObject({ status: 200, body: { status: 'active', relay_url: relay.url } });
  expect(ada.made).toMatchObject({
    status: 201,
    body: {
      status: 'pending_authorization',
      revision: 1,
      project_scope: 'listed',
      event_types: null,
      authorization: { status: 'pending_channel_authorization', notification_pubkey: ada.pubkey },
    },
  });
  relay.join(ada.channel, ada.pubkey);
  const tested = await ada.ask('POST', `${ada.route}/test`, {});
  expect(tested).toMatchObject({ status: 202, body: { kind: 'test', status: 'queued', project_event_id: null } });
  expect(tested.headers.get('retry-after')).toBe('2');
  await until(async () =>
    expect(await ada.shown()).toMatchObject({ status: 'active', delivery_counts: { delivered: 1 } }),
  );

  await deployed(ada);
  await lookAgain(ada.routeId);
  await until(() => expect(relay.in(ada.channel)).toHaveLength(2));
  await until(async () => expect((await ada.deliveries())[0]).toMatchObject({ status: 'delivered' }));
  const [told] = await ada.deliveries();
  const message = relay.in(ada.channel)[1]!;
  expect(message).toMatchObject({ kind: 9, pubkey: ada.pubkey, tags: [['h', ada.channel]] });
  expect(message.content).toMatch(/^Deploy activated: /);
  expect(told).toMatchObject({
    kind: 'event',
    event_type: 'deploy_activated',
    envelope_event_id: message.id,
    signing_generation: 1,
    attempt_count: 1,
    release_id: 'rel_1',
    thread_position: 'root',
    delivered_at: moment,
    next_attempt_at: null,
  });
  expect(await ada.shown()).toMatchObject({
    health: 'active',
    notification_principal_status: 'active',
    delivery_counts: { queued: 0, retryable: 0, delivered: 2, suppressed: 0, dead_letter: 0, cancelled: 0 },
  });
});

test('only what happens after a route was made is told, and only what it selects', async () => {
  const bob = await installed();
  await deployed(bob, 'rel_before');
  const ada = await routed({ event_types: ['deploy_activated'] });
  await deployed(ada, 'rel_after');
  await lookAgain(ada.routeId);
  await until(() => expect(relay.in(ada.channel)).toHaveLength(1));
  expect(relay.in(ada.channel)[0]!.content).toContain('rel_after');
});
