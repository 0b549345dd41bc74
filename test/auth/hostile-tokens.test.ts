import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { calculateJwkThumbprint, type JWK } from 'jose';
import { afterAll, expect, test } from 'vitest';
import { findProjectTarget } from '../../kernel/access/project-target.ts';
import { signingKeys } from '../../resolvers/auth/signing-keys.ts';
import { expectRefusal } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { authProject, claimsOf, expectNoSecretLogged } from './auth-project.ts';

const service = await sharedService();
const project = await authProject(
  service,
  'create table notes (id int primary key); grant select on notes to authenticated',
);
const other = await authProject(service);
afterAll(async () => {
  expectNoSecretLogged(service);
  await project.end();
  await other.end();
  await service.stop();
});

const { services } = service.app;
const user = await project.signedIn();
const claims = claimsOf(user.access_token);
const own = await signingKeys(services, await findProjectTarget(services, project.projectId));
await other.signedIn();
const others = await signingKeys(services, await findProjectTarget(services, other.projectId));
const published: JWK = own.published[0]!;
const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const strangersJwk = stranger.publicKey.export({ format: 'jwk' }) as JWK;
const now = Math.floor(Date.now() / 1000);

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const head = { alg: 'ES256', typ: 'JWT', kid: own.kid };
/** A token with the signature of a key. */
function signed(header: object, body: object, key: KeyObject = own.signing): string {
  const text = `${part(header)}.${part(body)}`;
  return `${text}.${sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}
/** A token with a MAC made from what everybody may know. */
function maced(header: object, secret: string | Buffer, hash = 'sha256'): string {
  const text = `${part(header)}.${part(claims)}`;
  return `${text}.${createHmac(hash, secret).update(text).digest('base64url')}`;
}
const publicKey = own.verifying.get(own.kid)!;
const pem = publicKey.export({ type: 'spki', format: 'pem' }) as string;

const { email: _email, ...anonymous } = claims;
const without = (name: string) => Object.fromEntries(Object.entries(anonymous).filter(([one]) => one !== name));

const hostile: Record<string, string> = {
  'alg none': `${part({ alg: 'none', typ: 'JWT' })}.${part(claims)}.`,
  'alg none, with a key id': `${part({ ...head, alg: 'none' })}.${part(claims)}.`,
  'alg nOnE with the signature': `${part({ ...head, alg: 'nOnE' })}.${user.access_token.split('.').slice(1).join('.')}`,
  'ES256 without a signature': `${part(head)}.${part(claims)}.`,
  'a signature of nothing but zeros': `${part(head)}.${part(claims)}.${Buffer.alloc(64).toString('base64url')}`,
  'HS256 with the public key as PEM': maced({ ...head, alg: 'HS256' }, pem),
  'HS256 with the public key as DER': maced(
    { ...head, alg: 'HS256' },
    publicKey.export({ type: 'spki', format: 'der' }),
  ),
  'HS256 with the published JWK': maced({ ...head, alg: 'HS256' }, JSON.stringify(published)),
  'HS256 with the x of the JWK': maced({ ...head, alg: 'HS256' }, Buffer.from(published.x!, 'base64url')),
  'HS256 with an empty secret': maced({ ...head, alg: 'HS256' }, ''),
  'HS512 with the public key': maced({ ...head, alg: 'HS512' }, pem, 'sha512'),
  'HS256 with the anon key': maced({ ...head, alg: 'HS256' }, project.anonKey),
  'ES256 with a MAC': maced(head, pem),
  'the key of a stranger under our key id': signed(head, claims, stranger.privateKey),
  'the key of a stranger under its own id': signed(
    { ...head, kid: await calculateJwkThumbprint(strangersJwk) },
    claims,
    stranger.privateKey,
  ),
  'the key of a stranger, brought along': signed({ ...head, jwk: strangersJwk }, claims, stranger.privateKey),
  'the key of a stranger at an address': signed(
    { ...head, jku: `${service.url}/keys.json`, x5u: `${service.url}/keys.pem` },
    claims,
    stranger.privateKey,
  ),
  'the key of another project under its id': signed({ ...head, kid: others.kid }, claims, others.signing),
  'the key of another project under ours': signed(head, claims, others.signing),
  'no key id': signed({ alg: 'ES256', typ: 'JWT' }, claims),
  'a key id that is a path': signed({ ...head, kid: '../../../../dev/null' }, claims),
  'a key id that is SQL': signed({ ...head, kid: `' or true --` }, claims),
  'a key id that is an object': signed({ ...head, kid: { toString: own.kid } }, claims),
  'a key id of the prototype': signed({ ...head, kid: '__proto__' }, claims),
  'a demand that nobody understands': signed({ ...head, crit: ['b64'], b64: false }, claims),
  'another type': signed({ ...head, typ: 'svc.control-plane-session+jwt' }, claims),
  'another issuer': signed(head, { ...claims, iss: 'https://evil.example' }),
  'no end': signed(head, without('exp')),
  'an end that has come': signed(head, { ...claims, exp: now }),
  'an end in words': signed(head, { ...claims, exp: 'tomorrow' }),
  'a beginning to come': signed(head, { ...claims, nbf: now + 3_600 }),
  'no session': signed(head, without('session_id')),
  'no user': signed(head, without('sub')),
  'no role': signed(head, without('role')),
  'no version of its rights': signed(head, without('authz_version')),
  'another project': signed(head, { ...claims, project_id: other.projectId }),
  'no project': signed(head, without('project_id')),
  'a project that is a list': signed(head, { ...claims, project_id: [project.projectId] }),
  'a session of nobody': signed(head, { ...claims, session_id: crypto.randomUUID() }),
  'a session of somebody else': signed(head, { ...claims, sub: crypto.randomUUID() }),
};

test('the same claims, signed as they are, are good: what is refused below is refused for its fault alone', async () => {
  const good = signed(head, claims);
  expect((await project.auth('GET', '/auth/v1/user', { bearer: good })).status).toBe(200);
  const rows = await service.call(service.actors.apikey(good), 'GET', '/rest/v1/notes');
  expect(rows.status).toBe(200);
});

test.each(Object.keys(hostile))('a token with %s is refused, at every door', async (name) => {
  const token = hostile[name]!;
  for (const key of [project.anonKey, project.serviceKey, token]) {
    const answers = [
      await project.auth('GET', '/auth/v1/user', { bearer: token, key }),
      await project.auth('POST', '/auth/v1/logout?scope=global', { bearer: token, key }),
      await service.call(service.actors.nobody, 'GET', '/rest/v1/notes', {
        headers: { apikey: key === project.serviceKey ? project.anonKey : key, authorization: `Bearer ${token}` },
      }),
    ];
    for (const answer of answers) {
      // Whose project it says it is comes first, and is no secret.
      if (name === 'another project' && key !== token)
        expect(answer).toMatchObject({ status: 403, body: { code: 'FORBIDDEN', error: 'project_token_mismatch' } });
      else expectRefusal(answer, 'INVALID_AUTH');
      expect(answer.headers.get('www-authenticate')).toBe(
        name === 'another project' && key !== token ? null : 'Bearer',
      );
    }
  }
  expect((await project.auth('GET', '/auth/v1/user', { bearer: user.access_token })).status).toBe(200);
});

test('a token that was good ends to the second, also where it is remembered', async () => {
  const { access_token: bearer } = await project.signedIn();
  const { exp } = claimsOf(bearer);
  const clock = services as { now: () => Date };
  const real = clock.now;
  const at = async (second: number) => {
    clock.now = () => new Date(second * 1000);
    try {
      return (await project.auth('GET', '/auth/v1/user', { bearer })).status;
    } finally {
      clock.now = real;
    }
  };
  expect([await at(exp - 3_600), await at(exp - 1), await at(exp), await at(exp + 1e6)]).toEqual([200, 200, 401, 401]);
  // A clock that is set back brings nothing to life that ended in the database.
  await project.auth('POST', '/auth/v1/logout', { bearer });
  expect(await at(exp - 3_000)).toBe(401);
});

test('keys that were replaced are published as long as their tokens are good, and no longer', async () => {
  const keys = async (path: string, options = {}) =>
    (await project.auth('GET', path, options)).body.keys.map(({ kid }: JWK) => kid);
  expect(await keys('/internal/v1/project-jwt-keys', { bearer: project.serviceKey })).toEqual([own.kid]);
  // Public keys are for whoever has any key of the project.
  expect(await keys('/auth/v1/.well-known/jwks.json')).toEqual([own.kid]);
  for (const key of own.published)
    expect(Object.keys(key).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
  expectRefusal(await project.auth('GET', '/internal/v1/project-jwt-keys'), 'FORBIDDEN');
  expectRefusal(await project.auth('GET', '/internal/v1/project-jwt-keys', { bearer: user.access_token }), 'FORBIDDEN');
  const nobodys = await service.call(service.actors.nobody, 'GET', '/auth/v1/.well-known/jwks.json');
  expectRefusal(nobodys, 'AUTH_REQUIRED');
});
