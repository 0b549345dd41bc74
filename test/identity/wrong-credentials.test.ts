import { createHash, createHmac, randomBytes, randomUUID } from 'node:crypto';
import { decodeProtectedHeader, SignJWT } from 'jose';
import { afterAll, expect, test } from 'vitest';
import { KeyRing } from '../../core/keys.ts';
import { makeProjectKey } from '../../resolvers/identity/shared/project-keys.ts';
import { signSessionToken } from '../../resolvers/identity/shared/session-token.ts';
import { type Actor, withHeaders } from '../helpers/actors.ts';
import type { Service } from '../helpers/service.ts';
import { sharedService } from '../helpers/shared-service.ts';

const service = await sharedService();
afterAll(() => service.stop());

const { actors, control } = service;
const { keys } = service.app.services;
const strangeKeys = new KeyRing(randomBytes(32));
const now = () => new Date();

const mutation = 'mutation { createOrganization(input: {}) { id } }';

/** The code with which every door turns a credential away; fails when the doors do not agree. */
async function refusalOf(actor: Actor): Promise<string> {
  const before = await counts();
  const read = await service.call<{ code: string }>(actor, 'GET', '/agent/v1/whoami');
  const change = await service.call<{ code: string }>(actor, 'POST', '/orgs/v1', { body: {} });
  const graphRead = await service.graphql(actor, '{ whoami { __typename } }');
  const graphChange = await service.graphql(actor, mutation);
  const codes = [
    read.body.code,
    change.body.code,
    graphRead.errors?.[0]?.extensions.code,
    graphChange.errors?.[0]?.extensions.code,
  ];
  expect([read.status, change.status]).toEqual([401, 401]);
  expect([graphRead.data, graphChange.data]).toEqual([{ whoami: null }, { createOrganization: null }]);
  expect(new Set(codes).size, String(codes)).toBe(1);
  expect(await counts()).toEqual(before);
  return read.body.code;
}

/** A refused credential leaves nothing behind. */
const counts = () =>
  control.sql('select (select count(*) from principals) as principals, (select count(*) from orgs) as orgs');

const bearer = (token: string) => withHeaders({ authorization: `Bearer ${token}` });

/** Tokens that differ from a good one in one character, at every place where it counts. */
function tampered(token: string): string[] {
  const places = [...token].map((character, at) => {
    const other = character === '.' ? 'x' : character === 'A' ? 'B' : 'A';
    return token.slice(0, at) + other + token.slice(at + 1);
  });
  const last = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=+/']
    .filter((character) => character !== token.at(-1))
    .map((character) => token.slice(0, -1) + character);
  return [
    ...places,
    ...last,
    token.slice(0, -1),
    token.slice(1),
    `${token}A`,
    `${token}=`,
    `${token}.`,
    `.${token}`,
    `${token}.${token}`,
    token.split('.').slice(0, 2).join('.'),
    `${token.split('.').slice(0, 2).join('.')}.`,
    token.split('.').reverse().join('.'),
    token.toUpperCase(),
    token.toLowerCase(),
    `"${token}"`,
    `${token.slice(0, 10)}%41${token.slice(10)}`,
  ].filter((text) => text !== token);
}

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const reread = (token: string, index: number) =>
  JSON.parse(Buffer.from(token.split('.')[index]!, 'base64url').toString()) as Record<string, unknown>;

/** The same claims under another header, unsigned or signed with what an attacker may know. */
function forged(token: string): string[] {
  const [header, payload, signature] = token.split('.') as [string, string, string];
  const known = reread(token, 0);
  const signed = (head: unknown, secret: string | Buffer, digest = 'sha256') => {
    const text = `${part(head)}.${payload}`;
    return `${text}.${createHmac(digest, secret).update(text).digest('base64url')}`;
  };
  return [
    ...['none', 'None', 'NONE', 'nOnE', '', null].flatMap((alg) => [
      `${part({ ...known, alg })}.${payload}.`,
      `${part({ ...known, alg })}.${payload}.${signature}`,
    ]),
    `${header}.${payload}.`,
    `${part({ ...known, alg: 'HS512' })}.${payload}.${signature}`,
    `${part({ ...known, alg: 'RS256' })}.${payload}.${signature}`,
    `${part({ ...known, crit: ['b64'], b64: false })}.${payload}.${signature}`,
    `${part({ ...known, crit: ['exp'] })}.${payload}.${signature}`,
    signed(known, ''),
    signed(known, 'secret'),
    signed(known, Buffer.alloc(32)),
    signed({ ...known, jwk: { kty: 'oct', k: part('k') } }, 'k'),
    signed({ ...known, kid: '../../dev/null' }, ''),
    signed({ ...known, alg: 'HS512' }, keys.key('project-keys'), 'sha512'),
    signed({ ...known, alg: 'HS512' }, keys.key('session-tokens'), 'sha512'),
  ];
}

test.each([
  ['no scheme', 'sesame'],
  ['another scheme', 'Basic YWRhOmFkYQ=='],
  ['a scheme alone', 'Bearer'],
  ['two tokens', 'Bearer one two'],
  ['a token outside ASCII', 'Bearer caf\u00e9'],
  ['nothing', ''],
  ['10 KB', `Bearer ${'x'.repeat(10_240)}`],
  ['a delegate prefix alone', 'Bearer svcdt_'],
  ['a delegate prefix and 10 KB', `Bearer svcdt_${'x'.repeat(10_240)}`],
  ['dots', 'Bearer ..'],
  ['a JSON object', `Bearer ${part({})}.${part({})}.`],
])('an Authorization header with %s is INVALID_AUTH', async (_case, authorization) => {
  expect(await refusalOf(withHeaders({ authorization }))).toBe('INVALID_AUTH');
});

test.each(['sign-in-with-x', 'apikey', 'x-admin-key'])('a %s header that is garbage is INVALID_AUTH', async (name) => {
  for (const value of ['', 'sesame', 'x'.repeat(10_240), '{}', 'e30=', '\u00ff']) {
    expect(await refusalOf(withHeaders({ [name]: value }))).toBe('INVALID_AUTH');
  }
});

test('the admin key is known in one spelling only', async () => {
  const good = (await actors.admin.headers('/')) as { 'x-admin-key': string };
  const { status } = await service.call(actors.admin, 'GET', '/mail/v1/admin/outbox');
  expect(status).toBe(200);
  const key = good['x-admin-key'];
  for (const wrong of [key.slice(1), `${key}x`, key.toLowerCase(), createHash('sha256').update(key).digest('hex')]) {
    expect(await refusalOf(withHeaders({ 'x-admin-key': wrong }))).toBe('INVALID_AUTH');
  }
});

test.each(['anon', 'service_role'] as const)('a tampered, forged or foreign %s key is INVALID_AUTH', async (role) => {
  const { projectId, anonKey, serviceKey } = await service.project();
  const key = role === 'anon' ? anonKey : serviceKey;
  const other = role === 'anon' ? serviceKey : anonKey;
  const claims = { iss: 'svc', project_id: projectId, role, iat: 1 };
  const sign = (body: Record<string, unknown>, typ = 'JWT', ring = keys) =>
    new SignJWT(body).setProtectedHeader({ alg: 'HS256', typ }).sign(ring.key('project-keys'));
  const wrong = [
    ...tampered(key),
    ...forged(key),
    // Claims of one key under the signature of the other.
    [...key.split('.').slice(0, 2), other.split('.')[2]].join('.'),
    await makeProjectKey(strangeKeys, { id: projectId, createdAt: now(), transferredAt: null }, role),
    await makeProjectKey(keys, { id: 'prj_nobody', createdAt: now(), transferredAt: null }, role),
    await sign({ ...claims, iss: 'somebody' }),
    await sign({ ...claims, role: 'postgres' }),
    await sign({ ...claims, role: [role] }),
    await sign({ ...claims, project_id: [projectId] }),
    await sign({ ...claims, exp: 1 }),
    await sign(claims, 'at+jwt'),
    await sign(claims, 'svc.control-plane-session+jwt'),
  ];
  for (const token of wrong) {
    for (const actor of [bearer(token), actors.apikey(token)]) {
      const { status, body } = await service.call<{ code: string }>(actor, 'GET', `/projects/v1/${projectId}`);
      expect({ status, code: body.code }, token).toEqual({ status: 401, code: 'INVALID_AUTH' });
    }
  }
  expect(await refusalOf(bearer(wrong[0]!))).toBe('INVALID_AUTH');
});

test('the keys of a deleted project are INVALID_AUTH', async () => {
  const { projectId, anonKey, serviceKey } = await service.project();
  const read = () => service.call(bearer(serviceKey), 'GET', `/projects/v1/${projectId}`);
  expect((await read()).status).toBe(200);
  await control.sql('update projects set deleted_at = now() where id = $1', [projectId]);
  for (const key of [anonKey, serviceKey]) {
    expect(await refusalOf(bearer(key))).toBe('INVALID_AUTH');
    expect(await refusalOf(actors.apikey(key))).toBe('INVALID_AUTH');
  }
});

const kinds = [
  ['control_plane', 'INVALID_AUTH', 900],
  ['operator', 'OPERATOR_SESSION_INVALID', 1800],
] as const;

test.each(kinds)('a tampered or forged %s token is refused', async (kind, code) => {
  const { token } = await actors.session({ kind });
  const { status } = await service.call(bearer(token), 'GET', '/agent/v1/whoami');
  expect(status).toBe(200);
  for (const wrong of [...tampered(token), ...forged(token)]) {
    const answer = await service.call<{ code: string }>(bearer(wrong), 'GET', '/agent/v1/whoami');
    // Without a readable `typ` nobody can say which kind of token it was meant to be.
    const readable = typOf(wrong) === typOf(token);
    expect([answer.status, answer.body.code], wrong).toEqual([401, readable ? code : 'INVALID_AUTH']);
  }
});

function typOf(token: string): unknown {
  try {
    return decodeProtectedHeader(token).typ;
  } catch {
    return undefined;
  }
}

test.each(kinds)('a %s token ends with its session, its principal and its time', async (kind, code, seconds) => {
  const ends: Record<string, (session: Awaited<ReturnType<Service['actors']['session']>>) => Promise<unknown>> = {
    revoked: ({ sessionId }) => control.sql('update sessions set revoked_at = now() where id = $1', [sessionId]),
    'past its last hour': ({ sessionId }) =>
      control.sql('update sessions set absolute_expires_at = now() where id = $1', [sessionId]),
    disabled: ({ principalId }) =>
      control.sql('update principals set disabled_at = now() where id = $1', [principalId]),
    deleted: ({ sessionId }) => control.sql('delete from sessions where id = $1', [sessionId]),
  };
  for (const [how, end] of Object.entries(ends)) {
    const session = await actors.session({ kind, passkeyAgeSeconds: 1 });
    expect((await service.call(session, 'GET', '/agent/v1/whoami')).status, how).toBe(200);
    await end(session);
    expect(await refusalOf(session), how).toBe(code);
  }

  const { principalId, sessionId: id } = await actors.session({ kind });
  const [row] = await control.sql<{ email: string }>('select email from sessions where id = $1', [id]);
  const subject = kind === 'operator' ? row!.email : principalId;
  const mint = (at: Date, over = {}, ring = keys) =>
    signSessionToken(ring, { id, kind, subject, provenance: 'loopback_pkce', amrTimes: {}, ...over }, at);
  const ago = (elapsed: number) => new Date(Date.now() - elapsed * 1000);
  expect((await service.call(bearer(await mint(ago(seconds - 60))), 'GET', '/agent/v1/whoami')).status).toBe(200);
  expect(await refusalOf(bearer(await mint(ago(seconds + 1))))).toBe(code);
  expect(await refusalOf(bearer(await mint(now(), {}, strangeKeys)))).toBe(code);
  expect(await refusalOf(bearer(await mint(now(), { id: 'ses_nobody' })))).toBe(code);
  const stranger = await actors.session({ kind });
  expect(await refusalOf(bearer(await mint(now(), { subject: stranger.principalId })))).toBe(code);
  // The row of one kind of session does not serve a token of the other.
  const otherKind = kind === 'operator' ? 'control_plane' : 'operator';
  const otherCode = kind === 'operator' ? 'INVALID_AUTH' : 'OPERATOR_SESSION_INVALID';
  expect(await refusalOf(bearer(await mint(now(), { kind: otherKind })))).toBe(otherCode);
});

test.each(kinds)('a %s token with a foreign typ or audience, or without its claims, is refused', async (kind, code) => {
  const { token } = await actors.session({ kind });
  const header = reread(token, 0) as { alg: string; typ: string };
  const claims = reread(token, 1);
  const sign = (over: Record<string, unknown>, typ = header.typ) =>
    new SignJWT({ ...claims, ...over }).setProtectedHeader({ alg: 'HS256', typ }).sign(keys.key('session-tokens'));
  expect((await service.call(bearer(await sign({})), 'GET', '/agent/v1/whoami')).status).toBe(200);
  for (const over of [
    { aud: 'svc.agent.v2' },
    { aud: kind === 'operator' ? 'svc.control-plane.v1' : 'svc.agent.v1.operator' },
    { aud: undefined },
    { jti: undefined },
    { sub: undefined },
    { exp: undefined },
    { exp: 'tomorrow' },
    { nbf: Math.floor(Date.now() / 1000) + 60 },
  ]) {
    expect(await refusalOf(bearer(await sign(over))), JSON.stringify(over)).toBe(code);
  }
  expect(await refusalOf(bearer(await sign({}, 'JWT')))).toBe('INVALID_AUTH');
  expect(await refusalOf(bearer(await sign({}, `application/${header.typ}`)))).toBe('INVALID_AUTH');
});

test('a delegate token ends with itself, its grant, its principal and its project', async () => {
  const ends: Record<string, (delegate: Awaited<ReturnType<Service['actors']['delegate']>>) => Promise<unknown>> = {
    revoked: ({ delegateId }) => control.sql('update delegates set revoked_at = now() where id = $1', [delegateId]),
    expired: ({ delegateId }) => control.sql('update delegates set expires_at = now() where id = $1', [delegateId]),
    'without its grant': ({ grantId }) =>
      control.sql('update project_grants set revoked_at = now() where id = $1', [grantId]),
    'past its grant': ({ grantId }) =>
      control.sql('update project_grants set expires_at = now() where id = $1', [grantId]),
    disabled: ({ principalId }) =>
      control.sql('update principals set disabled_at = now() where id = $1', [principalId]),
    rotated: ({ delegateId }) =>
      control.sql('update delegates set token_hash = $2 where id = $1', [delegateId, randomUUID()]),
  };
  const { orgId, projectId } = await service.project();
  const delegate = () => actors.delegate({ orgId, projectId, capabilities: ['read'] });
  for (const [how, end] of Object.entries(ends)) {
    const actor = await delegate();
    expect((await service.call(actor, 'GET', `/projects/v1/${projectId}`)).status, how).toBe(200);
    await end(actor);
    expect(await refusalOf(actor), how).toBe('INVALID_AUTH');
  }
  const { token } = await delegate();
  for (const wrong of tampered(token)) {
    const answer = await service.call<{ code: string }>(bearer(wrong), 'GET', '/agent/v1/whoami');
    expect([answer.status, answer.body.code], wrong).toEqual([401, 'INVALID_AUTH']);
  }
  const last = await delegate();
  await control.sql('update projects set deleted_at = now() where id = $1', [projectId]);
  expect(await refusalOf(last)).toBe('INVALID_AUTH');
});

test('a wallet whose principal is disabled, or whose key was taken from it, is INVALID_AUTH', async () => {
  const disable = 'update principals set disabled_at = now() where id = $1';
  const revoke = 'update authenticators set revoked_at = now() where principal_id = $1';
  for (const end of [disable, revoke]) {
    const { wallet, principalId } = await service.owner();
    await control.sql(end, [principalId]);
    expect(await refusalOf(wallet)).toBe('INVALID_AUTH');
  }
});

test('a wallet message that is old, changed, for another host or signed by somebody else is INVALID_AUTH', async () => {
  const wallet = actors.wallet();
  const other = actors.wallet();
  const message = { ...decoded(await wallet.sign()) };
  const wrong = [
    await wallet.sign({ now: new Date(Date.now() - 10 * 60_000) }),
    await wallet.sign({ now: new Date(Date.now() + 10 * 60_000) }),
    await wallet.sign({ overrides: { domain: 'api.example.com' } }),
    await wallet.sign({ overrides: { uri: 'https://api.example.com/' } }),
    await wallet.sign({ tamper: { address: other.checksumAddress } }),
    await wallet.sign({ tamper: { signature: decoded(await other.sign()).signature } }),
    ...Object.keys(message).map((name) => encoded({ ...message, [name]: undefined })),
    ...Object.keys(message).map((name) => encoded({ ...message, [name]: `${String(message[name])}0` })),
  ];
  for (const header of wrong) {
    const actor = withHeaders({ 'sign-in-with-x': header });
    const answer = await service.call<{ code: string }>(actor, 'GET', '/agent/v1/whoami');
    // A message needs no expiration time; without it the signature covers another text.
    expect([answer.status, answer.body.code], JSON.stringify(decoded(header))).toEqual([401, 'INVALID_AUTH']);
  }
  expect(await refusalOf(withHeaders({ 'sign-in-with-x': wrong[0]! }))).toBe('INVALID_AUTH');
});

const decoded = (header: string) => JSON.parse(Buffer.from(header, 'base64').toString()) as Record<string, unknown>;
const encoded = (message: unknown) => Buffer.from(JSON.stringify(message)).toString('base64');
