import { afterAll, expect, test } from 'vitest';
import { tell } from '../events/feed.ts';
import { expectRefusal, moment } from '../helpers/documented.ts';
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

test('errors answer the deploy of their release, and address whoever is on call', async () => {
  const pubkey = relay.operator.publicKey;
  const ada = await routed({ on_call_pubkey: pubkey, on_call_display_name: 'fixer' });
  await deployed(ada, 'rel_7');
  await tell(service, {
    orgId: ada.orgId,
    projectId: ada.projectId,
    type: 'error_fingerprints_observed',
    payload: { release_id: 'rel_7', new_fingerprints: 1, fingerprints: [], first_seen: '2026-03-01T00:00:00.000Z' },
  });
  await lookAgain(ada.routeId);
  await until(() => expect(relay.in(ada.channel)).toHaveLength(2));
  const [root, reply] = relay.in(ada.channel);
  expect(root!.tags).toEqual([['h', ada.channel]]);
  expect(reply!.tags).toEqual([
    ['h', ada.channel],
    ['e', root!.id, relay.url, 'root'],
    ['p', pubkey],
  ]);
  expect(reply!.content).toMatch(/^@fixer\nNew errors after a deploy: /);
  const [errors, deploy] = await ada.deliveries();
  expect(errors).toMatchObject({
    thread_position: 'reply',
    thread_root_delivery_id: deploy.channel_route_delivery_id,
    release_id: 'rel_7',
  });
  expect(deploy).toMatchObject({ thread_position: 'root', thread_root_delivery_id: null });
});

test('changes need a key, are made once under it, and another request under it is refused', async () => {
  const ada = await routed();
  const pause = `${ada.route}/pause`;
  const withoutKey = await service.call(ada.wallet, 'POST', pause, { body: {} });
  expectRefusal(withoutKey, 'IDEMPOTENCY_KEY_REQUIRED');
  const first = await ada.ask('PATCH', ada.route, { expected_revision: 1, route_name: 'one' }, 'k1');
  const again = await ada.ask('PATCH', ada.route, { expected_revision: 1, route_name: 'one' }, 'k1');
  expect(again.body).toEqual(first.body);
  expect(first.body).toMatchObject({ route_name: 'one', revision: 2 });
  expectRefusal(
    await ada.ask('PATCH', ada.route, { expected_revision: 2, route_name: 'two' }, 'k1'),
    'CHANNEL_IDEMPOTENCY_CONFLICT',
  );
  expect(await ada.shown()).toMatchObject({ route_name: 'one', revision: 2 });
});

test('a change of an old revision changes nothing, and null clears a filter', async () => {
  const ada = await routed({ event_types: ['deploy_activated'], on_call_pubkey: relay.self.publicKey });
  const { revision } = await ada.shown();
  expect(await ada.change({ event_types: null, on_call_pubkey: null, include_org_events: true })).toMatchObject({
    status: 200,
    body: { event_types: null, on_call_pubkey: null, include_org_events: true, revision: revision + 1 },
  });
  expectRefusal(
    await ada.ask('PATCH', ada.route, { expected_revision: revision, route_name: 'late' }),
    'CHANNEL_ROUTE_REVISION_STALE',
    { expected_revision: revision, revision: revision + 1 },
  );
  expect(await ada.shown()).toMatchObject({ route_name: 'deploys', revision: revision + 1 });
});

test.each([
  ['an empty list of types', { event_types: [] }, 'event_types'],
  ['an empty list of classes', { event_classes: [] }, 'event_classes'],
  ['a type that is never routed', { event_types: ['deploy_activated', 'mailbox_suspended'] }, 'event_types'],
  ['an application’s own type', { event_types: ['order_paid'] }, 'event_types'],
  ['security', { event_classes: ['security'] }, 'event_classes'],
  ['billing_critical', { event_classes: ['lifecycle', 'billing_critical'] }, 'event_classes'],
  ['destructive_lifecycle', { event_classes: ['destructive_lifecycle'] }, 'event_classes'],
  ['verification', { event_classes: ['verification'] }, 'event_classes'],
  ['recovery', { event_classes: ['recovery'] }, 'event_classes'],
  ['no project', { project_ids: [] }, 'project_ids'],
  ['somebody else’s project', { project_ids: ['prj_00000000000000000000000000'] }, 'project_ids'],
])('a route cannot be made with %s, nor changed to it', async (_what, given, field) => {
  const ada = await routed();
  const made = await ada.ask('POST', '/channel-routes/v1', {
    org_id: ada.orgId,
    community_installation_id: ada.installation,
    route_name: 'other',
    channel_id: 'other',
    project_ids: [ada.projectId],
    ...given,
  });
  expect(made).toMatchObject({ status: 422, body: { code: 'VALIDATION_FAILED', details: { field } } });
  expect(await ada.change(given)).toMatchObject({
    status: 422,
    body: { code: 'VALIDATION_FAILED', details: { field } },
  });
  expect(await ada.shown()).toMatchObject({ revision: 1, project_ids: [ada.projectId] });
});

test('fifty projects may be named, and no more', async () => {
  const ada = await routed();
  const many = Array.from({ length: 51 }, (_one, at) => `prj_${at}`);
  expect(await ada.change({ project_ids: many })).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
});

test('what happened before a pause waits for its end, and what happens meanwhile is never told', async () => {
  const ada = await routed();
  relay.behave(({ tags }) => (tags[0]![1] === ada.channel ? { refuse: 'error: later' } : 'take'));
  await deployed(ada, 'rel_before');
  expect((await ada.ask('POST', `${ada.route}/pause`, {})).body).toMatchObject({
    status: 'paused',
    pause_reason: 'owner',
    paused_at: moment,
  });
  await deployed(ada, 'rel_meanwhile');
  await lookAgain(ada.routeId);
  relay.behave(() => 'take');
  const { health, delivery_counts: counts } = await ada.shown();
  expect([health, counts.queued + counts.retryable, counts.delivered]).toEqual(['paused', 1, 0]);
  expect((await ada.ask('POST', `${ada.route}/resume`, {})).body).toMatchObject({
    status: 'active',
    pause_reason: null,
    paused_at: null,
  });
  await deployed(ada, 'rel_after');
  await lookAgain(ada.routeId);
  await until(() => expect(relay.in(ada.channel)).toHaveLength(2));
  await until(async () => expect(await ada.shown()).toMatchObject({ delivery_counts: { delivered: 2, queued: 0 } }));
  // What was refused once comes when its pause is over, be that before or after what is new.
  const told = relay.in(ada.channel).map(({ content }) => /rel_\w+/.exec(content)![0]);
  expect(told.toSorted()).toEqual(['rel_after', 'rel_before']);
});

test('a project that left the organization is not told of any more', async () => {
  const ada = await routed({ project_scope: 'org' });
  const bob = await service.owner();
  await deployed(ada, 'rel_secret');
  await service.control.sql('update projects set org_id = $1 where id = $2', [bob.orgId, ada.projectId]);
  await lookAgain(ada.routeId);
  await until(async () =>
    expect(await ada.deliveries()).toMatchObject([
      {
        status: 'suppressed',
        suppressed_reason: 'project_left_organization',
        attempt_count: 0,
        envelope_event_id: null,
        terminal_at: moment,
      },
    ]),
  );
  expect(relay.in(ada.channel)).toEqual([]);
});

test('the next key signs once it is a member, and the present one until then', async () => {
  const ada = await routed();
  const rotated = await ada.ask('POST', `${ada.route}/rotate`, {});
  const next = rotated.body.rotation.next_notification_pubkey;
  expect(rotated).toMatchObject({
    status: 202,
    body: { rotation: { status: 'pending_channel_authorization', next_signing_generation: 2 } },
  });
  expect((await ada.ask('POST', `${ada.route}/rotate`, {})).body).toEqual(rotated.body);
  await deployed(ada, 'rel_1');
  await lookAgain(ada.routeId);
  await until(() => expect(relay.in(ada.channel)).toHaveLength(1));
  relay.join(ada.channel, next);
  await lookAgain(ada.routeId);
  await until(async () =>
    expect(await ada.shown()).toMatchObject({ notification_pubkey: next, signing_generation: 2 }),
  );
  relay.leave(ada.channel, ada.pubkey);
  await deployed(ada, 'rel_2');
  await lookAgain(ada.routeId);
  await until(() => expect(relay.in(ada.channel).map(({ pubkey }) => pubkey)).toEqual([ada.pubkey, next]));
  await until(async () =>
    expect((await ada.deliveries()).map((one: { signing_generation: number }) => one.signing_generation)).toEqual([
      2, 1,
    ]),
  );
});

test('a route that is revoked cancels what waits, keeps what was, and takes the key along with the last one', async () => {
  const ada = await routed();
  relay.behave(({ tags }) => (tags[0]![1] === ada.channel ? { refuse: 'error: later' } : 'take'));
  await deployed(ada);
  await ada.ask('POST', `${ada.route}/pause`, {});
  const other = await ada.ask('POST', '/channel-routes/v1', {
    org_id: ada.orgId,
    community_installation_id: ada.installation,
    route_name: 'second',
    channel_id: ada.channel,
    project_ids: [ada.projectId],
  });
  // Its key is a member already, so there is nothing to wait for.
  expect(other.body).toMatchObject({ status: 'active', authorization: { status: 'authorized' } });
  expect((await ada.ask('DELETE', ada.route)).body).toMatchObject({
    status: 'revoked',
    revoked_at: moment,
    notification_credential_destroyed: false,
  });
  expect(await ada.deliveries()).toMatchObject([{ status: 'cancelled', terminal_at: moment, next_attempt_at: null }]);
  for (const [method, path] of [
    ['POST', '/pause'],
    ['POST', '/resume'],
    ['POST', '/rotate'],
    ['POST', '/test'],
    ['DELETE', ''],
  ] as const)
    expectRefusal(
      await ada.ask(method, `${ada.route}${path}`, method === 'POST' ? {} : undefined),
      'CHANNEL_ROUTE_REVOKED',
    );
  expect((await ada.ask('DELETE', `/channel-routes/v1/${other.body.channel_route_id}`)).body).toMatchObject({
    notification_credential_destroyed: true,
  });
  expect(
    await service.control.sql('select sealed, next_sealed from channel_keys where org_id = $1', [ada.orgId]),
  ).toEqual([{ sealed: null, next_sealed: null }]);
  relay.behave(() => 'take');
  const listed = await ada.ask('GET', `/channel-routes/v1?org_id=${ada.orgId}`);
  expect(listed.body.channel_routes.map((one: { status: string }) => one.status)).toEqual(['revoked', 'revoked']);
});

test('a relay that speaks only with those it knows is told who signs', async () => {
  const ada = await routed();
  relay.askWho(true);
  try {
    await ada.ask('POST', `${ada.route}/test`, {});
    await until(() => expect(relay.in(ada.channel)).toHaveLength(1));
  } finally {
    relay.askWho(false);
  }
});
