import { afterAll, expect, test } from 'vitest';
import { type Any, publishing } from '../apps/stage.ts';
import { deploying, siteOf } from '../deploys/deploying.ts';
import { type Actor, withHeaders } from '../helpers/actors.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { until } from '../helpers/until.ts';
import { asking } from '../hosting/site.ts';

const service = await sharedService();
afterAll(() => service.stop());
const { actors, control } = service;
const send = (as: Actor, method: string, path: string, body?: object) =>
  service.call<Any>(as, method, path, body === undefined ? {} : { body });
const offer = (as: Actor, projectId: string, body: object) =>
  send(as, 'POST', `/projects/v1/${projectId}/transfers`, body);
const end = (as: Actor, id: string, verb: string, body: object = {}) =>
  send(as, 'POST', `/agent/v1/transfers/${id}/${verb}`, body);

/** A person with a proven mail address, and a passkey that was just used. */
async function person() {
  const session = await actors.session({ passkeyAgeSeconds: 10 });
  const email = `${session.principalId.toLowerCase()}@example.com`;
  await control.sql(
    `insert into authenticators (id, principal_id, kind, public_subject, verified_at)
     values (gen_random_uuid(), $1, 'email', $2, now())`,
    [session.principalId, email],
  );
  return { session, email, principalId: session.principalId };
}

test('a project goes to the wallet that accepts it, with all that is in it, and nobody who had it before keeps a key', async () => {
  const one = await publishing(service);
  await one.mine.deploy({ subdomains: { set: [`handed-${Date.now().toString(36)}`] } });
  const recipient = actors.wallet();
  const offered = await offer(one.wallet, one.projectId, {
    to_wallet: recipient.checksumAddress,
    billing_policy: 'migrate',
    message: 'Take <b>care</b> of it.',
  });
  expect(offered.status, offered.text).toBe(201);
  expect(offered.body).toEqual({
    transfer_id: expect.any(String),
    expires_at: expect.any(String),
    project_summary: {
      project_id: one.projectId,
      project_name: expect.any(String),
      billing_policy: 'migrate',
      from_wallet: one.wallet.address.toLowerCase(),
      to_wallet: recipient.address.toLowerCase(),
    },
    your_unused_lease_days: null,
    lease_refundable: false,
    terms_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  const id = offered.body.transfer_id;
  expect(Date.parse(offered.body.expires_at) - Date.now()).toBeGreaterThan(71 * 3_600_000);

  // Both see what it is an offer of; names alone.
  const incoming = await send(recipient, 'GET', '/agent/v1/transfers/incoming');
  expect(incoming.body).toMatchObject({ transfers: [{ transfer_id: id, recipient_kind: 'wallet' }], has_more: false });
  const status = await send(recipient, 'GET', '/tiers/v1/status');
  expect(status.body.incoming_transfers).toEqual(incoming.body.transfers);
  const outgoing = await send(one.wallet, 'GET', '/agent/v1/transfers/outgoing');
  expect(outgoing.body.transfers).toEqual(incoming.body.transfers);
  const preview = await send(recipient, 'GET', `/agent/v1/transfers/${id}`);
  expect(preview.body).toMatchObject({
    status: 'pending',
    message: 'Take <b>care</b> of it.',
    terms_sha256: offered.body.terms_sha256,
    secret_names: ['SHOP_KEY'],
    functions: [
      { name: 'api', scheduled: false },
      { name: 'bootstrap', scheduled: false },
    ],
    mailbox_summary: { count: 0, slugs_truncated: [] },
    billing_implications: { from_organization_id: one.orgId, secrets_count: 1, functions_count: 2 },
    signers: [],
    retain_collaborator: null,
  });
  expect(preview.text).not.toContain('canary');

  const accepted = await end(recipient, id, 'accept');
  expect(accepted.status, accepted.text).toBe(200);
  expect(accepted.body).toMatchObject({
    project_id: one.projectId,
    from_wallet: one.wallet.address.toLowerCase(),
    to_wallet: recipient.address.toLowerCase(),
    new_organization_id: accepted.body.to_organization_id,
    anon_key: one.anonKey,
    secrets_rotation_advised: true,
    secret_names_inherited: ['SHOP_KEY'],
    secrets_count_inherited: 1,
  });
  expect(accepted.body.service_key).not.toBe(one.serviceKey);

  // The former owner is out, by every credential.
  for (const as of [one.wallet, one.key])
    expect((await send(as, 'GET', `/projects/v1/${one.projectId}`)).status).toBeGreaterThanOrEqual(401);
  const oldKey = await service.call<Any>(withHeaders({ apikey: one.serviceKey }), 'GET', '/admin/v1/rest/notes');
  expect([oldKey.status, oldKey.body.details.reason]).toEqual([401, 'key_replaced']);
  // Sites go on: the anon key is the same, and so are data, functions, secrets and hosts.
  const visitor = withHeaders({ apikey: one.anonKey });
  expect((await service.call<Any>(visitor, 'GET', '/rest/v1/notes')).body).toHaveLength(3);
  const theirs = actors.bearer(accepted.body.service_key);
  const project = await send(theirs, 'GET', `/projects/v1/${one.projectId}`);
  expect(project.body).toMatchObject({ org_id: accepted.body.to_organization_id, secrets_rotation_advised: true });
  const ask = asking(service, new URL(project.body.site_url).hostname);
  expect((await ask('/')).text).toBe('<h1>The shop</h1>');
  expect(JSON.parse((await ask('/api')).text)).toEqual({ project: one.projectId, mail: 'canary-of-the-publisher' });
  // The new owner deploys on from there; once the secret is set anew, nothing is advised any more.
  const next = await deploying(service, recipient, {
    projectId: one.projectId,
    anonKey: one.anonKey,
    serviceKey: accepted.body.service_key,
  }).deploy(siteOf({ 'index.html': 'mine now' }), ['mine now']);
  expect(next).toMatchObject({ status: 'ready' });
  await send(theirs, 'POST', `/projects/v1/admin/${one.projectId}/secrets`, { key: 'SHOP_KEY', value: 'another one' });
  const after = await send(recipient, 'GET', `/projects/v1/${one.projectId}`);
  expect(after.body.secrets_rotation_advised).toBe(false);
  // Both trails and both feeds tell of it.
  for (const [as, orgId, action] of [
    [one.wallet, one.orgId, 'project.handed_over'],
    [recipient, accepted.body.to_organization_id, 'project.received'],
  ] as const) {
    const trail = await send(as, 'GET', `/orgs/v1/${orgId}/audit`);
    expect(trail.body.events.map((row: Any) => row.action)).toContain(action);
    const events = await send(as, 'GET', `/orgs/v1/${orgId}/events`);
    const told = events.body.events.filter((row: Any) => row.event_type === 'project_transfer_completed');
    expect(told).toMatchObject([{ payload: { transfer_id: id, from_org_id: one.orgId } }]);
  }
  expect((await end(recipient, id, 'accept')).body.code).toBe('TRANSFER_ALREADY_PROCESSED');
});

test('while an offer is pending, what is handed over stays as it is, and all else goes on', async () => {
  const one = await publishing(service);
  const { transfer_id: id } = (await offer(one.wallet, one.projectId, { to_wallet: actors.wallet().address })).body;
  const frozen: readonly (readonly [string, string, object?])[] = [
    ['PATCH', `/projects/v1/${one.projectId}`, { name: 'Another' }],
    ['POST', `/projects/v1/admin/${one.projectId}/secrets`, { key: 'A', value: 'b' }],
    ['DELETE', `/projects/v1/admin/${one.projectId}/functions/api`],
    ['POST', '/apply/v1/plans', { spec: { project_id: one.projectId, ...siteOf({}) } }],
    ['POST', '/subdomains/v1', { name: 'not-now' }],
    ['POST', `/projects/v1/admin/${one.projectId}/publish`, {}],
    ['DELETE', `/projects/v1/${one.projectId}`],
  ];
  for (const [method, path, body] of frozen) {
    const refused = await send(
      path.includes('/apply/') || method === 'PATCH' ? one.wallet : one.key,
      method,
      path,
      body,
    );
    expect([path, refused.status, refused.body.code]).toEqual([path, 409, 'PROJECT_HAS_PENDING_TRANSFER']);
    expect(refused.body).toMatchObject({
      details: { transfer_id: id, project_id: one.projectId },
      next_actions: [
        { type: 'cancel_transfer', path: `/agent/v1/transfers/${id}/cancel` },
        { type: 'view_transfer', path: `/agent/v1/transfers/${id}` },
      ],
    });
  }
  const visitor = withHeaders({ apikey: one.anonKey });
  expect((await service.call<Any>(visitor, 'GET', '/rest/v1/notes')).body).toHaveLength(3);
  expect((await one.admin('POST', '/sql', { sql: 'select 1' })).status).toBe(200);
  expect((await send(one.key, 'POST', '/functions/v1/api', {})).status).toBe(200);
  expect((await offer(one.wallet, one.projectId, { to_email: 'a@example.com' })).body.code).toBe(
    'PENDING_TRANSFER_EXISTS',
  );
  const cancelled = await end(one.wallet, id, 'cancel', { reason: 'Not today.' });
  expect(cancelled.body).toEqual({
    transfer_id: id,
    status: 'cancelled',
    cancelled_by: 'from_wallet',
    cancellation_reason: 'Not today.',
    cancelled_at: expect.any(String),
  });
  expect((await send(one.wallet, 'PATCH', `/projects/v1/${one.projectId}`, { name: 'Another' })).status).toBe(200);
  expect((await end(one.wallet, id, 'cancel')).body.code).toBe('TRANSFER_ALREADY_PROCESSED');
});

test('whoever has proven a mail address claims what it is offered, and decides whether the sender stays', async () => {
  const one = await service.project();
  const { session, email } = await person();
  const offered = await offer(one.wallet, one.projectId, {
    to_email: email.toUpperCase(),
    retain_collaborator: { role: 'developer' },
    message: 'Hello\n> From: somebody else',
  });
  expect(offered.body).toEqual({
    status: 'ok',
    transfer_id: expect.any(String),
    to_email: email,
    expires_at: expect.any(String),
  });
  const id = offered.body.transfer_id;
  const [mail] = await control.sql<{ body_text: string }>('select body_text from mail_outbox where recipient = $1', [
    email,
  ]);
  expect(mail!.body_text).toContain(`/console/transfers/${id}`);
  expect(mail!.body_text).toContain('> > From: somebody else');
  // A session of somebody else, or one without a fresh passkey, gets nothing.
  const stranger = await person();
  expect((await end(stranger.session, id, 'claim')).body.code).toBe('NOT_AUTHORIZED');
  const stale = await actors.session({ principalId: session.principalId });
  expect((await end(stale, id, 'claim')).body.code).toBe('STEP_UP_REQUIRED');
  const wrong = await end(session, id, 'accept');
  expect(wrong.body).toMatchObject({
    code: 'WRONG_COMPLETION_FOR_TRANSFER_KIND',
    next_actions: [{ path: `/agent/v1/transfers/${id}/claim` }],
  });
  const claimed = await end(session, id, 'claim', { accept_retained_collaborator: true });
  expect(claimed.body).toMatchObject({
    status: 'accepted',
    project_id: one.projectId,
    created_new_org: true,
    retained_collaborator_principal_id: one.principalId,
  });
  // A developer: reads and deploys, and neither reads the keys nor deletes it.
  expect((await send(one.wallet, 'GET', `/projects/v1/${one.projectId}`)).status).toBe(200);
  const spec = { project_id: one.projectId, database: { migrations: [{ id: '1', sql: 'create table t (id int)' }] } };
  const plan = await send(one.wallet, 'POST', '/apply/v1/plans', { spec });
  expect(plan.status, plan.text).toBeLessThan(300);
  expect((await send(one.wallet, 'GET', `/projects/v1/${one.projectId}/keys`)).status).toBe(403);
  expect((await send(one.wallet, 'DELETE', `/projects/v1/${one.projectId}`)).status).toBe(403);
});

test('an owner of two organizations moves a project from one to the other at once', async () => {
  const one = await publishing(service);
  const { org_id: other } = (await send(one.wallet, 'POST', '/orgs/v1', { display_name: 'Other' })).body;
  const moved = await offer(one.wallet, one.projectId, { to_org_id: other });
  expect(moved.status, moved.text).toBe(200);
  expect(moved.body).toMatchObject({ status: 'accepted', from_organization_id: one.orgId, to_org_id: other });
  expect((await offer(one.wallet, one.projectId, { to_org_id: other })).body.code).toBe('ALREADY_OWNED');
  // And back again, over what requests that were on their way have left.
  await control.sql(
    `insert into function_logs select (jsonb_populate_record(l, jsonb_build_object('org_id', $1::text))).*
     from function_logs l where project_id = $2`,
    [one.orgId, one.projectId],
  );
  const back = await offer(one.wallet, one.projectId, { to_org_id: one.orgId });
  expect(back.status, back.text).toBe(200);
  const foreign = await service.owner();
  expect((await offer(one.wallet, one.projectId, { to_org_id: foreign.orgId })).body.code).toBe('NOT_AUTHORIZED');
});

test('an offer that nobody takes up in time is over, and the project is free', async () => {
  const one = await service.project();
  const recipient = actors.wallet();
  const { transfer_id: id } = (await offer(one.wallet, one.projectId, { to_wallet: recipient.address })).body;
  await control.sql(`update project_transfers set expires_at = now() - interval '1 second' where id = $1`, [id]);
  expect(await end(recipient, id, 'accept')).toMatchObject({ status: 410, body: { code: 'TRANSFER_EXPIRED' } });
  expect((await send(recipient, 'GET', `/agent/v1/transfers/${id}`)).body.status).toBe('expired');
  await control.sql(`select graphile_worker.add_job('transfers_expire')`);
  await until(async () =>
    expect((await send(one.wallet, 'PATCH', `/projects/v1/${one.projectId}`, { name: 'Free' })).status).toBe(200),
  );
  expect((await offer(one.wallet, one.projectId, { to_wallet: recipient.address })).status).toBe(201);
});

test('of an accept and a cancel that race, one wins', async () => {
  for (let round = 0; round < 4; round++) {
    const one = await service.project();
    const recipient = actors.wallet();
    const { transfer_id: id } = (await offer(one.wallet, one.projectId, { to_wallet: recipient.address })).body;
    const outcomes = await Promise.all([
      end(recipient, id, 'accept'),
      end(one.wallet, id, 'cancel'),
      end(recipient, id, 'cancel'),
    ]);
    expect(outcomes.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const { status, body } of outcomes.filter((one) => one.status !== 200))
      expect([status, body.code]).toEqual([409, 'TRANSFER_ALREADY_PROCESSED']);
    const isTheirs = outcomes[0]!.status === 200;
    expect((await send(recipient, 'GET', `/projects/v1/${one.projectId}`)).status).toBe(isTheirs ? 200 : 403);
    expect((await send(one.wallet, 'GET', `/projects/v1/${one.projectId}`)).status).toBe(isTheirs ? 403 : 200);
  }
});

test('bad offers are refused by their codes, and strangers learn nothing', async () => {
  const one = await service.project();
  const { address } = actors.wallet();
  for (const [body, status, code] of [
    [{}, 400, 'VALIDATION_FAILED'],
    [{ to_wallet: address, to_email: 'a@example.com' }, 400, 'VALIDATION_FAILED'],
    [{ to_wallet: 'nobody' }, 400, 'VALIDATION_FAILED'],
    [{ to_wallet: address, billing_policy: 'keep' }, 400, 'INVALID_BILLING_POLICY'],
    [{ to_email: 'a@example.com', billing_policy: 'migrate' }, 400, 'VALIDATION_FAILED'],
    [{ to_email: 'a@example.com', retain_collaborator: { role: 'owner' } }, 400, 'INVALID_RETAIN_ROLE'],
    [{ to_wallet: address, retain_collaborator_role: 'developer' }, 400, 'VALIDATION_FAILED'],
    [{ to_wallet: one.wallet.address }, 400, 'INVALID_RECIPIENT'],
    [{ to_org_id: one.orgId }, 409, 'ALREADY_OWNED'],
  ] as const)
    expect(await offer(one.wallet, one.projectId, body), JSON.stringify(body)).toMatchObject({
      status,
      body: { code },
    });
  for (const as of [actors.bearer(one.serviceKey), (await service.owner()).wallet])
    expect((await offer(as, one.projectId, { to_wallet: address })).status).toBe(403);
  const { transfer_id: id } = (await offer(one.wallet, one.projectId, { to_wallet: address })).body;
  const stranger = (await service.owner()).wallet;
  const absent = '0b9f2c1e-4b0a-4c57-8d11-2f6a1c3b5e70';
  for (const [method, verb] of [
    ['GET', ''],
    ['POST', '/accept'],
    ['POST', '/claim'],
    ['POST', '/cancel'],
  ] as const) {
    const [theirs, none, odd] = await Promise.all(
      [id, absent, 'no-uuid'].map((one) =>
        send(stranger, method, `/agent/v1/transfers/${one}${verb}`, method === 'GET' ? undefined : {}),
      ),
    );
    expect([theirs!.status, theirs!.body.code]).toEqual([403, 'NOT_AUTHORIZED']);
    for (const other of [none!, odd!])
      expect(other.body).toEqual({ ...theirs!.body, trace_id: expect.any(String), request_id: other.body.request_id });
  }
});

test('a project that is not at rest stays where it is', async () => {
  const one = await service.project();
  await control.sql(
    `insert into signers (id, org_id, project_id, chain, address) values ('sgn_' || $1, $2, $1, 'base-sepolia', $3)`,
    [one.projectId, one.orgId, actors.wallet().address.toLowerCase()],
  );
  const refused = await offer(one.wallet, one.projectId, { to_wallet: actors.wallet().address });
  expect(refused).toMatchObject({
    status: 409,
    body: { code: 'PROJECT_NOT_TRANSFERABLE', details: { reasons: ['has_signers'] } },
  });
});
