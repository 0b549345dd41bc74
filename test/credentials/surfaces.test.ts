import { afterAll, expect, test } from 'vitest';
import { type Any, publishing } from '../apps/stage.ts';
import { branching } from '../branches/stage.ts';
import { openProtocolSocket } from '../graphql/protocol-socket.ts';
import type { Actor } from '../helpers/actors.ts';
import { openSocket } from '../helpers/graphql-ws-client.ts';
import { startService } from '../helpers/service.ts';
import { overHttp } from '../mcp/clients.ts';
import { byKey, crediting } from './stage.ts';

const service = await startService({ nodes: 2 });
afterAll(() => service.stop());
const { actors } = service;

const send = (as: Actor, method: string, path: string, body?: object) =>
  service.call<Any>(as, method, path, body === undefined ? {} : { body });
const issueFor = async (owner: Actor, projectId: string, kind: 'anon' | 'service') => {
  const made = await send(owner, 'POST', `/projects/v1/${projectId}/credentials`, { kind, name: crypto.randomUUID() });
  expect(made.status, made.text).toBe(201);
  return made.body as { credential_id: string; secret: string };
};

/** What a key is told at every door of a project. */
async function doors(projectId: string, key: string) {
  const [apikey, bearer] = [byKey(key), actors.bearer(key)];
  const graph = `/projects/v1/${projectId}/graphql`;
  const query = { query: '{ __typename }' };
  const asked: Readonly<Record<string, () => Promise<{ readonly status: number; readonly text: string }>>> = {
    'rows, by policy': () => send(apikey, 'GET', '/rest/v1/notes'),
    'rows, by the admin door': () => send(apikey, 'GET', '/admin/v1/rest/notes'),
    'the graph of the project': () => send(apikey, 'POST', graph, query),
    'a function': () => send(bearer, 'POST', '/functions/v1/api', {}),
    'storage, to read': () => send(apikey, 'GET', `/storage/v1/blobs?project_id=${projectId}`),
    'storage, to write': () => send(apikey, 'POST', '/storage/v1/blobs', { key: 'a.txt', content: 'a' }),
    mailboxes: () => send(bearer, 'GET', `/mailboxes/v1?project_id=${projectId}`),
    'users, to sign up': () => send(apikey, 'GET', '/auth/v1/providers'),
    'users, to manage': () => send(bearer, 'GET', '/auth/v1/admin/users'),
    'SQL of the project': () => send(bearer, 'POST', `/projects/v1/admin/${projectId}/sql`, { sql: 'select 1' }),
    'the project': () => send(bearer, 'GET', `/projects/v1/${projectId}`),
    'the platform’s graph': async () => {
      const told = await service.graphql(bearer, `{ project(id: "${projectId}") { projectId } }`);
      return { status: told.errors === undefined ? 200 : 403, text: JSON.stringify(told) };
    },
    'its keys': () => send(bearer, 'GET', `/projects/v1/${projectId}/keys`),
  };
  const told: [door: string, status: number][] = [];
  for (const [door, ask] of Object.entries(asked)) told.push([door, (await ask()).status]);
  return told;
}

test.each(['anon', 'service'] as const)(
  'a credential of the kind %s is told what the key is, at every door',
  async (kind) => {
    const one = await publishing(service);
    const { secret } = await issueFor(one.wallet, one.projectId, kind);
    const own = await doors(one.projectId, kind === 'anon' ? one.anonKey : one.serviceKey);
    // A key opens some doors, and is refused at others.
    expect(own.filter(([, status]) => status < 300).length).toBeGreaterThan(2);
    expect(own.filter(([, status]) => status >= 400).length).toBeGreaterThan(0);
    expect(await doors(one.projectId, secret)).toEqual(own);
    const token = await send(one.wallet, 'POST', `/projects/v1/${one.projectId}/tokens`, { kind });
    expect(await doors(one.projectId, token.body.secret)).toEqual(own);
  },
);

test.each(overHttp)('a service credential has the tools that the service key has: %s', async (_name, connect) => {
  const home = await crediting(service);
  const { secret } = await home.issue();
  const client = await connect(new URL('/mcp', service.url), actors.bearer(secret));
  const rows = await client.callTool('run_sql', { project_id: home.projectId, sql: 'select 1 as one' });
  expect(rows.structuredContent.rows).toEqual([{ one: 1 }]);
  await client.close();
  await home.end();
});

test('what is open by a credential ends when it is revoked, and what is open by others goes on', async () => {
  const home = await crediting(service);
  const { credential_id, secret } = await home.issue();
  const [stream, kept] = [
    await home.stream({ tables: 'notes', key: secret }),
    await home.stream({ tables: 'notes', key: home.serviceKey }),
  ];
  for (const one of [stream, kept]) expect(await one.next()).toMatchObject({ event: 'ready' });
  const graph = await openProtocolSocket(`${service.url}/projects/v1/${home.projectId}`);
  await graph.init({ apikey: secret });
  graph.subscribe('hints', 'subscription { notesHints { cursor } }');
  await graph.next('next', 'hints');
  const room = { org: home.orgId, room: home.projectId };
  const sayPath = `/orgs/v1/${room.org}/rooms/${room.room}/messages`;
  expect((await send(home.wallet, 'POST', sayPath, { body: 'before' })).status).toBeLessThan(300);
  const sockets = [secret, home.serviceKey].map((key) => openSocket(service.url, byKey(key)));
  const [feed, other] = sockets.map(({ follow }) => follow(room));
  for (const one of [feed!, other!]) expect((await one.next()).value.data.roomMessages.message.body).toBe('before');
  expect((await home.revoke(credential_id)).status).toBe(200);
  const rest = [];
  for await (const event of feed!) rest.push(event);
  expect(rest).toMatchObject([{ errors: [{ extensions: { code: 'NOT_AUTHORIZED' } }] }]);
  expect(await stream.next()).toMatchObject({ event: 'reconnect', data: { reason: 'credential_ended' } });
  await graph.next('complete', 'hints');
  expect(graph.seen.findLast(({ type }) => type === 'next')!.payload.errors).toMatchObject([
    { extensions: { code: 'PROJECT_CREDENTIAL_INVALID' } },
  ]);
  expect((await home.stream({ tables: 'notes', key: secret })).status).toBe(401);
  // The key of the project is another one.
  await send(home.wallet, 'POST', sayPath, { body: 'after' });
  expect((await other!.next()).value.data.roomMessages.message.body).toBe('after');
  await home.run(`insert into notes (body) values ('x')`);
  expect(await kept.next()).toMatchObject({ event: 'change' });
  kept.close();
  graph.socket.close();
  for (const { client } of sockets) await client.dispose();
  await home.end();
});

test('who has a project handed over keeps its anon credentials, and no other key of the former organization', async () => {
  const one = await crediting(service);
  const [service1, anon] = [await one.issue('service'), await one.issue('anon')];
  const tokens = [(await one.token()).body, (await one.token({ kind: 'anon' })).body];
  expect(await one.read(service1.secret)).toBe(200);
  const recipient = actors.wallet();
  const offered = await send(one.wallet, 'POST', `${one.base}/transfers`, { to_wallet: recipient.checksumAddress });
  // While it is offered, no key is added that would go with it, and any may be put out.
  const added = await one.credentials(one.wallet, 'POST', '', { kind: 'anon', name: 'late' });
  expect([added.status, added.body.code]).toEqual([409, 'PROJECT_HAS_PENDING_TRANSFER']);
  expect((await one.revoke((await one.rotate(anon.credential_id)).body.credential_id)).status).toBe(200);
  const stays = await issueAround(one, offered.body.transfer_id);
  const again = await send(one.wallet, 'POST', `${one.base}/transfers`, { to_wallet: recipient.checksumAddress });
  const accepted = await send(recipient, 'POST', `/agent/v1/transfers/${again.body.transfer_id}/accept`, {});
  expect(accepted.status, accepted.text).toBe(200);
  await expect
    .poll(() => Promise.all(service.nodes.map(({ url }) => one.read(service1.secret, { url }))))
    .not.toContain(200);
  expect(await one.read(tokens[0]!.secret)).toBe('401 INVALID_AUTH');
  expect(await one.read(stays.secret, { kind: 'anon' })).toBe(200);
  expect(await one.read(tokens[1]!.secret, { kind: 'anon' })).toBe(200);
  expect((await one.credentials(one.wallet, 'GET')).body.code).toBe('NOT_AUTHORIZED');
  const theirs = (await one.credentials(recipient, 'GET', '?include_revoked=true')).body.credentials;
  expect(theirs.find(({ credential_id }: Any) => credential_id === service1.credential_id)).toMatchObject({
    revoked_reason: 'transferred',
  });
  expect(theirs.find(({ credential_id }: Any) => credential_id === stays.credential_id)).toMatchObject({
    revoked_at: null,
  });
  const next = await send(recipient, 'POST', `${one.base}/credentials`, { kind: 'service', name: 'ours' });
  expect(await one.read(next.body.secret)).toBe(200);
  await one.end();
});

/** Takes an offer back and makes an anon credential. */
async function issueAround(one: Awaited<ReturnType<typeof crediting>>, transferId: string) {
  const cancelled = await send(one.wallet, 'POST', `/agent/v1/transfers/${transferId}/cancel`, {});
  expect(cancelled.status).toBe(200);
  return one.issue('anon');
}

test('a branch has no credential of its project, and is opened by none', async () => {
  const one = await branching(service);
  const { secret } = await issueFor(one.wallet, one.projectId, 'service');
  const branch = await one.branch({});
  const at = `/projects/v1/${branch.branch_project_id}`;
  expect((await send(one.wallet, 'GET', `${at}/credentials?include_revoked=true`)).body.credentials).toEqual([]);
  expect((await send(byKey(secret), 'GET', at)).body.code).toBe('FORBIDDEN');
});
