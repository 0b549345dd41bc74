import { afterAll, describe, expect, test } from 'vitest';
import { newKey } from '../../engines/relay/signed-event.ts';
import type { Actor } from '../helpers/actors.ts';
import { expectRefusal } from '../helpers/documented.ts';
import { startRelay } from '../helpers/nostr-relay.ts';
import { startService } from '../helpers/service.ts';
import { approvalBy, channelDoor } from './channel-door.ts';

const [relay, other] = await Promise.all([startRelay(), startRelay()]);
const service = await startService({ env: { WEBHOOK_ORIGINS: `${relay.origin},${other.origin}` } });
afterAll(async () => {
  await service.stop();
  await Promise.all([relay.stop(), other.stop()]);
});
const { askAs, installed, routed } = channelDoor(service, relay);

/** An owner whose installation waits for its approval. */
async function begun() {
  const ada = await service.owner();
  const ask = askAs(ada.wallet);
  const { body } = await ask('POST', '/channel-communities/v1', {
    org_id: ada.orgId,
    community_subject: relay.self.publicKey,
    community_authority_subject: relay.operator.publicKey,
  });
  const proof = approvalBy(relay, body.authority_proof_content);
  const activate = (approval_event: object = proof, relay_url = relay.url, community_subject = relay.self.publicKey) =>
    ask('POST', `/channel-communities/v1/${body.community_installation_id}/activate`, {
      authority_proof: { community_subject, approval_event, relay_url },
    });
  return { ...ada, ask, content: body.authority_proof_content as string, proof, activate };
}

describe('what does not show that the authority approves is refused', () => {
  test.each([
    ['another signer', (content: string) => approvalBy(relay, content, newKey().secret), 'other_signer'],
    ['another text', (content: string) => approvalBy(relay, `${content} `), 'other_content'],
    ['a changed text', (content: string) => ({ ...approvalBy(relay, 'x'), content }), 'bad_signature'],
    [
      'a signature of another event',
      (content: string) => ({ ...approvalBy(relay, content), sig: approvalBy(relay, 'x').sig }),
      'bad_signature',
    ],
    ['no event', () => ({ id: 1 }), 'bad_signature'],
  ])('%s', async (_what, sign, reason) => {
    const ada = await begun();
    expectRefusal(await ada.activate(sign(ada.content)), 'CHANNEL_AUTHORITY_PROOF_INVALID', { reason });
  });

  test('another relay, though its operator signs', async () => {
    const ada = await begun();
    expectRefusal(await ada.activate(ada.proof, other.url), 'CHANNEL_AUTHORITY_PROOF_INVALID', {
      reason: 'other_relay',
    });
  });

  test('an approval of another installation', async () => {
    const [ada, bob] = [await begun(), await begun()];
    expectRefusal(await ada.activate(bob.proof), 'CHANNEL_AUTHORITY_PROOF_INVALID', { reason: 'other_content' });
    expect(await bob.activate()).toMatchObject({ status: 200, body: { status: 'active' } });
  });
});

test.each([
  ['one of a private network', 'wss://10.0.0.1'],
  ['one of this machine that the operator has not named', 'ws://127.0.0.1:9'],
  ['one that is not there', 'wss://relay.invalid'],
])('a relay is not asked: %s', async (_what, url) => {
  const ada = await begun();
  expect(await ada.activate(ada.proof, url)).toMatchObject({
    status: 502,
    body: { code: 'UPSTREAM_UNAVAILABLE', mutation_state: 'not_started' },
  });
});

test('an approval that comes after a day is too late', async () => {
  const ada = await begun();
  await service.control.sql(`update channel_communities set expires_at = now() where org_id = $1`, [ada.orgId]);
  expect(await ada.activate()).toMatchObject({ status: 409, body: { details: { status: 'expired' } } });
  const listed = await ada.ask('GET', `/channel-communities/v1?org_id=${ada.orgId}`);
  expect(listed.body.channel_communities).toMatchObject([{ status: 'expired' }]);
});

test('a community is installed once, and routes lead into active ones alone', async () => {
  const ada = await installed();
  expectRefusal(
    await ada.ask('POST', '/channel-communities/v1', {
      org_id: ada.orgId,
      community_subject: relay.self.publicKey,
      community_authority_subject: relay.operator.publicKey,
    }),
    'CHANNEL_COMMUNITY_INSTALLED',
  );
  const waiting = await begun();
  const { channel_communities: found } = (await waiting.ask('GET', `/channel-communities/v1?org_id=${waiting.orgId}`))
    .body;
  expectRefusal(
    await waiting.ask('POST', '/channel-routes/v1', {
      org_id: waiting.orgId,
      community_installation_id: found[0].community_installation_id,
      route_name: 'deploys',
      channel_id: 'deploys',
      project_scope: 'org',
    }),
    'CHANNEL_COMMUNITY_NOT_ACTIVE',
  );
});

test('one community is the usual one, and a change of an old revision changes nothing', async () => {
  const ada = await installed();
  const changed = await ada.ask('PATCH', ada.community, {
    policy_revision: 1,
    default_for_enrollment: true,
    enrollment_policy: { mode: 'automatic', max_grant_ttl_seconds: 3_600 },
  });
  expect(changed.body).toMatchObject({
    default_for_enrollment: true,
    policy_revision: 2,
    enrollment_policy: { mode: 'automatic', requires_current_community_membership: true, max_grant_ttl_seconds: 3_600 },
  });
  expectRefusal(
    await ada.ask('PATCH', ada.community, { policy_revision: 1, default_for_enrollment: false }),
    'CHANNEL_ROUTE_REVISION_STALE',
  );
});

test('a community that is uninstalled ends its routes, and its key', async () => {
  const ada = await routed();
  expect((await ada.ask('DELETE', ada.community)).body).toMatchObject({ status: 'revoked' });
  expect(await ada.shown()).toMatchObject({
    status: 'revoked',
    health: 'revoked',
    notification_principal_status: 'revoked',
  });
  expect((await ada.ask('DELETE', ada.community)).status).toBe(409);
});

test('members read, owners alone change, with a fresh proof; strangers learn nothing', async () => {
  const ada = await routed();
  const eve = await service.owner();
  const stranger = askAs(eve.wallet);
  const absent = `/channel-routes/v1/chrt_00000000000000000000000000`;
  for (const [method, path] of [
    ['GET', ''],
    ['GET', '/deliveries'],
    ['POST', '/pause'],
    ['POST', '/test'],
    ['DELETE', ''],
  ] as const) {
    const body = method === 'POST' ? {} : undefined;
    const [foreign, none] = [
      await stranger(method, `${ada.route}${path}`, body),
      await stranger(method, `${absent}${path}`, body),
    ];
    expect([foreign.status, none.status]).toEqual([404, 404]);
    expect(foreign.body.message).toBe(none.body.message);
  }
  expect((await stranger('GET', `/channel-routes/v1?org_id=${ada.orgId}`)).status).toBe(403);
  const { actors } = service;
  const pause = (actor: Actor) => askAs(actor)('POST', `${ada.route}/pause`, {});
  for (const role of ['admin', 'developer', 'billing', 'viewer']) {
    const member = await service.owner();
    await actors.member(ada.orgId, member.principalId, role);
    expect((await askAs(member.wallet)('GET', ada.route)).status).toBe(200);
    expectRefusal(await pause(member.wallet), 'NOT_AUTHORIZED', { reason: 'forbidden' });
  }
  const details = { op_class: 'channel.route', reason: 'stale' };
  const { principalId } = ada;
  expectRefusal(
    await pause(await actors.session({ principalId, passkeyAgeSeconds: 301 })),
    'STEP_UP_REQUIRED',
    details,
  );
  expect(await ada.shown()).toMatchObject({ status: 'active' });
  expect((await pause(await actors.session({ principalId, passkeyAgeSeconds: 10 }))).body.status).toBe('paused');
});
