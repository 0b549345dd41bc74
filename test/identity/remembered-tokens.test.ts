import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { KeyRing } from '../../core/keys.ts';
import { makeProjectKey, readProjectKey } from '../../resolvers/identity/shared/project-keys.ts';
import { accessSeconds, readSessionToken, signSessionToken } from '../../resolvers/identity/shared/session-token.ts';
import { verifyToken } from '../../resolvers/identity/verify-token.ts';

const typ = 'svc.control-plane-session+jwt';
const at = new Date(1_800_000_000_000);
const after = (seconds: number) => new Date(at.getTime() + seconds * 1000);
const session = { id: 'ses_1', kind: 'control_plane', subject: 'prn_1', provenance: 'p', amrTimes: {} } as const;

test('a bearer that was read before still ends with its time, to the second', async () => {
  const keys = new KeyRing(randomBytes(32));
  const token = await signSessionToken(keys, session, at);
  for (const seconds of [0, 1, accessSeconds.control_plane - 1]) {
    expect(await readSessionToken(keys, token, typ, after(seconds))).toMatchObject({ sessionId: 'ses_1' });
  }
  expect(await readSessionToken(keys, token, typ, after(accessSeconds.control_plane))).toBeUndefined();
});

test('what one installation or purpose has read is nothing to another', async () => {
  const [keys, strange] = [new KeyRing(randomBytes(32)), new KeyRing(randomBytes(32))];
  const token = await signSessionToken(keys, session, at);
  expect(await readSessionToken(keys, token, typ, at)).toBeDefined();
  expect(await readSessionToken(strange, token, typ, at)).toBeUndefined();
  const audience = 'svc.control-plane.v1';
  expect(await verifyToken(keys, 'session-tokens', token, { typ, audience, currentDate: at })).toBeDefined();
  expect(await verifyToken(keys, 'project-keys', token, { typ, audience, currentDate: at })).toBeUndefined();
  expect(await verifyToken(keys, 'session-tokens', token, { typ, audience: 'x', currentDate: at })).toBeUndefined();
});

test('a bearer is verified once, however often it is sent', async () => {
  const keys = new KeyRing(randomBytes(32));
  const token = await signSessionToken(keys, session, at);
  const demands = { typ, currentDate: at };
  const claims = await verifyToken(keys, 'session-tokens', token, demands);
  expect(await verifyToken(keys, 'session-tokens', token, demands)).toBe(claims);
});

test('a project key stays readable, whatever the time', async () => {
  const keys = new KeyRing(randomBytes(32));
  const key = await makeProjectKey(keys, { id: 'prj_1', createdAt: at, transferredAt: null }, 'anon');
  for (const now of [at, after(1e8)]) {
    expect(await readProjectKey(keys, key, now)).toEqual({
      projectId: 'prj_1',
      role: 'anon',
      issuedAt: Math.floor(at.getTime() / 1_000),
      credentialId: undefined,
      expiresAt: null,
    });
  }
});
