import { afterAll, beforeAll, expect, test } from 'vitest';
import { startRelay } from '../helpers/nostr-relay.ts';
import { startService } from '../helpers/service.ts';
import { terminalWithRoute } from './channel-stage.ts';
import { terminalOfOwner } from './own-project.ts';

const relay = await startRelay();
const service = await startService({ env: { WEBHOOK_ORIGINS: relay.origin } });
const [ada, eve] = [await terminalWithRoute(service, relay), await terminalOfOwner(service)];
afterAll(async () => {
  await Promise.all([ada.remove(), eve.remove()]);
  await service.stop();
  await relay.stop();
});
const { route } = ada;

/** The first route: the others are made where they are told of. */
let made: Awaited<ReturnType<typeof ada.configure>>;
beforeAll(async () => {
  made = await ada.configure();
});
const status = async () => (await route('status', made.id)).json;

test('configure makes a route of the project that is named, which waits for its key to be a member', async () => {
  expect(made).toMatchObject({
    status: 'pending_authorization',
    revision: 1,
    project_scope: 'listed',
    project_ids: [ada.project],
    authorization: { status: 'pending_channel_authorization' },
  });
  expect(await status()).toMatchObject({ channel_route_id: made.id, status: 'pending_authorization' });
  expect((await route('status')).json.channel_routes).toMatchObject([{ channel_route_id: made.id }]);
  const shown = (await route('list', '--human')).stdout;
  expect(shown).toMatch(/channel route id\s+route name/i);
  expect(shown).toContain(made.id);
  expect((await eve.svc('channel-route', 'list', '--human')).stdout).toContain('svc channel-route configure');
});

test('configure needs what it is about, and takes no project of somebody else', async () => {
  expect((await route('configure', '--channel', 'deploys')).error.code).toBe('BAD_USAGE');
  const ofEve = ['--community', ada.installation, '--channel', 'x', '--name', 'x', '--projects', eve.project];
  expect((await route('configure', ...ofEve)).error).toMatchObject({
    code: 'VALIDATION_FAILED',
    http: 422,
    details: { field: 'project_ids' },
  });
  expect((await eve.svc('channel-route', 'configure', ...ofEve)).error.code).toBe('RESOURCE_NOT_FOUND');
});

test('a test is told in the channel once the key is a member, and deploys are told after it', async () => {
  const tested = await route('test', made.id);
  expect(tested.json).toMatchObject({ kind: 'test', status: 'queued' });
  await ada.join(made);
  await expect.poll(() => relay.in(made.channel).length).toBe(1);
  await ada.deployed('rel_1');
  await ada.lookAgain(made.id);
  await expect.poll(() => relay.in(made.channel).at(-1)?.content).toContain('rel_1');
  await expect.poll(async () => (await status()).delivery_counts.delivered).toBe(2);
  const { channel_route_deliveries: all } = (await route('deliveries', made.id)).json;
  expect(all).toMatchObject([
    { kind: 'event', event_type: 'deploy_activated', status: 'delivered', release_id: 'rel_1' },
    { kind: 'test', status: 'delivered' },
  ]);
  const one = await route('deliveries', made.id, '--delivery', tested.json.channel_route_delivery_id);
  expect(one.json.channel_route_deliveries).toMatchObject([{ kind: 'test' }]);
  const first = await route('deliveries', made.id, '--limit', '1');
  expect(first.json).toMatchObject({ has_more: true, channel_route_deliveries: [{ release_id: 'rel_1' }] });
  expect((await route('deliveries', made.id, '--human')).stdout).toMatch(/deploy_activated\s+delivered\s+1/);
});

test('scope changes what is told, of the present revision unless one is named', async () => {
  const { id } = await ada.configure('--scope', 'org', '--type', 'deploy_activated');
  const scoped = await route('scope', id, '--class', 'lifecycle', '--every-type', '--org-events', 'on');
  expect(scoped.json).toMatchObject({
    revision: 2,
    project_scope: 'org',
    event_types: null,
    event_classes: ['lifecycle'],
    include_org_events: true,
  });
  expect((await route('scope', id, '--every-class', '--org-events', 'off')).json).toMatchObject({
    revision: 3,
    event_classes: null,
    include_org_events: false,
  });
  expect((await route('scope', id, '--name', 'late', '--revision', '2')).error).toMatchObject({
    code: 'CHANNEL_ROUTE_REVISION_STALE',
    details: { expected_revision: 2, revision: 3 },
  });
  expect((await route('scope', id, '--type', 'deploy_activated', '--every-type')).error.code).toBe('BAD_USAGE');
  expect((await route('scope', id, '--type', 'mailbox_suspended')).error).toMatchObject({
    code: 'VALIDATION_FAILED',
    details: { field: 'event_types' },
  });
  expect((await route('status', id)).json).toMatchObject({ revision: 3, event_types: null });
});

test('projects names those that are told of, and on-call whom errors address', async () => {
  const { id } = await ada.configure('--scope', 'org');
  const second = (await ada.svc('projects', 'provision')).json.project_id;
  await ada.svc('projects', 'use', ada.project);
  const named = await route('projects', id, '--projects', `${ada.project},${second}`);
  expect(named.json).toMatchObject({ project_scope: 'listed', revision: 2 });
  expect(named.json.project_ids.toSorted()).toEqual([ada.project, second].toSorted());
  expect((await route('projects', id)).error).toMatchObject({ code: 'BAD_USAGE', field: 'projects' });
  expect((await route('projects', id, '--projects', eve.project)).error.code).toBe('VALIDATION_FAILED');

  const pubkey = relay.operator.publicKey;
  expect((await route('on-call', id, '--pubkey', pubkey, '--name', 'fixer')).json).toMatchObject({
    on_call_pubkey: pubkey,
    on_call_display_name: 'fixer',
  });
  expect((await route('on-call', id, '--pubkey', pubkey, '--clear')).error.code).toBe('BAD_USAGE');
  expect((await route('on-call', id, '--clear')).json).toMatchObject({
    on_call_pubkey: null,
    on_call_display_name: null,
  });
  expect((await route('on-call', id, '--pubkey', 'nobody')).error.code).toBe('VALIDATION_FAILED');
});

test('what happens in a pause is not told, and after resume it is again', async () => {
  const other = await ada.configure();
  await ada.join(other);
  expect((await route('pause', other.id)).json).toMatchObject({ status: 'paused', pause_reason: 'owner' });
  await ada.deployed('rel_meanwhile');
  expect((await route('resume', other.id)).json).toMatchObject({ status: 'active', pause_reason: null });
  await ada.deployed('rel_after');
  await ada.lookAgain(other.id);
  await expect.poll(() => relay.in(other.channel).length).toBe(1);
  expect(relay.in(other.channel)[0]!.content).toContain('rel_after');
  expect((await route('pause', 'chrt_00000000000000000000000000')).error.code).toBe('RESOURCE_NOT_FOUND');
});

test('rotate makes a key that signs once it is a member, and revoke ends a route with --confirm alone', async () => {
  // The key belongs to the community: a route of another organization has another one.
  const bob = await terminalWithRoute(service, relay);
  const other = await bob.configure();
  await bob.join(other);
  const { rotation } = (await bob.route('rotate', other.id)).json;
  expect(rotation).toMatchObject({ status: 'pending_channel_authorization', next_signing_generation: 2 });
  expect((await bob.route('status', other.id)).json.notification_pubkey).toBe(other.notification_pubkey);
  await bob.join({ ...other, notification_pubkey: rotation.next_notification_pubkey });
  await expect
    .poll(async () => {
      await bob.lookAgain(other.id);
      return (await bob.route('status', other.id)).json;
    })
    .toMatchObject({ notification_pubkey: rotation.next_notification_pubkey, signing_generation: 2 });

  expect((await bob.route('revoke', other.id)).error.code).toBe('CONFIRMATION_REQUIRED');
  expect((await bob.route('status', other.id)).json.status).toBe('active');
  expect((await bob.route('revoke', other.id, '--confirm')).json).toMatchObject({
    status: 'revoked',
    notification_credential_destroyed: true,
  });
  for (const words of [['test'], ['pause'], ['resume'], ['rotate']])
    expect((await bob.route(...words, other.id)).error.code).toBe('CHANNEL_ROUTE_REVOKED');
  await bob.remove();
});

test.each([
  ['status'],
  ['deliveries'],
  ['test'],
  ['scope', '--name', 'mine'],
  ['projects', '--projects', 'prj_1'],
  ['on-call', '--clear'],
  ['pause'],
  ['resume'],
  ['rotate'],
  ['revoke', '--confirm'],
])('channel-route %s of somebody else’s route is refused as of one that there is not', async (word, ...more) => {
  const asked = async (id: string) => (await eve.svc('channel-route', word, id, ...more)).error;
  const [foreign, absent] = [await asked(made.id), await asked('chrt_00000000000000000000000000')];
  expect(foreign).toMatchObject({ code: 'RESOURCE_NOT_FOUND', http: 404 });
  expect(foreign.message).toBe(absent.message);
});
