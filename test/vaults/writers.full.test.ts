import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { newId } from '../../core/ids.ts';
import { expectRefusal, moment } from '../helpers/documented.ts';
import { startService } from '../helpers/service.ts';
import { holdUp } from '../members/hold-up.ts';
import { teamsOf } from '../members/team.ts';
import { vaultsOf } from './vault.ts';

const service = await startService();
afterAll(() => service.stop());
const organization = vaultsOf(service);
const team = teamsOf(service);
const { control } = service;

test('a vault is registered once for a project, without writers, in its first epoch', async () => {
  const { orgId, project, register, audited } = await organization();
  const projectId = await project();
  const first = await register(projectId);
  expect(first.status).toBe(201);
  expect(first.body).toEqual({
    vault_id: expect.any(String),
    org_id: orgId,
    project_id: projectId,
    epoch: 1,
    rotation_required_since: null,
    writers: [],
    created_at: moment,
  });
  const again = await register(projectId);
  expect([again.status, again.body]).toEqual([200, first.body]);
  expect((await audited('vault.registered')).at(-1)).toEqual({
    action: 'vault.registered',
    object_id: first.body.vault_id,
    details: { project_id: projectId },
  });
});

test('twenty who register the vault of one project, or enrol one key, at once make one', async () => {
  const { project, register, enrol, join } = await organization();
  const projectId = await project();
  const bob = await join('developer');
  const vaults = await Promise.all(Array.from({ length: 20 }, () => register(projectId)));
  expect(vaults.map(({ status }) => status).sort()).toEqual([...Array(19).fill(200), 201]);
  expect(new Set(vaults.map(({ body }) => body.vault_id)).size).toBe(1);
  const keys = await Promise.all(Array.from({ length: 20 }, () => enrol(bob.principalId, 'sha256:one')));
  expect(keys.map(({ status }) => status).sort()).toEqual([...Array(19).fill(200), 201]);
  expect(new Set(keys.map(({ body }) => body.encryption_key_id)).size).toBe(1);
});

test('a project that is foreign, deleted or nobody’s has no vault to register', async () => {
  const { register, project } = await organization();
  const deleted = await project();
  await control.sql('update projects set deleted_at = now() where id = $1', [deleted]);
  for (const id of [deleted, (await organization()).projectId, newId('prj'), 'nope']) {
    expectRefusal(await register(id), 'RESOURCE_NOT_FOUND', { project_id: id });
  }
});

test('a writer pushes, and is admitted once', async () => {
  const { vault, ownKey, principalId, admit, push } = await organization();
  const again = await admit(vault, ownKey);
  expect(again.status).toBe(200);
  expect(again.body.writers).toEqual([{ encryption_key_id: ownKey, principal_id: principalId, admitted_at: moment }]);
  expect((await push(vault, ownKey)).body).toEqual(again.body);
});

describe('nobody but an admitted writer pushes or rotates', () => {
  type Own = Awaited<ReturnType<typeof organization>>;
  const cases: Readonly<Record<string, (own: Own) => Promise<string>>> = {
    'a key that was never admitted': async ({ writer }) => (await writer([])).key,
    'a writer of another vault': async ({ writer, register, project }) =>
      (await writer([(await register(await project())).body.vault_id])).key,
    'a writer of another organization': async () => (await organization()).ownKey,
    'a member who was removed': async ({ writer, vault, remove }) => {
      const bob = await writer([vault]);
      await remove(bob.principalId);
      return bob.key;
    },
    'a member whose role no longer writes': async ({ writer, vault, setRole }) => {
      const bob = await writer([vault]);
      await setRole(bob.principalId, 'billing');
      return bob.key;
    },
    'a member who is suspended': async ({ writer, vault }) => {
      const bob = await writer([vault]);
      await control.sql(`update memberships set status = 'suspended' where principal_id = $1`, [bob.principalId]);
      return bob.key;
    },
    'a key that was revoked': async ({ writer, vault, revokeKey }) => {
      const bob = await writer([vault]);
      await revokeKey(bob.principalId);
      return bob.key;
    },
    'a key that nobody has': async () => randomUUID(),
    'a text that is no key': async () => 'nope',
  };
  test.each(Object.keys(cases))('%s', async (name) => {
    const own = await organization();
    const key = await cases[name]!(own);
    const details = { vault_id: own.vault, encryption_key_id: key };
    for (const change of [own.push, own.rotate]) {
      const answer = await change(own.vault, key);
      expectRefusal(answer, 'GITVAULT_WRITER_NOT_ADMITTED', details);
      expect(answer.body.next_actions[0]).toMatchObject({ type: 'request_writer_sync' });
    }
    const [row] = await control.sql('select epoch from vaults where id = $1', [own.vault]);
    expect(row).toEqual({ epoch: 1 });
  });
});

test('a vault that is not there takes nothing', async () => {
  const { ownKey, push, rotate, admit } = await organization();
  const foreign = (await organization()).vault;
  for (const vault of [foreign, randomUUID(), 'nope']) {
    for (const change of [push, rotate, admit]) {
      expectRefusal(await change(vault, ownKey), 'RESOURCE_NOT_FOUND', { vault_id: vault });
    }
  }
});

test('only the key of a member who may write is admitted', async () => {
  const { vault, admit, join, enrol, writer, revokeKey } = await organization();
  const viewer = await join('viewer');
  const revoked = await writer([]);
  await revokeKey(revoked.principalId);
  const keys = [
    (await enrol(viewer.principalId)).body.encryption_key_id,
    revoked.key,
    (await organization()).ownKey,
    randomUUID(),
    'nope',
  ];
  for (const key of keys) {
    expectRefusal(await admit(vault, key), 'RESOURCE_NOT_FOUND', { encryption_key_id: key });
  }
});

test.each(['remove', 'demote', 'revoke the key of'] as const)(
  'after owners %s a writer nothing is pushed until a writer who stayed rotates',
  async (how) => {
    const own = await organization();
    const { vault, ownKey, push, rotate, register, project, audited } = own;
    const other: string = (await register(await project())).body.vault_id;
    const bob = await own.writer([vault]);
    const eve = await own.writer([vault, other]);
    expect((await push(vault, eve.key)).status).toBe(200);
    const { status } = await {
      remove: () => own.remove(bob.principalId),
      demote: () => own.setRole(bob.principalId, 'viewer'),
      'revoke the key of': () => own.revokeKey(bob.principalId),
    }[how]();
    expect(status).toBe(200);
    for (const key of [ownKey, eve.key]) {
      expectRefusal(await push(vault, key), 'EPOCH_ROTATION_REQUIRED', {
        vault_id: vault,
        epoch: 1,
        rotation_required_since: moment,
      });
    }
    // A vault that he never wrote to goes on.
    expect((await push(other, eve.key)).status).toBe(200);
    expectRefusal(await rotate(vault, bob.key), 'GITVAULT_WRITER_NOT_ADMITTED');
    const rotated = await rotate(vault, eve.key);
    expect(rotated.body).toMatchObject({ epoch: 2, rotation_required_since: null });
    expect(rotated.body.writers.map((one: { encryption_key_id: string }) => one.encryption_key_id)).toEqual([
      ownKey,
      eve.key,
    ]);
    expect((await push(vault, ownKey)).status).toBe(200);
    expectRefusal(await push(vault, bob.key), 'GITVAULT_WRITER_NOT_ADMITTED');
    expect((await audited('vault.epoch_rotated')).at(-1)).toEqual({
      action: 'vault.epoch_rotated',
      object_id: vault,
      details: { encryption_key_id: eve.key, epoch: 2 },
    });
  },
);

test('whoever never wrote to a vault leaves without a rotation', async () => {
  const { vault, ownKey, push, remove, setRole, revokeKey, join, enrol } = await organization();
  const bob = await join('developer');
  await enrol(bob.principalId);
  await setRole(bob.principalId, 'viewer');
  await revokeKey(bob.principalId);
  await remove(bob.principalId);
  expect((await push(vault, ownKey)).status).toBe(200);
});

test('a role that still writes needs no rotation', async () => {
  const { vault, setRole, writer, push } = await organization();
  const bob = await writer([vault]);
  for (const role of ['admin', 'owner', 'developer']) {
    expect((await setRole(bob.principalId, role)).status).toBe(200);
    expect((await push(vault, bob.key)).status).toBe(200);
  }
});

test('a member who comes back after the rotation is no writer until admitted anew', async () => {
  const { vault, ownKey, add, admit, remove, rotate, push, writer } = await organization();
  const bob = await writer([vault]);
  await remove(bob.principalId);
  await rotate(vault, ownKey);
  const { body } = await add({ wallet: bob.wallet.address });
  expect(body.envelope).toEqual({ state: 'enrolled_pending_wrap' });
  expectRefusal(await push(vault, bob.key), 'GITVAULT_WRITER_NOT_ADMITTED');
  expect((await admit(vault, bob.key)).status).toBe(201);
  expect((await push(vault, bob.key)).status).toBe(200);
});

test('pushes of somebody who is removed meanwhile are either before or after, and none comes after', async () => {
  const { orgId, vault, remove, push, writer } = await organization();
  const bob = await writer([vault]);
  const pushes = Array.from({ length: 20 }, () => push(vault, bob.key));
  const removed = remove(bob.principalId);
  const answers = await Promise.all(pushes);
  expect((await removed).status).toBe(200);
  for (const answer of answers) {
    if (answer.status !== 200) expectRefusal(answer, 'GITVAULT_WRITER_NOT_ADMITTED');
  }
  const trail = await control.sql<{ action: string }>(
    `select action from audit_events where org_id = $1 and action in ('vault.pushed', 'member.revoked') order by seq`,
    [orgId],
  );
  const taken = answers.filter(({ status }) => status === 200).length;
  expect(trail.filter(({ action }) => action === 'vault.pushed')).toHaveLength(taken);
  expectRefusal(await push(vault, bob.key), 'GITVAULT_WRITER_NOT_ADMITTED');
});

test('a push that was sent before its writer was removed, and comes after, is refused', async () => {
  const { orgId, vault, ownKey, push, writer } = await organization();
  const bob = await writer([vault]);
  const hold = `select 1 from vaults where id = '${vault}' for update`;
  const gone = `update memberships set status = 'revoked' where org_id = '${orgId}' and principal_id = '${bob.principalId}'`;
  const late = await holdUp(service, { hold, send: () => push(vault, bob.key), meanwhile: gone });
  expectRefusal(late, 'GITVAULT_WRITER_NOT_ADMITTED');
  const rotation = `update vaults set rotation_required_since = now() where id = '${vault}'`;
  const other = await holdUp(service, { hold, send: () => push(vault, ownKey), meanwhile: rotation });
  expectRefusal(other, 'EPOCH_ROTATION_REQUIRED');
});

test('twenty rotations at once are twenty epochs', async () => {
  const { vault, ownKey, rotate } = await organization();
  const answers = await Promise.all(Array.from({ length: 20 }, () => rotate(vault, ownKey)));
  const epochs = answers.map(({ body }) => body.epoch).sort((left, right) => left - right);
  expect(epochs).toEqual(Array.from({ length: 20 }, (_, at) => at + 2));
});

test('what has no organization is not there for the admin, and what is nobody’s business is refused', async () => {
  const { wallet, orgId, projectId } = await team().then(async (own) => ({
    ...own,
    projectId: newId('prj'),
  }));
  const { call, actors } = service;
  const body = { project_id: projectId };
  const absent = `/gitvault/v1/admin/${randomUUID()}/vaults`;
  expectRefusal(await call(actors.admin, 'POST', absent, { body }), 'RESOURCE_NOT_FOUND');
  expectRefusal(await call(wallet, 'POST', `/gitvault/v1/admin/${orgId}/vaults`, { body }), 'ADMIN_REQUIRED');
});
