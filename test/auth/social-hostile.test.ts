import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { expectRefusal } from '../helpers/documented.ts';
import { oidcClient } from '../helpers/oidc-server.ts';
import { startService } from '../helpers/service.ts';
import { authProject, expectNoSecretLogged } from './auth-project.ts';
import { type Lies, startHostileProvider } from './hostile-provider.ts';
import { socialApp, verifierOf } from './social-app.ts';

const hostile = await startHostileProvider();
// A provider whose metadata is not remembered yet, for each lie in it.
const fresh = await Promise.all(Array.from({ length: 6 }, startHostileProvider));
/** What nobody may make the gateway ask: it counts who does. */
const inside = createServer((request, response) => {
  reached.push(request.url!);
  response.end('{}');
});
const reached: string[] = [];
inside.listen(0, '127.0.0.1');
await once(inside, 'listening');
const insideUrl = `http://127.0.0.1:${(inside.address() as AddressInfo).port}`;
const closed = createServer().listen(0, '127.0.0.1');
await once(closed, 'listening');
const closedUrl = `http://localhost:${(closed.address() as AddressInfo).port}`;
closed.close();

const configured = [
  { id: 'hostile', issuer: hostile.issuer },
  { id: 'down', issuer: closedUrl },
  { id: 'private', issuer: 'https://169.254.169.254' },
  ...fresh.map(({ issuer }, index) => ({ id: `fresh-${index}`, issuer })),
].map((one) => ({ ...one, ...oidcClient, display_name: one.id }));
const service = await startService({ env: { OIDC_PROVIDERS: JSON.stringify(configured) } });
const project = await authProject(service);
const app = socialApp(project);
afterAll(async () => {
  expectNoSecretLogged(service);
  const log = JSON.stringify(service.logged());
  for (const secret of [oidcClient.client_secret, 'of the provider', 'hunter2']) expect(log).not.toContain(secret);
  await project.end();
  await service.stop();
  for (const one of [hostile, ...fresh]) await one.stop();
  inside.close();
});

/** What the application gets when the provider lies. */
async function returned(lies: Lies): Promise<Record<string, string>> {
  const verifier = verifierOf();
  const { body } = await app.start(verifier, { provider: 'hostile' });
  const given = await app.arrive(hostile.authorize(body.authorization_url, lies));
  return { ...given, verifier };
}
const lastFault = () => service.logged().findLast(({ provider }) => provider !== undefined);

test('a provider that tells no lie signs in, its key looked at', async () => {
  const { code, verifier } = await returned({});
  expect((await app.trade(code!, verifier!)).status).toBe(200);
  expect(hostile.asked).toContain('/keys');
});

const now = Math.floor(Date.now() / 1000);
test.each<[string, Lies]>([
  ['signed by a key that was not published', { signedBy: 'stranger' }],
  ['not signed', { signedBy: 'none' }],
  ['signed with the secret of the client', { signedBy: 'hmac' }],
  ['that names a key nobody published', { header: { kid: 'two' } }],
  ['for another sign-in', { claims: { nonce: 'of another' } }],
  ['without a nonce', { claims: { nonce: undefined } }],
  ['for another client', { claims: { aud: 'another' } }],
  ['for several clients, and given to another', { claims: { aud: ['svc', 'another'], azp: 'another' } }],
  ['of another issuer', { claims: { iss: 'https://accounts.google.com' } }],
  ['that has expired', { claims: { iat: now - 7_200, exp: now - 3_600 } }],
  ['that never expires', { claims: { exp: undefined } }],
  ['of nobody', { claims: { sub: undefined } }],
  ['of somebody without a name', { claims: { sub: '' } }],
  ['of a subject with a NUL', { claims: { sub: 'a\0b' } }],
  ['of a subject that is too long', { claims: { sub: 'x'.repeat(256) } }],
  [
    'that is missing',
    {
      token: (_request, response) => hostile.json(response, { access_token: 'of the provider', token_type: 'Bearer' }),
    },
  ],
  [
    'whose user information is somebody else’s',
    {
      claims: { email: undefined },
      userinfo: (_request, response) =>
        hostile.json(response, { sub: 'another', email: 'ada@example.com', email_verified: true }),
    },
  ],
  [
    'that a refusal stands for',
    { token: (_request, response) => hostile.json(response, { error: 'hunter2', error_description: 'hunter2' }, 400) },
  ],
])('an ID token %s signs nobody in', async (_case, lies) => {
  const { verifier: _verifier, ...given } = await returned(lies);
  expect(given).toEqual({ error: 'token_exchange_failed', state: expect.any(String) });
  expect(lastFault()).toMatchObject({ provider: 'hostile', fault: 'token_exchange_failed' });
});

test.each<[string, Lies['token']]>([
  ['fails', (_request, response) => void response.writeHead(500).end('hunter2')],
  ['breaks off', (request) => void request.socket.destroy()],
  [
    'answers without end',
    (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const more = () => {
        while (!response.destroyed && response.write(' '.repeat(65_536)));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    },
  ],
])('a provider that %s is unavailable', async (_case, token) => {
  const { verifier: _verifier, ...given } = await returned({ token: token! });
  expect(given).toEqual({ error: 'provider_unavailable', state: expect.any(String) });
});

test('a token endpoint that redirects is not followed', async () => {
  const token: Lies['token'] = (_request, response) =>
    void response.writeHead(307, { location: `${insideUrl}/r` }).end();
  expect(await returned({ token })).toMatchObject({ error: 'token_exchange_failed' });
  expect(reached).toEqual([]);
});

test('the address and the word for it come from one place, so that neither lends the other weight', async () => {
  const given = await returned({
    claims: { email: undefined, email_verified: true },
    userinfo: (request, response) => {
      expect(request.headers.authorization).toBe('Bearer of the provider');
      hostile.json(response, { sub: hostile.subject(), email: 'root@example.com', email_verified: false });
    },
  });
  expectRefusal(await app.trade(given.code!, given.verifier!), 'FORBIDDEN', { reason: 'email_unverified' });
});

test('what a user is shown to others as is text and an https picture, or nothing', async () => {
  const claims = { name: ` Ada\u0000\n${'x'.repeat(300)}`, picture: 'javascript:alert(1)' };
  const { code, verifier } = await returned({ claims });
  const { body } = await app.trade(code!, verifier!);
  expect(body.user).toMatchObject({ display_name: `Ada  ${'x'.repeat(195)}`, avatar_url: null });
});

test.each([
  ['another issuer', 0, { issuer: 'https://accounts.google.com' }],
  ['a sign-in page by another scheme', 1, { authorization_endpoint: 'javascript:alert(1)' }],
])('metadata that names %s is refused at the start', async (_case, index, metadata) => {
  fresh[index]!.tell({ metadata });
  const refused = await app.start(verifierOf(), { provider: `fresh-${index}` });
  expectRefusal(refused, 'UPSTREAM_UNAVAILABLE', { provider: `fresh-${index}` });
});

test.each([
  ['plain http of another port', 2, `${insideUrl}/token`],
  ['https of a private address', 3, `https://127.0.0.1:${insideUrl.split(':')[2]}/token`],
  ['https of a private name', 4, `https://localhost:${insideUrl.split(':')[2]}/token`],
  ['the metadata of a cloud', 5, 'http://169.254.169.254/latest/meta-data/'],
])('a provider cannot have the gateway ask %s', async (_case, index, token_endpoint) => {
  const one = fresh[index]!;
  const lies = { metadata: { token_endpoint } };
  one.tell(lies);
  const { body } = await app.start(verifierOf(), { provider: `fresh-${index}` });
  expect(await app.arrive(one.authorize(body.authorization_url, lies))).toMatchObject({
    error: 'provider_unavailable',
  });
  expect(reached).toEqual([]);
});

test('a provider that is down, or where none may be, is a 503 and asked again the next time', async () => {
  for (const provider of ['down', 'private'])
    expectRefusal(await app.start(verifierOf(), { provider }), 'UPSTREAM_UNAVAILABLE', { provider });
  const late = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ issuer: closedUrl, authorization_endpoint: `${closedUrl}/authorize` }));
  });
  late.listen(Number(new URL(closedUrl).port), '127.0.0.1');
  await once(late, 'listening');
  expect((await app.start(verifierOf(), { provider: 'down' })).status).toBe(200);
  late.close();
});

test('what a provider says by way of the browser is handed on as a word of the protocol', async () => {
  for (const [error, told] of [
    ['login_required', 'login_required'],
    ['<script>', 'access_denied'],
    ['Access Denied', 'access_denied'],
    ['', 'token_exchange_failed'],
  ] as const) {
    const { body } = await app.start(verifierOf(), { provider: 'hostile' });
    const callback = new URL(hostile.authorize(body.authorization_url, {}));
    callback.searchParams.delete('code');
    callback.searchParams.set('error', error);
    callback.searchParams.set('error_description', 'hunter2');
    expect((await app.arrive(callback.href)).error).toBe(told);
  }
});
