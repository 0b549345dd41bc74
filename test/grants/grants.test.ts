import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { capabilities } from '../../kernel/access/permissions.ts';
import type { Actor } from '../helpers/actors.ts';
import { documentedCalls, expectRefusal, moment } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';

const service = await sharedService();
afterAll(() => service.stop());
const call = documentedCalls(service);
const { actors, control } = service;

const later = () => new Date(Date.now() + 3_600_000).toISOString();

/** An organization with a project, and what its owner does with grants. */
async function ownedProject() {
  const { wallet, orgId, projectId, principalId } = await service.project();
  const grants = `/projects/v1/${projectId}/grants`;
  return {
    wallet,
    orgId,
    projectId,
    principalId,
    grants,
    give: (body: object, headers: Record<string, string> = {}) => call(wallet, 'POST', grants, { body, headers }),
    list: async () => (await call(wallet, 'GET', grants)).body.grants,
    revoke: (id: string, actor: Actor = wallet) => call(actor, 'DELETE', `${grants}/${id}`),
    reads: async (actor: Actor) => (await call(actor, 'GET', `/projects/v1/${projectId}`)).status,
  };
}

test('a grant lets its wallet in until it is revoked, and the list tells of both', async () => {
  const { give, list, revoke, reads, projectId } = await ownedProject();
  const guest = actors.wallet();
  expect(await reads(guest)).toBe(403);
  const expires_at = later();
  const given = await give({ wallet: guest.checksumAddress, capability: 'read', policy: { note: 'é' }, expires_at });
  expect(given.status).toBe(201);
  const { grant_id, principal_id } = given.body;
  expect(given.body).toStrictEqual({ status: 'ok', grant_id, principal_id });
  expect(await reads(guest)).toBe(200);
  const row = {
    id: grant_id,
    project_id: projectId,
    principal_id,
    display_name: null as string | null,
    wallet: guest.address,
    capability: 'read',
    policy: { note: 'é' },
    expires_at,
    revoked_at: null,
    created_at: moment,
  };
  expect(await list()).toStrictEqual([row]);
  await call(guest, 'PATCH', '/agent/v1/me', { body: { display_name: 'A guest' } });
  row.display_name = 'A guest';
  const revoked = await revoke(grant_id);
  expect([revoked.status, revoked.body]).toStrictEqual([200, { status: 'revoked', grant_id }]);
  expect(await reads(guest)).toBe(403);
  expect(await list()).toStrictEqual([{ ...row, revoked_at: moment }]);
  expectRefusal(await revoke(grant_id), 'GRANT_NOT_FOUND');
});

test('a wallet that nobody has seen gets a principal, which is the one it later signs in as', async () => {
  const { give } = await ownedProject();
  const [fresh, known] = [actors.wallet(), actors.wallet()];
  const me = (await call(known, 'GET', '/agent/v1/whoami')).body.principal.id;
  expect((await give({ wallet: known.address.toUpperCase(), capability: 'deploy' })).body.principal_id).toBe(me);
  const { principal_id } = (await give({ wallet: fresh.checksumAddress, capability: 'deploy' })).body;
  const proven = () =>
    control.sql<{ proven: boolean }>(
      'select verified_at is not null as proven from authenticators where public_subject = $1',
      [fresh.address],
    );
  expect(await proven()).toEqual([{ proven: false }]);
  const first = await call(fresh, 'GET', '/agent/v1/whoami');
  expect(first.body.principal).toMatchObject({ id: principal_id, type: 'agent', display_name: null });
  expect(await proven()).toEqual([{ proven: true }]);
});

test.each(capabilities)('the capability %s can be given', async (capability) => {
  const { give, list } = await ownedProject();
  expect((await give({ wallet: actors.wallet().address, capability })).status).toBe(201);
  expect(await list()).toMatchObject([{ capability }]);
});

test('a capability that is held already is answered as it stands, and no event is written', async () => {
  const { give, list, orgId } = await ownedProject();
  const { address } = actors.wallet();
  const first = await give({ wallet: address, capability: 'read', policy: { a: 1 } });
  const again = await give({ wallet: address, capability: 'read', policy: { b: 2 }, expires_at: later() });
  expect([again.status, again.body]).toStrictEqual([200, first.body]);
  expect(await list()).toMatchObject([{ id: first.body.grant_id, policy: { a: 1 }, expires_at: null }]);
  expect((await give({ wallet: address, capability: 'deploy' })).status).toBe(201);
  const events = await control.sql(`select 1 from audit_events where org_id = $1 and action = 'grant.created'`, [
    orgId,
  ]);
  expect(events).toHaveLength(2);
});

test('twenty owners who give the same at once give it once', async () => {
  const { give, list } = await ownedProject();
  const { address } = actors.wallet();
  const answers = await Promise.all(Array.from({ length: 20 }, () => give({ wallet: address, capability: 'deploy' })));
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(19).fill(200), 201]);
  expect(new Set(answers.map(({ body }) => body.grant_id)).size).toBe(1);
  expect(await list()).toHaveLength(1);
});

test('twenty who revoke a grant at once end it once', async () => {
  const { give, revoke, orgId } = await ownedProject();
  const { grant_id } = (await give({ wallet: actors.wallet().address, capability: 'deploy' })).body;
  const answers = await Promise.all(Array.from({ length: 20 }, () => revoke(grant_id)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(404)]);
  const events = await control.sql(`select 1 from audit_events where org_id = $1 and action = 'grant.revoked'`, [
    orgId,
  ]);
  expect(events).toHaveLength(1);
});

test('a grant whose time is over does not stand in the way of the next', async () => {
  const { give, list, reads } = await ownedProject();
  const guest = actors.wallet();
  const first = (await give({ wallet: guest.address, capability: 'read', expires_at: later() })).body;
  await control.sql('update project_grants set expires_at = now() where id = $1', [first.grant_id]);
  expect(await reads(guest)).toBe(403);
  const second = await give({ wallet: guest.address, capability: 'read' });
  expect(second.status).toBe(201);
  expect(second.body.grant_id).not.toBe(first.grant_id);
  expect(await reads(guest)).toBe(200);
  expect(await list()).toMatchObject([
    { id: second.body.grant_id, revoked_at: null },
    { id: first.grant_id, revoked_at: moment },
  ]);
});

test('a grant is given once under one idempotency key', async () => {
  const { give, list } = await ownedProject();
  const headers = { 'idempotency-key': randomUUID() };
  const body = { wallet: actors.wallet().address, capability: 'read', expires_at: later() };
  const first = await give(body, headers);
  expect(first.status).toBe(201);
  const again = await give(body, headers);
  expect([again.status, again.body]).toStrictEqual([201, first.body]);
  expect(await list()).toHaveLength(1);
  expectRefusal(await give({ ...body, capability: 'deploy' }, headers), 'IDEMPOTENCY_KEY_REUSED');
});

test('a session gives and revokes with a fresh passkey alone', async () => {
  const { orgId, grants, give, list, revoke } = await ownedProject();
  const { principalId, ...stale } = await actors.session({ passkeyAgeSeconds: 301 });
  await actors.member(orgId, principalId, 'owner');
  const fresh = await actors.session({ principalId, passkeyAgeSeconds: 1 });
  const body = { wallet: actors.wallet().address, capability: 'read' };
  const details = { op_class: 'project.grants', reason: 'stale' };
  expectRefusal(await call(stale, 'POST', grants, { body }), 'STEP_UP_REQUIRED', details);
  const { grant_id } = (await give(body)).body;
  expectRefusal(await revoke(grant_id, stale), 'STEP_UP_REQUIRED', details);
  expect(await list()).toMatchObject([{ revoked_at: null }]);
  expect((await revoke(grant_id, fresh)).status).toBe(200);
  expect((await call(fresh, 'POST', grants, { body })).status).toBe(201);
});

test('a frozen organization gives nothing, and can still revoke', async () => {
  const { orgId, give, revoke } = await ownedProject();
  const { grant_id } = (await give({ wallet: actors.wallet().address, capability: 'read' })).body;
  await control.sql(`update orgs set lifecycle_state = 'frozen' where id = $1`, [orgId]);
  expectRefusal(await give({ wallet: actors.wallet().address, capability: 'read' }), 'PROJECT_FROZEN');
  expect((await revoke(grant_id)).status).toBe(200);
});

test('a grant of another project is nobody’s to revoke here', async () => {
  const [here, there] = [await ownedProject(), await ownedProject()];
  const { grant_id } = (await there.give({ wallet: actors.wallet().address, capability: 'read' })).body;
  expectRefusal(await here.revoke(grant_id), 'GRANT_NOT_FOUND');
  expectRefusal(await there.revoke(grant_id, here.wallet), 'NOT_AUTHORIZED', { reason: 'project_not_found' });
  expect(await there.list()).toMatchObject([{ revoked_at: null }]);
});

test('grants over GraphQL are the grants over REST', async () => {
  const { wallet, projectId, list, principalId } = await ownedProject();
  const expiresAt = later();
  const created = await service.graphql(
    wallet,
    `mutation ($in: CreateGrantInput!) { createGrant(input: $in) {
      grantId projectId principalId capability policy expiresAt revokedAt createdAt } }`,
    {
      in: {
        project: `Project_${projectId}`,
        wallet: wallet.checksumAddress,
        capability: 'PROJECT_ARCHIVES_EXPORT',
        policy: { ip: ['10.0.0.0/8'] },
        expiresAt,
      },
    },
  );
  const [row] = await list();
  const grant = {
    grantId: row.id,
    projectId,
    principalId,
    capability: 'PROJECT_ARCHIVES_EXPORT',
    policy: { ip: ['10.0.0.0/8'] },
    expiresAt,
    revokedAt: null,
    createdAt: row.created_at,
  };
  expect(created.data.createGrant).toEqual(grant);
  const listed = `query ($id: ID!) { project(id: $id) { grants(first: 1) {
    edges { node { grantId capability revokedAt } } pageInfo { hasNextPage } } } }`;
  const seen = await service.graphql(wallet, listed, { id: projectId });
  const node = { grantId: row.id, capability: grant.capability, revokedAt: null };
  expect(seen.data.project.grants).toEqual({ edges: [{ node }], pageInfo: { hasNextPage: false } });
  const revoked = await service.graphql(
    wallet,
    'mutation ($in: RevokeGrantInput!) { revokeGrant(input: $in) { grantId revokedAt } }',
    { in: { project: projectId, grant: row.id } },
  );
  expect(revoked.data.revokeGrant).toEqual({ grantId: row.id, revokedAt: (await list())[0].revoked_at });
});

test('whoever is no owner is refused the grants of a project, and still sees the project', async () => {
  const { orgId, projectId } = await ownedProject();
  const member = await actors.session();
  await actors.member(orgId, member.principalId, 'admin');
  const query = `query ($id: ID!) { project(id: $id) { projectId grants { edges { cursor } } delegates { edges { cursor } } } }`;
  const { data, errors } = await service.graphql(member, query, { id: projectId });
  expect(data.project).toEqual({ projectId, grants: null, delegates: null });
  expect(errors!.map(({ extensions }) => extensions.code)).toEqual(['NOT_AUTHORIZED', 'NOT_AUTHORIZED']);
});

test('a project says what grants open to whoever asks, while they hold and to nobody else', async () => {
  const { wallet, projectId, give, revoke } = await ownedProject();
  const guest = actors.wallet();
  const seenBy = async (actor: Actor) => {
    const query = 'query ($id: ID!) { project(id: $id) { grantedCapabilities } }';
    return (await service.graphql(actor, query, { id: projectId })).data.project.grantedCapabilities;
  };
  await give({ wallet: guest.checksumAddress, capability: 'read' });
  expect(await seenBy(guest)).toEqual(['READ']);
  const more = await give({ wallet: guest.checksumAddress, capability: 'project:write' });
  await give({ wallet: guest.checksumAddress, capability: 'deploy', expires_at: later() });
  expect(await seenBy(guest)).toEqual(['READ', 'PROJECT_WRITE', 'DEPLOY']);
  await revoke(more.body.grant_id);
  await control.sql(
    `update project_grants set created_at = now() - interval '2 days', expires_at = now() - interval '1 second'
     where project_id = $1 and capability = 'deploy'`,
    [projectId],
  );
  expect(await seenBy(guest)).toEqual(['READ']);
  expect(await seenBy(wallet)).toEqual([]);
});
