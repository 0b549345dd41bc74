import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { expectRefusal } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { teamsOf } from '../members/team.ts';
import { vaultsOf } from './vault.ts';

/** Whoever lets a writer in has to be one of every vault, so as to wrap their keys. Contract 01, section 6.4. */
const service = await sharedService();
afterAll(() => service.stop());
const organization = vaultsOf(service);
const team = teamsOf(service);
const { actors, control } = service;
const writing = ['owner', 'admin', 'developer'];
const reading = ['billing', 'viewer'];

const notAdmitted = (answer: Parameters<typeof expectRefusal>[0], ...vaults: string[]) => {
  expectRefusal(answer, 'GITVAULT_WRITER_NOT_ADMITTED', { vault_ids: vaults });
  expect((answer.body as { next_actions: object[] }).next_actions[0]).toMatchObject({ type: 'request_writer_sync' });
};

test.each(writing)('an owner without a key of his own adds no %s', async (role) => {
  const { vault, add, join, memberships } = await organization();
  const bob = await join('owner');
  const wallet = actors.wallet().address;
  notAdmitted(await add({ wallet, role }, bob.wallet), vault);
  expect(Object.keys(await memberships())).toHaveLength(2);
  expect(await control.sql('select 1 from authenticators where public_subject = $1', [wallet])).toEqual([]);
  expect((await add({ wallet, role })).status).toBe(201);
});

test.each(reading)('any owner adds as %s, and any active member stays as it is', async (role) => {
  const { add, join } = await organization();
  const bob = await join('owner');
  expect((await add({ wallet: actors.wallet().address, role }, bob.wallet)).status).toBe(201);
  const eve = await join('developer');
  expect((await add({ wallet: eve.wallet.address, role: 'developer' }, bob.wallet)).status).toBe(200);
});

test('an organization without vaults, and one whose vaults went with their projects, is not affected', async () => {
  const bare = await team();
  expect((await bare.add({ wallet: actors.wallet().address })).status).toBe(201);
  const { orgId, vault, add, join } = await organization();
  const bob = await join('owner');
  const wallet = actors.wallet().address;
  notAdmitted(await add({ wallet }, bob.wallet), vault);
  await control.sql('update projects set deleted_at = now() where org_id = $1', [orgId]);
  const { status, body } = await add({ wallet }, bob.wallet);
  expect([status, body.envelope]).toEqual([201, { state: 'not_applicable' }]);
});

test('a writer of one vault adds nobody while there is another, which is named', async () => {
  const { add, admit, ownKey, register, project } = await organization();
  const other: string = (await register(await project())).body.vault_id;
  const wallet = actors.wallet().address;
  notAdmitted(await add({ wallet }), other);
  await admit(other, ownKey);
  expect((await add({ wallet })).status).toBe(201);
});

test('a key that was lost or revoked lets nobody in', async () => {
  const { vault, principalId, add, lose, revokeKey } = await organization();
  const body = { wallet: actors.wallet().address };
  await lose(principalId);
  notAdmitted(await add(body), vault);
  await revokeKey(principalId);
  notAdmitted(await add(body), vault);
});

test('a role that writes is given by a writer alone, one that reads by any owner', async () => {
  const { vault, setRole, join } = await organization();
  const [bob, eve] = [await join('owner'), await join('viewer')];
  expect((await setRole(eve.principalId, 'billing', bob.wallet)).status).toBe(200);
  notAdmitted(await setRole(eve.principalId, 'developer', bob.wallet), vault);
  expect((await setRole(eve.principalId, 'developer')).status).toBe(200);
  // Whoever writes already is let in nowhere by another role that writes.
  expect((await setRole(eve.principalId, 'admin', bob.wallet)).status).toBe(200);
});

test('an invitation is for any owner to make, a membership that begins at once for a writer', async () => {
  const { vault, invite, join } = await organization();
  const bob = await join('owner');
  const [unknown, known] = [`${randomUUID()}@example.com`, `${randomUUID()}@example.com`];
  expect((await invite({ email: unknown }, bob.wallet)).body.status).toBe('invited');
  const eve = await join();
  await control.sql(
    `insert into authenticators (id, principal_id, kind, public_subject, verified_at)
     values (gen_random_uuid(), $1, 'email', $2, now())`,
    [eve.principalId, known],
  );
  notAdmitted(await invite({ email: known }, bob.wallet), vault);
  expect((await invite({ email: known, role: 'viewer' }, bob.wallet)).body.status).toBe('added');
});

test('the envelope says what a new member still needs', async () => {
  const { vault, add, join, enrol, admit, get, orgId, wallet } = await organization();
  const bob = await join();
  const body = { wallet: bob.wallet.address, role: 'developer' };
  const first = (await add(body)).body;
  expect(first.envelope).toEqual({ state: 'not_enrolled' });
  expect(first.next_actions).toEqual([{ type: 'enrol_key', why: expect.any(String) }]);
  const key: string = (await enrol(bob.principalId)).body.encryption_key_id;
  const pending = (await add(body)).body;
  expect(pending.envelope).toEqual({ state: 'enrolled_pending_wrap' });
  expect(pending.next_actions).toEqual([{ type: 'request_writer_sync', why: expect.any(String) }]);
  const graph = async () => {
    const { data } = await service.graphql(
      wallet,
      'query ($id: ID!) { organization(id: $id) { members { edges { node { principalId envelope encryptionKey { state } } } } } }',
      { id: orgId },
    );
    return data.organization.members.edges
      .map(({ node }: { node: { principalId: string } }) => node)
      .find(({ principalId }: { principalId: string }) => principalId === bob.principalId);
  };
  expect(await graph()).toMatchObject({ envelope: 'ENROLLED_PENDING_WRAP', encryptionKey: { state: 'ACTIVE' } });
  await admit(vault, key);
  expect((await add(body)).body.envelope).toEqual({ state: 'not_applicable' });
  expect(await graph()).toMatchObject({ envelope: 'NOT_APPLICABLE' });
  const viewer = await add({ wallet: actors.wallet().address, role: 'viewer' });
  expect(viewer.body.envelope).toEqual({ state: 'not_applicable' });
  expect((await get('/members')).body.members).toHaveLength(3);
});

test('GraphQL walks the same road as REST, and each step shows what it left', async () => {
  const { wallet, orgId, project, ownKey, vault, register, join } = await organization();
  const bob = await join('developer');
  const projectId = await project();
  const member = { org: orgId, principal: bob.principalId };
  const { data } = await service.graphql(
    actors.admin,
    `mutation ($enrol: EnrolMemberKeyInput!, $lose: ReportLostMemberKeyInput!, $register: RegisterVaultInput!) {
      enrolMemberKey(input: $enrol) { principalId envelope encryptionKey { encryptionKeyId fingerprint custodyScheme state } }
      registerVault(input: $register) { vaultId projectId epoch rotationRequiredSince writers { edges { cursor } } }
      reportLostMemberKey(input: $lose) { envelope encryptionKey { state } }
    }`,
    {
      enrol: { ...member, fingerprint: 'abc', custodyScheme: 'device_keystore' },
      lose: member,
      register: { org: `Organization_${orgId}`, project: `Project_${projectId}` },
    },
  );
  const same = await register(projectId);
  expect(same.status).toBe(200);
  expect(data).toEqual({
    enrolMemberKey: {
      principalId: bob.principalId,
      envelope: 'ENROLLED_PENDING_WRAP',
      encryptionKey: {
        encryptionKeyId: expect.any(String),
        fingerprint: 'abc',
        custodyScheme: 'device_keystore',
        state: 'ACTIVE',
      },
    },
    registerVault: {
      vaultId: same.body.vault_id,
      projectId,
      epoch: 1,
      rotationRequiredSince: null,
      writers: { edges: [] },
    },
    reportLostMemberKey: { envelope: 'NOT_ENROLLED', encryptionKey: { state: 'ROTATION_REQUIRED' } },
  });

  const revoked = await service.graphql(
    wallet,
    'mutation ($input: RevokeMemberKeyInput!) { revokeMemberKey(input: $input) { role encryptionKey { state } } }',
    { input: { ...member, reason: 'lost' } },
  );
  expect(revoked.data.revokeMemberKey).toEqual({ role: 'DEVELOPER', encryptionKey: null });

  const writer = (id: string, key: string) => ({ input: { org: orgId, vault: id, encryptionKey: key } });
  const run = async (field: string, id: string, key: string) => {
    const answer = await service.graphql(
      actors.admin,
      `mutation ($input: VaultWriterInput!) { ${field}(input: $input) { vaultId epoch writers(first: 1) { edges { node { encryptionKeyId principalId } } } } }`,
      writer(id, key),
    );
    return answer.errors?.[0]?.extensions.code ?? answer.data[field];
  };
  const [, lost] = [ownKey, data.enrolMemberKey.encryptionKey.encryptionKeyId];
  expect(await run('admitVaultWriter', vault, lost)).toBe('RESOURCE_NOT_FOUND');
  expect(await run('takeVaultPush', vault, lost)).toBe('GITVAULT_WRITER_NOT_ADMITTED');
  expect(await run('takeVaultPush', same.body.vault_id, ownKey)).toBe('GITVAULT_WRITER_NOT_ADMITTED');
  expect(await run('admitVaultWriter', same.body.vault_id, ownKey)).toMatchObject({
    vaultId: same.body.vault_id,
    epoch: 1,
    writers: { edges: [{ node: { encryptionKeyId: ownKey } }] },
  });
  expect(await run('takeVaultPush', same.body.vault_id, ownKey)).toMatchObject({ epoch: 1 });
  expect(await run('rotateVaultEpoch', same.body.vault_id, ownKey)).toMatchObject({ epoch: 2 });
});
