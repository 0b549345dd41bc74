import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { newId } from '../../core/ids.ts';
import { expectRefusal, moment } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { vaultsOf } from './vault.ts';

const service = await sharedService();
afterAll(() => service.stop());
const organization = vaultsOf(service);
const { actors, control } = service;

const keyOf = async (wallet: Parameters<typeof service.call>[0]) =>
  (await service.call<{ encryption_key: object | null }>(wallet, 'GET', '/agent/v1/whoami')).body.encryption_key;

test('a member enrols one key, which whoami shows; the same key again is the same', async () => {
  const { orgId, enrol, join, audited } = await organization();
  const bob = await join('viewer');
  expect(await keyOf(bob.wallet)).toBeNull();
  const first = await enrol(bob.principalId, 'SHA256:abc+/=');
  const key = {
    encryption_key_id: expect.any(String),
    ek_fingerprint: 'SHA256:abc+/=',
    custody_scheme: 'device_keystore',
    state: 'active',
    created_at: moment,
  };
  expect([first.status, first.body]).toEqual([201, { ...key, org_id: orgId, principal_id: bob.principalId }]);
  const again = await enrol(bob.principalId, 'SHA256:abc+/=');
  expect([again.status, again.body]).toEqual([200, first.body]);
  const { org_id: _org, principal_id: _principal, ...shown } = first.body;
  expect(await keyOf(bob.wallet)).toEqual(shown);
  const { data } = await service.graphql(
    bob.wallet,
    '{ whoami { encryptionKey { encryptionKeyId fingerprint custodyScheme state createdAt } } }',
  );
  expect(data.whoami.encryptionKey).toEqual({
    encryptionKeyId: shown.encryption_key_id,
    fingerprint: 'SHA256:abc+/=',
    custodyScheme: 'device_keystore',
    state: 'ACTIVE',
    createdAt: shown.created_at,
  });
  expect((await audited('member.key_enrolled')).at(-1)).toEqual({
    action: 'member.key_enrolled',
    object_id: bob.principalId,
    details: { ek_fingerprint: 'SHA256:abc+/=' },
  });
});

test('whoami shows the newest of several organizations’ keys', async () => {
  const [one, two] = [await organization(), await organization()];
  const bob = await one.join('viewer');
  await actors.member(two.orgId, bob.principalId, 'viewer');
  await one.enrol(bob.principalId, 'older');
  await control.sql(`update member_encryption_keys set created_at = created_at - interval '1 day' where org_id = $1`, [
    one.orgId,
  ]);
  await two.enrol(bob.principalId, 'newer');
  expect(await keyOf(bob.wallet)).toMatchObject({ ek_fingerprint: 'newer' });
  await two.revokeKey(bob.principalId);
  expect(await keyOf(bob.wallet)).toMatchObject({ ek_fingerprint: 'older' });
});

test('another key is not enrolled beside the first: an owner revokes that one', async () => {
  const { enrol, join, revokeKey } = await organization();
  const bob = await join('developer');
  await enrol(bob.principalId, 'first');
  const details = { ek_fingerprint: 'first', state: 'active' };
  expectRefusal(await enrol(bob.principalId, 'second'), 'GITVAULT_KEY_ROTATION_REQUIRED', details);
  expectRefusal(await enrol(bob.principalId, 'first', 'cloud'), 'GITVAULT_KEY_ROTATION_REQUIRED', details);
  expect((await revokeKey(bob.principalId)).body.status).toBe('revoked');
  expect((await enrol(bob.principalId, 'second')).status).toBe(201);
});

test('a member whose keystore was lost writes and enrols nothing until an owner revokes the key', async () => {
  const { vault, ownKey, writer, enrol, lose, admit, push, rotate, revokeKey, audited } = await organization();
  const bob = await writer([vault]);
  const lost = await lose(bob.principalId);
  expect([lost.status, lost.body.state]).toEqual([200, 'rotation_required']);
  expect((await lose(bob.principalId)).body).toEqual(lost.body);
  expect(await audited('member.key_lost')).toHaveLength(1);
  expect(await keyOf(bob.wallet)).toMatchObject({ state: 'rotation_required' });

  const code = 'GITVAULT_KEY_ROTATION_REQUIRED';
  for (const fingerprint of [lost.body.ek_fingerprint, 'another']) {
    const answer = await enrol(bob.principalId, fingerprint);
    expectRefusal(answer, code, { state: 'rotation_required' });
    expect(answer.body.next_actions[0]).toMatchObject({ type: 'revoke_key' });
  }
  for (const change of [push, rotate, admit]) expectRefusal(await change(vault, bob.key), code);

  const revoked = await revokeKey(bob.principalId, { reason: 'The laptop fell into the sea.' });
  expect([revoked.status, revoked.body]).toEqual([
    200,
    {
      status: 'revoked',
      principal_id: bob.principalId,
      ek_fingerprint: lost.body.ek_fingerprint,
      next_actions: [
        { type: 'rotate_epoch', why: expect.any(String) },
        { type: 'enrol_key', why: expect.any(String) },
      ],
    },
  ]);
  expect((await audited('member.key_revoked')).at(-1)).toEqual({
    action: 'member.key_revoked',
    object_id: bob.principalId,
    details: { ek_fingerprint: lost.body.ek_fingerprint, reason: 'The laptop fell into the sea.' },
  });
  expect(await keyOf(bob.wallet)).toBeNull();
  expectRefusal(await push(vault, bob.key), 'GITVAULT_WRITER_NOT_ADMITTED');
  expectRefusal(await push(vault, ownKey), 'EPOCH_ROTATION_REQUIRED');
  await rotate(vault, ownKey);
  const anew = (await enrol(bob.principalId, 'another')).body.encryption_key_id;
  expect((await admit(vault, anew)).status).toBe(201);
  expect((await push(vault, anew)).status).toBe(200);
});

test('a member without a key has none to revoke or to lose', async () => {
  const { join, revokeKey, lose, audited } = await organization();
  const bob = await join('viewer');
  const none = { status: 'no_key', principal_id: bob.principalId, ek_fingerprint: null, next_actions: [] };
  const answer = await revokeKey(bob.principalId);
  expect([answer.status, answer.body]).toEqual([200, none]);
  expectRefusal(await lose(bob.principalId), 'RESOURCE_NOT_FOUND', { principal_id: bob.principalId });
  expect(await audited('member.key_revoked')).toEqual([]);
});

test('of twenty who revoke one key at once, one does', async () => {
  const { vault, writer, revokeKey, audited } = await organization();
  const bob = await writer([vault]);
  const answers = await Promise.all(Array.from({ length: 20 }, () => revokeKey(bob.principalId)));
  expect(answers.map(({ body }) => body.status).sort()).toEqual([...Array(19).fill('no_key'), 'revoked']);
  expect(await audited('member.key_revoked')).toHaveLength(1);
});

test('the key of a removed member can still be revoked, once; whoever never had one is no member', async () => {
  const { vault, writer, remove, revokeKey, enrol, lose } = await organization();
  const bob = await writer([vault]);
  await remove(bob.principalId);
  expect((await revokeKey(bob.principalId)).body.status).toBe('revoked');
  const elsewhere = (await organization()).principalId;
  for (const principal of [bob.principalId, elsewhere, newId('prn'), 'nope']) {
    const details = { principal_id: principal };
    expectRefusal(await revokeKey(principal), 'RESOURCE_NOT_FOUND', details);
    expectRefusal(await enrol(principal), 'RESOURCE_NOT_FOUND', details);
    expectRefusal(await lose(principal), 'RESOURCE_NOT_FOUND', details);
  }
});

test.each(['invited', 'suspended'])('a member who is %s enrols no key', async (status) => {
  const { join, enrol } = await organization();
  const bob = await join('developer', status);
  expectRefusal(await enrol(bob.principalId), 'RESOURCE_NOT_FOUND', { principal_id: bob.principalId });
});

test('a key is revoked by an owner alone, with a fresh passkey, whatever the lease', async () => {
  const { orgId, principalId, revokeKey, join, writer, vault } = await organization();
  const bob = await writer([vault]);
  const admin = await join('admin');
  expectRefusal(await revokeKey(bob.principalId, {}, admin.wallet), 'NOT_AUTHORIZED', { reason: 'forbidden' });
  expectRefusal(await revokeKey(bob.principalId, {}, bob.wallet), 'NOT_AUTHORIZED', { reason: 'forbidden' });
  const session = await actors.session({ principalId, passkeyAgeSeconds: 301 });
  expectRefusal(await revokeKey(bob.principalId, {}, session), 'STEP_UP_REQUIRED', { op_class: 'org.membership' });
  await control.sql(`update orgs set lifecycle_state = 'dormant' where id = $1`, [orgId]);
  const fresh = await actors.session({ principalId, passkeyAgeSeconds: 1 });
  expect((await revokeKey(bob.principalId, {}, fresh)).body.status).toBe('revoked');
});

test.each<[string, unknown, number]>([
  ['200 characters', 'é'.repeat(200), 200],
  ['200 characters once composed', 'e\u0301'.repeat(200), 200],
  ['nothing', '', 200],
  ['a null', null, 200],
  ['201 characters', 'x'.repeat(201), 400],
  ['a line break inside', 'a\nb', 400],
  ['a NUL', 'a\0b', 400],
  ['a lone surrogate', 'a\ud800', 400],
  ['a number', 7, 400],
])('a reason of %s', async (_case, reason, status) => {
  const { principalId, revokeKey } = await organization();
  const answer = await revokeKey(principalId, { reason });
  expect(answer.status).toBe(status);
  if (status === 400) expectRefusal(answer, 'VALIDATION_FAILED', { field: 'reason' });
});

test.each<[string, object, string]>([
  ['no fingerprint', { custody_scheme: 'x' }, 'fingerprint'],
  ['an empty fingerprint', { fingerprint: '', custody_scheme: 'x' }, 'fingerprint'],
  ['a fingerprint of 201 characters', { fingerprint: 'a'.repeat(201), custody_scheme: 'x' }, 'fingerprint'],
  ['a fingerprint with a Cyrillic a', { fingerprint: '\u0430', custody_scheme: 'x' }, 'fingerprint'],
  ['a fingerprint with a line break', { fingerprint: 'a\n', custody_scheme: 'x' }, 'fingerprint'],
  ['no custody scheme', { fingerprint: 'a' }, 'custody_scheme'],
  ['a custody scheme in capitals', { fingerprint: 'a', custody_scheme: 'Device' }, 'custody_scheme'],
  ['a custody scheme of 65 characters', { fingerprint: 'a', custody_scheme: 'x'.repeat(65) }, 'custody_scheme'],
])('a key with %s is refused by name', async (_case, body, field) => {
  const { orgId, join } = await organization();
  const bob = await join('developer');
  const path = `/gitvault/v1/admin/${orgId}/members/${bob.principalId}/encryption-key`;
  expectRefusal(await service.call(actors.admin, 'POST', path, { body }), 'VALIDATION_FAILED', { field });
  expect(await keyOf(bob.wallet)).toBeNull();
});

test('a revocation under one key happens once, whatever comes after it', async () => {
  const { writer, vault, enrol, revokeKey } = await organization();
  const bob = await writer([vault]);
  const options = { headers: { 'idempotency-key': randomUUID() } };
  const first = await revokeKey(bob.principalId, {}, undefined, options);
  await enrol(bob.principalId, 'another');
  expect((await revokeKey(bob.principalId, {}, undefined, options)).body).toEqual(first.body);
  expect(await keyOf(bob.wallet)).toMatchObject({ ek_fingerprint: 'another' });
});
