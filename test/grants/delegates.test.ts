import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { documentedCalls, expectRefusal, moment } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { delegatedProjects } from './own-delegates.ts';

const service = await sharedService();
afterAll(() => service.stop());
const call = documentedCalls(service);
const { actors, control } = service;
const delegatedProject = delegatedProjects(service);

const later = () => new Date(Date.now() + 3_600_000).toISOString();
const tokenForm = expect.stringMatching(/^svcdt_[\w-]{43}$/);

test('a delegate is made with a token that is shown once, and ends when it is revoked', async () => {
  const { make, list, revoke, reads, projectId } = await delegatedProject();
  const spend_cap = { v: 1, currency: 'usd_micros', period: 'day', per_period: 5_000_000, per_tx: 0 };
  const expires_at = later();
  const made = await make({ expires_at, spend_cap });
  expect(made.status).toBe(201);
  const { delegate_id, token } = made.body;
  expect(made.body).toStrictEqual({ status: 'ok', delegate_id, token: tokenForm, expires_at });
  expect(await reads(token)).toBe(200);
  const row = {
    id: delegate_id,
    project_id: projectId,
    principal_id: expect.stringMatching(/^prn_/),
    kind: 'svc_agent_key',
    scope: { v: 1, capabilities: ['read'] },
    spend_cap,
    expires_at,
    revoked_at: null,
    created_at: moment,
  };
  expect(await list()).toStrictEqual([row]);
  const revoked = await revoke(delegate_id);
  expect([revoked.status, revoked.body]).toStrictEqual([200, { status: 'revoked', delegate_id }]);
  expect(await reads(token)).toBe(401);
  expect(await list()).toStrictEqual([{ ...row, revoked_at: moment }]);
  expectRefusal(await revoke(delegate_id), 'DELEGATE_NOT_FOUND');
});

test('a token stands nowhere but in the answer: not in a list, the trail, the log or the tables', async () => {
  const { make, wallet, path, rotate } = await delegatedProject();
  const { delegate_id, token } = (await make({}, { 'idempotency-key': randomUUID() })).body;
  const rotated = (await rotate(delegate_id)).body.token;
  const kept = await control.sql<{ text: string }>(
    `select concat((select string_agg(to_jsonb(d)::text, '') from delegates d),
       (select string_agg(to_jsonb(e)::text, '') from audit_events e),
       (select string_agg(encode(outcome, 'escape'), '') from idempotency_keys)) as text`,
  );
  const said = [kept[0]!.text, (await call(wallet, 'GET', path)).text, JSON.stringify(service.logged())];
  for (const text of said) for (const secret of [token, rotated]) expect(text).not.toContain(secret.slice(6));
  expect(said[1]).not.toMatch(/"\w*(token|hash)\w*":/i);
});

test('the same request under one idempotency key makes one delegate, and shows its token again', async () => {
  const { make, list, rotate, reads } = await delegatedProject();
  const headers = { 'idempotency-key': randomUUID() };
  const [first, again] = [await make({}, headers), await make({}, headers)];
  expect([again.status, again.body]).toStrictEqual([201, first.body]);
  expect(await list()).toHaveLength(1);
  const [turned, replayed] = [
    await rotate(first.body.delegate_id, undefined, headers),
    await rotate(first.body.delegate_id, undefined, headers),
  ];
  expect(replayed.body).toStrictEqual(turned.body);
  expect(await reads(turned.body.token)).toBe(200);
});

test('a rotated delegate has a new token and is otherwise the same; the old token is over at once', async () => {
  const { make, list, rotate, reads } = await delegatedProject();
  const made = (await make()).body;
  const before = await list();
  const rotated = await rotate(made.delegate_id);
  expect(rotated.status).toBe(201);
  expect(rotated.body).toStrictEqual({ ...made, token: tokenForm });
  expect(rotated.body.token).not.toBe(made.token);
  expect([await reads(made.token), await reads(rotated.body.token)]).toEqual([401, 200]);
  expect(await list()).toStrictEqual(before);
});

test('of twenty rotations at once the token of one holds', async () => {
  const { make, rotate, reads } = await delegatedProject();
  const { delegate_id, token } = (await make()).body;
  const answers = await Promise.all(Array.from({ length: 20 }, () => rotate(delegate_id)));
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(201));
  const tokens = answers.map(({ body }) => body.token);
  expect(new Set(tokens).size).toBe(20);
  const seen = [];
  for (const one of [token, ...tokens]) seen.push(await reads(one));
  expect(seen.sort()).toEqual([200, ...Array(20).fill(401)]);
});

test('what has ended is not rotated', async () => {
  const { make, rotate, revoke, revokeGrant } = await delegatedProject();
  const ids = [];
  for (let i = 0; i < 4; i++) ids.push((await make()).body.delegate_id);
  const [revoked, expired, lapsed, orphan] = ids;
  await revoke(revoked);
  await control.sql('update delegates set expires_at = now() where id = $1', [expired]);
  for (const id of [revoked, expired, randomUUID(), 'x']) expectRefusal(await rotate(id), 'DELEGATE_NOT_FOUND');
  await control.sql(
    'update project_grants g set expires_at = now() from delegates d where d.grant_id = g.id and d.id = $1',
    [lapsed],
  );
  expectRefusal(await rotate(lapsed), 'DELEGATE_NOT_FOUND');
  await revokeGrant();
  expectRefusal(await rotate(orphan), 'DELEGATE_NOT_FOUND');
});

test('a grant takes its delegates with it, and only those', async () => {
  const { make, list, reads, revokeGrant, wallet, projectId, path, orgId } = await delegatedProject();
  const other = await call(wallet, 'POST', `/projects/v1/${projectId}/grants`, {
    body: { wallet: actors.wallet().address, capability: 'read' },
  });
  const mine = [(await make()).body, (await make()).body];
  const spared = (await make({ grant_id: other.body.grant_id })).body;
  await revokeGrant();
  expect([await reads(mine[0].token), await reads(mine[1].token), await reads(spared.token)]).toEqual([401, 401, 200]);
  const live = (await list()).filter((row: { revoked_at: string | null }) => row.revoked_at === null);
  expect(live.map(({ id }: { id: string }) => id)).toEqual([spared.delegate_id]);
  const [event] = await control.sql<{ details: { delegate_ids: string[] } }>(
    `select details from audit_events where org_id = $1 and action = 'grant.revoked'`,
    [orgId],
  );
  expect(event!.details.delegate_ids.sort()).toEqual(mine.map(({ delegate_id }) => delegate_id).sort());
  expectRefusal(await make(), 'GRANT_NOT_FOUND');
  expect((await call(wallet, 'GET', path)).status).toBe(200);
});

test('delegates made while their grant is revoked do not outlive it', async () => {
  const { make, list, revokeGrant } = await delegatedProject();
  const making = Array.from({ length: 20 }, () => make());
  const revoked = await revokeGrant();
  expect(revoked.status).toBe(200);
  const answers = await Promise.all(making);
  for (const { status } of answers) expect([201, 404]).toContain(status);
  const rows = await list();
  expect(rows).toHaveLength(answers.filter(({ status }) => status === 201).length);
  for (const row of rows) expect(row.revoked_at).toEqual(moment);
});

test('a delegate ends with its grant at the latest', async () => {
  const ends = later();
  const { make } = await delegatedProject('read', { expires_at: ends });
  expect((await make()).body.expires_at).toBe(ends);
  const beyond = new Date(Date.parse(ends) + 1).toISOString();
  const details = { field: 'expires_at', reason: 'must not be later than the end of the grant' };
  expectRefusal(await make({ expires_at: beyond }), 'VALIDATION_FAILED', details);
  expect((await make({ expires_at: ends })).body.expires_at).toBe(ends);
});

test.each<[string, string, string, string]>([
  ['ci_oidc', 'repo:ada/engine:ref:refs/heads/main', 'repo:ada/engine:ref:refs/heads/main', 'ci'],
  ['tempo_access_key', `0x${'AB'.repeat(20)}`, `0x${'ab'.repeat(20)}`, 'agent'],
  ['base_disposable_eoa', `0x${'CD'.repeat(20)}`, `0x${'cd'.repeat(20)}`, 'agent'],
])('a delegate of the kind %s has a public subject and no token', async (kind, public_subject, kept, type) => {
  const { make, list, rotate } = await delegatedProject();
  const made = await make({ kind, public_subject });
  expect([made.status, made.body]).toStrictEqual([
    201,
    { status: 'ok', delegate_id: made.body.delegate_id, expires_at: null },
  ]);
  expect(await list()).toMatchObject([{ kind, revoked_at: null }]);
  const [row] = await control.sql(
    `select d.public_subject, d.token_hash, p.type from delegates d join principals p on p.id = d.principal_id
     where d.id = $1`,
    [made.body.delegate_id],
  );
  expect(row).toEqual({ public_subject: kept, token_hash: null, type });
  expectRefusal(await rotate(made.body.delegate_id), 'VALIDATION_FAILED', { field: 'delegate_id' });
});

test('a session needs a fresh passkey for each change of a delegate', async () => {
  const { make, rotate, revoke, orgId, reads } = await delegatedProject();
  const stale = await actors.session();
  await actors.member(orgId, stale.principalId, 'owner');
  const fresh = await actors.session({ principalId: stale.principalId, passkeyAgeSeconds: 1 });
  const { delegate_id, token } = (await make()).body;
  const details = { op_class: 'project.grants', reason: 'missing' };
  for (const refused of [
    await make({}, {}, stale),
    await rotate(delegate_id, stale),
    await revoke(delegate_id, stale),
  ]) {
    expectRefusal(refused, 'STEP_UP_REQUIRED', details);
  }
  expect(await reads(token)).toBe(200);
  expect((await make({}, {}, fresh)).status).toBe(201);
  expect((await rotate(delegate_id, fresh)).status).toBe(201);
  expect((await revoke(delegate_id, fresh)).status).toBe(200);
});

test('a frozen organization makes no delegate, but rotates and revokes', async () => {
  const { make, rotate, revoke, orgId } = await delegatedProject();
  const { delegate_id } = (await make()).body;
  await control.sql(`update orgs set lifecycle_state = 'frozen' where id = $1`, [orgId]);
  expectRefusal(await make(), 'PROJECT_FROZEN');
  expect((await rotate(delegate_id)).status).toBe(201);
  expect((await revoke(delegate_id)).status).toBe(200);
});

test('a delegate knows itself, and changes neither grants nor delegates', async () => {
  const { make, grantId, path, projectId, revoke, rotate } = await delegatedProject('project:write');
  const { delegate_id, token } = (await make()).body;
  const delegate = actors.bearer(token);
  const me = await call(delegate, 'GET', '/agent/v1/whoami');
  expect(me.body).toMatchObject({
    principal: { type: 'agent', display_name: null },
    memberships: [],
    authenticator_id: delegate_id,
    active_authenticator: { kind: 'svc_agent_key', public_subject: delegate_id },
  });
  const refused = { reason: 'forbidden', required_role: 'owner' };
  const give = { body: { wallet: actors.wallet().address, capability: 'read' } };
  expectRefusal(await call(delegate, 'POST', `/projects/v1/${projectId}/grants`, give), 'NOT_AUTHORIZED', refused);
  expectRefusal(await make({ grant_id: grantId }, {}, delegate), 'NOT_AUTHORIZED', refused);
  expectRefusal(await rotate(delegate_id, delegate), 'NOT_AUTHORIZED', refused);
  expectRefusal(await revoke(delegate_id, delegate), 'NOT_AUTHORIZED', refused);
  expectRefusal(await call(delegate, 'GET', path), 'NOT_AUTHORIZED', refused);
});

test('delegates over GraphQL are the delegates over REST', async () => {
  const { wallet, projectId, grantId, list, reads } = await delegatedProject();
  const fields = `delegateId projectId grantId kind scope { capabilities projects } spendCap { period perPeriod perTx }
    publicSubject expiresAt revokedAt createdAt principalId`;
  const created = await service.graphql(
    wallet,
    `mutation ($in: CreateDelegateInput!) { createDelegate(input: $in) { token delegate { ${fields} } } }`,
    {
      in: {
        project: projectId,
        grant: grantId,
        scope: { capabilities: ['PROJECT_READ', 'READ'], projects: [projectId] },
        spendCap: { perTx: 250_000 },
      },
    },
  );
  const [row] = await list();
  const { token, delegate } = created.data.createDelegate;
  expect(await reads(token)).toBe(200);
  expect(delegate).toEqual({
    delegateId: row.id,
    projectId,
    grantId,
    kind: 'SVC_AGENT_KEY',
    scope: { capabilities: ['PROJECT_READ', 'READ'], projects: [projectId] },
    spendCap: { period: null, perPeriod: null, perTx: 250_000 },
    publicSubject: null,
    expiresAt: null,
    revokedAt: null,
    createdAt: row.created_at,
    principalId: row.principal_id,
  });
  expect(row.scope).toEqual({ v: 1, capabilities: ['project.read', 'read'], projects: [projectId] });
  const listed = `query ($id: ID!) { project(id: $id) { delegates { edges { node { ${fields} } } } } }`;
  const seen = await service.graphql(wallet, listed, { id: projectId });
  expect(seen.data.project.delegates.edges).toEqual([{ node: delegate }]);
  const input = { in: { project: projectId, delegate: row.id } };
  const rotated = await service.graphql(
    wallet,
    'mutation ($in: DelegateInput!) { rotateDelegate(input: $in) { token delegate { delegateId } } }',
    input,
  );
  expect(rotated.data.rotateDelegate).toEqual({ token: tokenForm, delegate: { delegateId: row.id } });
  expect([await reads(token), await reads(rotated.data.rotateDelegate.token)]).toEqual([401, 200]);
  const revoked = await service.graphql(
    wallet,
    'mutation ($in: DelegateInput!) { revokeDelegate(input: $in) { revokedAt } }',
    input,
  );
  expect(revoked.data.revokeDelegate).toEqual({ revokedAt: (await list())[0].revoked_at });
});
