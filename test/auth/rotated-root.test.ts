import { randomBytes, randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { KeyRing } from '../../core/keys.ts';
import { codeHashesOf, codeHashOf } from '../../resolvers/auth/mail-grant.ts';
import { successorsOf } from '../../resolvers/auth/refresh-session.ts';
import { newState, passageOf } from '../../resolvers/auth/shared/social-secrets.ts';

// A root secret is rotated while mails are on their way and users are at their providers.

const [old, next] = [randomBytes(32), randomBytes(32)];
const before = { keys: new KeyRing(old) };
const rotated = { keys: new KeyRing(next, old) };
const after = { keys: new KeyRing(next) };

test('a code that was mailed under the root before is still known, until that root is forgotten', () => {
  const id = randomUUID();
  const kept = codeHashOf(before, id, '123456');
  expect(codeHashesOf(rotated, id, '123456')).toContain(kept);
  expect(codeHashesOf(rotated, id, '123457')).not.toContain(kept);
  expect(codeHashesOf(after, id, '123456')).not.toContain(kept);
});

test('a social sign-in ends with the secrets that it began with', () => {
  for (let times = 0; times < 20; times++) {
    const state = newState(before, 'prj_x');
    const passage = passageOf(before, state, 'http://localhost/');
    expect(passageOf(rotated, state, 'http://localhost/')).toEqual(passage);
    expect(passageOf(after, state, 'http://localhost/')).not.toEqual(passage);
    const fresh = newState(rotated, 'prj_x');
    expect(passageOf(rotated, fresh, 'http://localhost/')).toEqual(passageOf(after, fresh, 'http://localhost/'));
  }
});

test('a refresh that was answered under the root before is answered again with the same successor', () => {
  const project = { projectId: 'prj_x' };
  const [traded] = successorsOf(before, project, 'svcr_given');
  expect(successorsOf(rotated, project, 'svcr_given')).toContain(traded);
  expect(successorsOf(after, project, 'svcr_given')).not.toContain(traded);
  expect(successorsOf(before, project, 'svcr_another')).not.toContain(traded);
  expect(successorsOf(before, { projectId: 'prj_y' }, 'svcr_given')).not.toContain(traded);
});
