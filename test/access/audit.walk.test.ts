import { afterAll, beforeAll, expect, test } from 'vitest';
import { operations } from '../../resolvers/index.ts';
import { type Actor, withHeaders } from '../helpers/actors.ts';
import { sample } from '../helpers/sample.ts';
import { startService } from '../helpers/service.ts';
import { startStripeServer } from '../helpers/stripe-server.ts';
import { startTonIndex } from '../helpers/ton-index.ts';
import { until } from '../helpers/until.ts';
import { aiChanges } from './ai-changes.ts';
import { billingChanges } from './billing-changes.ts';
import type { Change } from './change.ts';
import { errorChanges } from './error-changes.ts';
import { escalationChanges } from './escalation-changes.ts';
import { eventChanges } from './event-changes.ts';
import { gatewayChanges, tonSettlement } from './gateway-changes.ts';
import { grantChanges } from './grant-changes.ts';
import { jobChanges } from './job-changes.ts';
import { memberChanges } from './member-changes.ts';
import { orgChanges } from './org-changes.ts';
import { projectChanges } from './project-changes.ts';
import { projectDataChanges } from './project-data-changes.ts';
import { projectUserChanges } from './project-user-changes.ts';
import { roomChanges } from './room-changes.ts';
import { rowChanges } from './row-changes.ts';
import { stageSurfaces } from './surface-stage.ts';

const ton = await startTonIndex({ apiKey: 'x' });
const stripe = await startStripeServer();
const service = await startService({
  env: {
    SVC_LEASES: 'on',
    MAIL_LISTEN: '127.0.0.1:0',
    TON_API_URL: ton.url,
    TON_API_KEY: 'x',
    SETTLEMENT_ADDRESS_TON: tonSettlement,
    ...stripe.env,
  },
});
afterAll(async () => {
  await service.stop();
  ton.stop();
  await stripe.close();
});

const { actors, control } = service;

interface AuditRow {
  readonly seq: string;
  readonly xmin: string;
  readonly org_id: string | null;
  readonly action: string;
  readonly actor: Record<string, Record<string, unknown> | null>;
  readonly object_kind: string;
  readonly object_id: string;
  readonly details: Record<string, unknown>;
  readonly trace_id: string;
}

/** The audit rows that came to be while something ran. */
async function audited(run: () => Promise<unknown>): Promise<AuditRow[]> {
  const [last] = await control.sql<{ seq: string }>('select coalesce(max(seq), 0) as seq from audit_events');
  await run();
  return control.sql<AuditRow>('select *, xmin::text from audit_events where seq > $1 order by seq', [last!.seq]);
}

const project = await service.project();
const stage = await stageSurfaces(service, project);
const home = { ...project, members: stage.members };

const grants = grantChanges(service, () => home);
const domains = [
  grants,
  gatewayChanges(service, ton),
  ...[
    orgChanges,
    billingChanges,
    aiChanges,
    projectChanges,
    projectUserChanges,
    memberChanges,
    roomChanges,
    projectDataChanges,
    escalationChanges,
    errorChanges,
    eventChanges,
    jobChanges,
  ].map((changesOf) => changesOf(service, () => home)),
  rowChanges(service, stage),
];
const changes = domains.flatMap((domain) => domain.changes);
const withServiceKey = domains.flatMap((domain) => domain.withServiceKey ?? []);
const byLink = domains.flatMap((domain) => domain.byLink ?? []);
const adminOnly = domains.flatMap((domain) => domain.adminOnly);
const keyOnly = domains.flatMap((domain) => domain.keyOnly ?? []);
const actorOf = (operation: string): Actor => {
  if (keyOnly.includes(operation)) return actors.bearer(home.serviceKey);
  return adminOnly.includes(operation) ? actors.admin : home.wallet;
};
const room = () => `/orgs/v1/${home.orgId}/rooms/standup`;

beforeAll(async () => {
  for (const { prepare } of domains) await prepare?.();
});

/** Changes that are in no organization's trail. */
const ofNoOrg = [
  'mail.sendTest',
  'identity.setDisplayName',
  'incidents.declare',
  'incidents.resolve',
  'installation.beginEpoch',
  'installation.startBackup',
  'operator.setContact',
  'operator.sendVerification',
  'operator.enrollPasskey',
  'operator.confirmEmail',
  'notices.rotateSecret',
  'notices.setPreferences',
  'notices.test',
  'notices.connectChat',
  'notices.disconnectChat',
  'notices.createRule',
  'notices.updateRule',
  'notices.deleteRule',
  'inquiries.record',
  'vouchers.createIssuer',
  'vouchers.updateIssuer',
  'licences.verifyTransaction',
  'jobs.registerType',
  'jobs.removeType',
];

/** What needs a chain or a model, as `paid-changes.full.test.ts` and the tests of the faucet, of signers and of models have, or the key of an issuer. */
const elsewhere = [
  'audit.buy',
  'products.buyPack',
  'products.buySource',
  'rooms.claimInvite',
  'allowance.faucet',
  'allowance.adminFaucet',
  'ai.translate',
  'ai.generateImage',
  'channelCommunities.activate',
  'contracts.call',
  'contracts.deploy',
  'contracts.drain',
  'contracts.deleteSigner',
  'vouchers.mint',
  'vouchers.mintPublic',
  // They take a whole file: test/archives.
  'archives.planUpload',
  'archives.commitUpload',
  'archives.import',
  // Both organizations have them in their trails: test/transfers.
  'transfers.accept',
  'transfers.claim',
];

/** Changes of the caller’s own, which nobody is a stranger to. */
const ownAffairs = [
  'feedback.send',
  'orgs.create',
  'identity.setDisplayName',
  'operator.setContact',
  'operator.sendVerification',
  'operator.enrollPasskey',
  'operator.confirmEmail',
  'notices.rotateSecret',
  'notices.setPreferences',
  'notices.test',
  'notices.connectChat',
  'notices.disconnectChat',
  'notices.createRule',
  'notices.updateRule',
  'notices.deleteRule',
];

test('every change there is gets tried here', () => {
  const mutations = operations.filter(({ kind }) => kind === 'mutation').map(({ name }) => name as string);
  expect([...elsewhere, ...changes.map(({ operation }) => operation)].sort()).toEqual(mutations.sort());
});

test.each(changes)('$operation writes one audit row, in its own transaction', async (change) => {
  const { operation, action, kind, send, objectId, written } = change;
  const actor = actorOf(operation);
  let answer!: Awaited<ReturnType<Change['send']>>;
  await change.prepare?.();
  const rows = await audited(async () => {
    answer = await send(actor);
  });
  expect(answer.status).toBeLessThan(300);
  expect(rows).toHaveLength(1);
  const [row] = rows as [AuditRow];
  const id = objectId(answer.body);
  expect(row).toMatchObject({
    action,
    object_kind: kind,
    object_id: id,
    trace_id: answer.headers.get('x-svc-trace-id'),
  });
  const itself = operation === 'billing.createEmailOrganization' ? answer.body.id : undefined;
  if (!ofNoOrg.includes(operation)) expect(row.org_id).toBe(itself ?? answer.body.org_id ?? home.orgId);
  const [made] = await control.sql<{ xmin: string }>(written, [id]);
  expect(row.xmin).toBe(made!.xmin);
  await change.restore?.();
});

test('the row says who acted, how they proved it and by what right, as it was then', async () => {
  const { orgId, projectId, wallet, principalId } = home;
  await control.sql(`update principals set display_name = 'Ada' where id = $1`, [principalId]);
  const [membership] = await control.sql<{ id: string }>(
    'select id from memberships where org_id = $1 and principal_id = $2',
    [orgId, principalId],
  );
  const session = await actors.session({ principalId, passkeyAgeSeconds: 1 });
  const delegate = await actors.delegate({ orgId, projectId, capabilities: ['deploy'] });
  const guest = actors.wallet();
  const me = await service.call<{ principal: { id: string } }>(guest, 'GET', '/agent/v1/whoami');
  await control.sql(
    `insert into project_grants (org_id, id, project_id, principal_id, capability)
     values ($1, gen_random_uuid(), $2, $3, 'deploy')`,
    [orgId, projectId, me.body.principal.id],
  );
  const member = {
    kind: 'organization_membership',
    organization_id: orgId,
    membership_id: membership!.id,
    role: 'owner',
  };
  const expected: readonly [Actor, object][] = [
    [
      wallet,
      {
        principal: { principal_id: principalId, principal_type: 'agent', display_name_at_capture: 'Ada' },
        authenticator: { kind: 'wallet', public_subject: wallet.address },
        authority: member,
      },
    ],
    [session, { principal: { principal_id: principalId }, authenticator: null, authority: member }],
    [
      delegate,
      {
        principal: { principal_id: delegate.principalId },
        authenticator: { kind: 'svc_agent_key', authenticator_id: delegate.delegateId },
        authority: {
          kind: 'delegate',
          delegate_id: delegate.delegateId,
          organization_id: orgId,
          scope: ['deploy'],
        },
      },
    ],
    [
      guest,
      {
        principal: { principal_id: me.body.principal.id },
        authority: { kind: 'project_grant', organization_id: orgId, scope: ['deploy'] },
      },
    ],
  ];
  for (const [actor, snapshot] of expected) {
    const rows = await audited(() => service.call(actor, 'POST', `${room()}/messages`, { body: { body: 'hello' } }));
    expect(rows).toHaveLength(1);
    expect(rows[0]!.actor).toMatchObject({ schema_version: 1, captured_at: expect.any(String), ...snapshot });
  }
  const [byAdmin] = await audited(() =>
    changes.find(({ operation }) => operation === 'orgs.setLimits')!.send(actors.admin),
  );
  expect(byAdmin!.actor).toMatchObject({
    principal: null,
    authority: { kind: 'system', reason_code: 'platform_admin' },
  });
});

test('no secret stands in the trail', async () => {
  const { wallet, orgId, projectId, serviceKey, anonKey, principalId } = home;
  const session = await actors.session({ principalId, passkeyAgeSeconds: 1 });
  const approval = await actors.approval(session, 'org.project.create', orgId);
  const delegate = await actors.delegate({ orgId, projectId, capabilities: ['read'] });
  const siwx = await wallet.sign();
  const approved = withHeaders({ ...(await session.headers('/')), 'x-svc-write-auth': approval });
  const created = await service.call<Record<string, string>>(approved, 'POST', '/projects/v1', {
    body: { org_id: orgId },
    headers: { 'idempotency-key': 'sesame-key' },
  });
  expect(created.status).toBe(201);
  const say = { body: { body: 'open sesame' } };
  await service.call(withHeaders({ 'sign-in-with-x': siwx }), 'POST', `${room()}/messages`, say);
  await service.call(delegate, 'POST', `${room()}/messages`, say);
  const [trail] = await control.sql<{ text: string }>(
    `select string_agg(to_jsonb(audit_events)::text, '') as text from audit_events`,
  );
  expect(trail!.text).toContain(created.body.project_id);
  const secrets = [
    serviceKey,
    anonKey,
    created.body.service_key!,
    created.body.anon_key!,
    session.token,
    approval.slice('Bearer '.length),
    delegate.token,
    siwx,
    'sesame',
    ((await actors.admin.headers('/')) as Record<string, string>)['x-admin-key']!,
  ];
  for (const secret of secrets) expect(trail!.text).not.toContain(secret);
});

/** What is addressed by an id of its own is not there for those who have nothing to do with its project. */
const byItsOwnId = [
  'channelCommunities.update',
  'channelCommunities.revoke',
  'channelRoutes.update',
  'channelRoutes.test',
  'channelRoutes.pause',
  'channelRoutes.resume',
  'channelRoutes.rotate',
  'channelRoutes.revoke',
  'ci.revokeBinding',
  'ci.setAssetScopes',
  'deploys.commit',
  'deploys.rehearse',
  'deploys.resume',
  'functions.cancelRun',
  'functions.redriveRun',
];

test('a change that is refused writes none', async () => {
  const stranger = (await service.owner()).wallet;
  const person = await actors.session({ principalId: home.principalId });
  const operator = await actors.session({ kind: 'operator', principalId: home.principalId });
  const spent = withHeaders({ 'sign-in-with-x': await home.wallet.sign() });
  const keyHolder = actors.bearer(home.serviceKey);
  await changes[4]!.send(spent);
  for (const { prepare } of changes) await prepare?.();
  const rows = await audited(async () => {
    for (const { operation, send } of changes.filter((change) => !byLink.includes(change.operation))) {
      for (const actor of [operator, actors.nobody, keyHolder, actors.bearer('sesame'), spent]) {
        if (actor === keyHolder && withServiceKey.includes(operation)) continue;
        expect((await send(actor)).status, operation).toBeGreaterThanOrEqual(400);
      }
      const refused = byItsOwnId.includes(operation) ? 404 : 403;
      if (!ownAffairs.includes(operation)) expect((await send(stranger)).status, operation).toBe(refused);
    }
    // Without a passkey, without an approval.
    expect((await changes[0]!.send(person)).status).toBe(403);
    expect((await changes[2]!.send(person)).status).toBe(403);
    const bad = await service.call(home.wallet, 'POST', `${room()}/messages`, { body: { body: ' ' } });
    expect(bad.status).toBe(400);
    const unknown = await service.call(home.wallet, 'POST', `${room()}/messages`, {
      body: { body: 'hello', to: ['nobody'] },
    });
    expect(unknown.status).toBe(422);
  });
  expect(rows).toEqual([]);
});

test('a change sent again under its idempotency key is written once', async () => {
  const headers = { 'idempotency-key': crypto.randomUUID() };
  const rows = await audited(async () => {
    for (let time = 0; time < 3; time++) {
      const body = { body: 'hello' };
      const { status } = await service.call(home.wallet, 'POST', `${room()}/messages`, { body, headers });
      expect(status).toBe(201);
    }
  });
  expect(rows).toHaveLength(1);
});

// Last in this file: from here on nothing can be audited.
test('a change whose audit row cannot be written does not take place', async () => {
  await grants.prepare();
  const tables = ['orgs', 'memberships', 'projects', 'room_presences', 'room_messages', 'mail_outbox', 'feed_heads'];
  const everything = async () => {
    const counts = tables.map(
      (table) => `(select jsonb_agg(to_jsonb(t) order by t::text) from ${table} t) as ${table}`,
    );
    return control.sql(`select ${counts.join(', ')}`);
  };
  // What was begun before, in the background too, is over.
  await until(async () =>
    expect(await control.sql(`select id from projects where state in ('provisioning', 'deleting')`)).toEqual([]),
  );
  await control.sql('alter table audit_events add constraint no_more check (false) not valid');
  for (const { operation, prepare, send } of sample(changes, 5)) {
    // What one prepares, another may undo.
    await prepare?.();
    const before = await everything();
    const actor = actorOf(operation);
    const { status, body } = await send(actor);
    expect([status, String(body.code).toUpperCase()], operation).toEqual([500, 'INTERNAL_ERROR']);
    expect(await everything(), operation).toEqual(before);
  }
});
