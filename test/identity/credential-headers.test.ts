import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import WebSocket from 'ws';
import { type Actor, withHeaders } from '../helpers/actors.ts';
import { sharedService } from '../helpers/shared-service.ts';

const service = await sharedService();
afterAll(() => service.stop());

const { actors } = service;

let owner: Awaited<ReturnType<typeof service.project>>;
beforeAll(async () => {
  owner = await service.project();
});

const principalOf = async (actor: Actor) => {
  const { body } = await service.call<{ code?: string; principal?: { id: string } }>(actor, 'GET', '/agent/v1/whoami');
  return body.code ?? body.principal!.id;
};

/** All their headers together. */
const together = async (...callers: readonly Actor[]) =>
  withHeaders(Object.assign({}, ...(await Promise.all(callers.map((caller) => caller.headers('/'))))));

test('a bearer wins over a wallet signature, also where it is the worse one', async () => {
  const session = await actors.session();
  const wallet = actors.wallet();
  expect(await principalOf(await together(wallet, session))).toBe(session.principalId);
  expect(await principalOf(await together(wallet, actors.bearer('sesame')))).toBe('INVALID_AUTH');
  const operator = await actors.session({ kind: 'operator' });
  expect(await principalOf(await together(wallet, operator))).toBe(operator.principalId);
  const answer = await service.call<{ code: string }>(await together(wallet, operator), 'POST', '/orgs/v1', {
    body: {},
  });
  expect([answer.status, answer.body.code]).toEqual([403, 'FORBIDDEN']);
  // The signature beside it is not looked at, so it stays unspent and its wallet unknown.
  const known = await service.control.sql('select 1 from authenticators where public_subject = $1', [wallet.address]);
  expect(known).toEqual([]);
});

test('a wallet signature or a bearer wins over a project key', async () => {
  const session = await actors.session();
  const key = actors.apikey(owner.anonKey);
  expect(await principalOf(await together(key, session))).toBe(session.principalId);
  expect(await principalOf(await together(key, owner.wallet))).toBe(owner.principalId);
});

test('a project key is the same in the apikey header and as a bearer', async () => {
  for (const actor of [actors.apikey(owner.serviceKey), actors.bearer(owner.serviceKey)]) {
    expect((await service.call(actor, 'GET', `/projects/v1/${owner.projectId}`)).status).toBe(200);
  }
  const lower = withHeaders({ authorization: `bearer  ${owner.serviceKey}` });
  expect((await service.call(lower, 'GET', `/projects/v1/${owner.projectId}`)).status).toBe(401);
  const one = withHeaders({ authorization: `bearer ${owner.serviceKey}` });
  expect((await service.call(one, 'GET', `/projects/v1/${owner.projectId}`)).status).toBe(200);
});

test('a refusal for want of a good credential says how to give one', async () => {
  for (const actor of [actors.nobody, actors.bearer('sesame')]) {
    const { headers, body } = await service.call<{ next_actions: unknown }>(actor, 'GET', '/agent/v1/whoami');
    expect(headers.get('www-authenticate')).toBe('Bearer');
    expect(body.next_actions).toEqual([{ type: 'authenticate', auth: 'SIWX', why: expect.any(String) }]);
  }
});

/** Sends header lines as they are given, repeated ones included. */
function send(method: string, path: string, headers: Record<string, string | string[]>, body?: string) {
  return new Promise<{ status: number; body: { code?: string; message?: string } }>((resolve, reject) => {
    const sent = request(service.url + path, { method, headers }, (response) => {
      let text = '';
      response.on('data', (part: Buffer) => {
        text += part;
      });
      response.on('end', () => resolve({ status: response.statusCode!, body: JSON.parse(text) }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const single = ['authorization', 'sign-in-with-x', 'apikey', 'x-svc-write-auth', 'x-admin-key', 'idempotency-key'];

test.each(single)('a request with two %s headers is 400, on every surface and whatever they say', async (name) => {
  const good = { ...(await owner.wallet.headers('/')), ...(await actors.admin.headers('/')) } as Record<string, string>;
  const value = good[name] ?? `Bearer ${owner.serviceKey}`;
  for (const values of [
    [value, value],
    [value, 'sesame'],
    ['sesame', value],
    ['', value],
  ]) {
    const headers = { [name]: values, 'content-type': 'application/json' };
    const refused = { status: 400, body: { code: 'VALIDATION_FAILED', message: expect.stringContaining(name) } };
    expect(await send('GET', '/agent/v1/whoami', headers)).toMatchObject(refused);
    expect(await send('POST', '/orgs/v1', headers, '{}')).toMatchObject(refused);
    expect(await send('POST', '/graphql', headers, '{"query":"{ __typename }"}')).toMatchObject(refused);
  }
});

/** The close code of a socket that was opened with these headers and parameters; 0 when it was let in. */
function closeCodeOf(headers: Record<string, string | string[]>, payload?: object): Promise<number> {
  return new Promise((resolve, reject) => {
    const url = `${service.url.replace('http', 'ws')}/graphql`;
    const socket = new WebSocket(url, 'graphql-transport-ws', { headers: headers as Record<string, string> });
    socket.on('error', reject);
    socket.on('open', () => socket.send(JSON.stringify({ type: 'connection_init', payload })));
    socket.on('close', (code) => resolve(code));
    socket.on('message', (data) => {
      if ((JSON.parse(String(data)) as { type: string }).type !== 'connection_ack') return;
      resolve(0);
      socket.close();
    });
  });
}

test('a socket takes its credential from the parameters, else from the headers, and never from two', async () => {
  const { token } = await actors.session();
  const authorization = `Bearer ${token}`;
  expect(await closeCodeOf({}, { authorization })).toBe(0);
  expect(await closeCodeOf({ authorization })).toBe(0);
  expect(await closeCodeOf({ authorization: 'Bearer sesame' }, { authorization })).toBe(0);
  expect(await closeCodeOf({ authorization }, { authorization: 'Bearer sesame' })).toBe(4403);
  expect(await closeCodeOf({ authorization: [authorization, authorization] })).toBe(4403);
  expect(await closeCodeOf({ authorization: [authorization, 'Bearer sesame'] })).toBe(4403);
});

test.each(['authorization', 'sign-in-with-x', 'apikey', 'x-admin-key'])(
  'a socket with a %s parameter that is no good credential is closed with 4403',
  async (name) => {
    for (const value of ['', 'sesame', 'x'.repeat(10_240), 7, {}, [], ['Bearer sesame'], true]) {
      expect(await closeCodeOf({}, { [name]: value }), JSON.stringify(value)).toBe(4403);
    }
  },
);

test('a wallet signature opens one socket', async () => {
  const header = await actors.wallet().sign();
  expect(await closeCodeOf({}, { 'sign-in-with-x': header })).toBe(0);
  expect(await closeCodeOf({}, { 'sign-in-with-x': header })).toBe(4403);
  expect(await closeCodeOf({ 'sign-in-with-x': header })).toBe(4403);
});

test('who shows a wrong admin key is told of that key, and of no wallet', async () => {
  const wrong = { headers: async () => ({ 'x-admin-key': 'not-the-one' }) };
  const { errors } = await service.graphql(wrong, '{ outboxMails { edges { cursor } } }');
  const { code, details, next_actions: actions } = errors![0]!.extensions as Record<string, unknown>;
  expect([code, details]).toEqual(['INVALID_AUTH', { reason: 'admin_key' }]);
  expect(errors![0]!.message).toBe('The admin key is not that of this installation.');
  expect(JSON.stringify(actions)).toMatch(/X-Admin-Key/);
  expect(JSON.stringify(actions)).not.toMatch(/SIGN-IN|wallet/i);
});
