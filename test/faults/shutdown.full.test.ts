import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import pg from 'pg';
import { afterAll, afterEach, expect, test } from 'vitest';
import { findBinaries } from '../../db/embedded/binaries.ts';
import { dataIn, readPassword } from '../../db/embedded/data-folder.ts';
import { readPostmasterFile, superuserUrl } from '../../db/embedded/postmaster.ts';
import { stopPostmaster } from '../../db/embedded/stop-postmaster.ts';
import { homeOf, query, serverOf } from '../db/fixtures/embedded-harness.ts';
import { createControlDatabase } from '../helpers/control-database.ts';
import { admin, killGateways, startGateway, temporaryFolder, tryGateway } from '../helpers/gateway-process.ts';
import { openSocket, roomSubscription } from '../helpers/graphql-ws-client.ts';
import { until } from '../helpers/until.ts';
import { createWallet } from '../helpers/wallet.ts';

const control = await createControlDatabase();
const folder = await temporaryFolder();
/** Holds a Postgres of its own, which each test finds stopped and leaves stopped. */
const data = await temporaryFolder();
const dataDir = data.path;
const ownServer = async () => serverOf(await homeOf(dataDir));

afterEach(async () => {
  await killGateways();
  const left = await ownServer();
  if (left !== undefined) await stopPostmaster(left, (await findBinaries()).folder);
});
afterAll(async () => {
  await control.drop();
  await folder.remove();
  await rm(await homeOf(dataDir), { recursive: true, force: true, maxRetries: 10 });
  await data.remove();
});

test('a server that is asked to stop finishes what is under way, sends its sockets away and exits with 0', async () => {
  const gateway = await startGateway({ databaseUrl: control.url, dataDir: folder.path });
  const wallet = createWallet();
  const me = gateway.as(wallet);
  const { body: org } = await gateway.call<{ org_id: string }>(me, 'POST', '/orgs/v1', { body: {} });
  const messages = `/orgs/v1/${org.org_id}/rooms/hall/messages`;
  const send = (body: string) => gateway.call(me, 'POST', messages, { body: { body } });
  await send('first');
  const { body: page } = await gateway.call<{ cursor: string }>(me, 'GET', messages);

  const socket = openSocket(gateway.url, wallet);
  const events = socket.follow({ org: org.org_id, room: 'hall' });
  await events.next();
  const following = (async () => {
    for await (const _event of events) throw new Error('nothing more was sent');
  })().catch((error: unknown) => error);
  const stream = await fetch(`${gateway.url}/graphql`, {
    method: 'POST',
    headers: {
      ...(await me.headers('/graphql')),
      'content-type': 'application/json',
      accept: 'text/event-stream',
    },
    body: JSON.stringify({ query: roomSubscription, variables: { org: org.org_id, room: 'hall', after: page.cursor } }),
  });
  expect(stream.headers.get('content-type')).toMatch(/^text\/event-stream/);
  const streamed = stream.text().catch((error: unknown) => error);
  const held = gateway.call(me, 'GET', `${messages}?cursor=${page.cursor}&wait=25`);
  // A change that cannot go on before the server has been asked to stop.
  const slow = new pg.Client({ connectionString: control.url });
  await slow.connect();
  await slow.query('begin');
  await slow.query('select 1 from principals for update');
  const change = gateway.call<{ org_id: string }>(me, 'POST', '/orgs/v1', { body: {} });
  await until(async () =>
    expect(
      await control.sql(
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      ),
    ).toHaveLength(1),
  );

  const exit = gateway.stop();
  await until(() => expect(socket.closes()).toEqual([1001]));
  await expect(fetch(`${gateway.url}/readyz`)).rejects.toThrow();
  await slow.end();
  const made = await change;
  expect(made.status).toBe(201);
  expect(await held).toMatchObject({ status: 200, body: { messages: [], cursor: page.cursor } });
  // Cut, so that its reader resumes; an end in good order would say that nothing is to come.
  expect(await streamed).toBeInstanceOf(Error);
  expect(await exit).toBe(0);
  expect(gateway.stderr()).toBe('');
  await following;
  await socket.client.dispose();
  expect(await control.sql('select 1 from orgs where id = $1', [made.body.org_id])).toHaveLength(1);
});

test('a server that is asked to stop the moment it serves exits with 0', async () => {
  const gateway = await startGateway({ databaseUrl: control.url, dataDir: folder.path });
  expect(await gateway.stop()).toBe(0);
  expect(gateway.stderr()).toBe('');
});

test('after kill -9 the next start serves again with what was there, and a stop leaves no Postgres behind', async () => {
  const first = await startGateway({ dataDir });
  const wallet = createWallet();
  const { body: org } = await first.call<{ org_id: string }>(first.as(wallet), 'POST', '/orgs/v1', { body: {} });
  const { body: project } = await first.call<{ project_id: string }>(first.as(wallet), 'POST', '/projects/v1', {
    body: { org_id: org.org_id },
  });
  await first.kill();

  const second = await startGateway({ dataDir });
  const { body } = await second.call<{ projects: { id: string }[] }>(second.as(wallet), 'GET', '/projects/v1');
  expect(JSON.stringify(body)).toContain(project.project_id);
  const { status } = await second.call(second.as(wallet), 'POST', '/projects/v1', { body: { org_id: org.org_id } });
  expect(status).toBe(201);
  expect(await second.stop()).toBe(0);
  expect(await ownServer()).toBeUndefined();
});

test('a port that is taken is refused in one sentence, and no Postgres is left behind', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const refused = await tryGateway({ dataDir, env: { PORT: String(port) } });
  other.close();
  expect(refused).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(new RegExp(`^svc: Port ${port} [^\\n]*is taken[^\\n]*\\.\\n$`)),
  });
  expect(await ownServer()).toBeUndefined();
});

test('whatever hangs when a server is asked to stop, it ends with 0 and Postgres with it', async () => {
  const mute = createServer((socket) => void socket.on('error', () => undefined)).listen(0, '127.0.0.1');
  await once(mute, 'listening');
  const { port } = mute.address() as AddressInfo;
  const gateway = await startGateway({ dataDir, env: { SMTP_URL: `smtp://127.0.0.1:${port}` } });
  const wallet = createWallet();
  const { body: org } = await gateway.call<{ org_id: string }>(gateway.as(wallet), 'POST', '/orgs/v1', { body: {} });

  // A mail server that takes a connection and says nothing.
  const connected = once(mute, 'connection');
  expect((await gateway.call(admin, 'POST', '/mail/v1/admin/test', { body: { to: 'ada@example.com' } })).status).toBe(
    201,
  );
  await connected;
  // A socket whose client does not answer.
  const { hostname, port: httpPort } = new URL(gateway.url);
  const deaf = connect(Number(httpPort), hostname);
  deaf.on('error', () => undefined);
  deaf.write(
    `GET /graphql HTTP/1.1\r\nHost: ${hostname}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${'A'.repeat(22)}==\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n`,
  );
  expect(String((await once(deaf, 'data'))[0])).toMatch(/^HTTP\/1\.1 101 /);
  // A change that waits for a lock which nobody gives back.
  const { port: postgresPort } = (await readPostmasterFile(dataIn(await homeOf(dataDir))))!;
  const url = new URL(superuserUrl(postgresPort, await readPassword(await homeOf(dataDir))));
  url.pathname = '/svc';
  const holder = new pg.Client({ connectionString: url.href });
  holder.on('error', () => undefined);
  await holder.connect();
  await holder.query('begin');
  await holder.query('lock table room_messages in exclusive mode');
  const change = gateway
    .call(gateway.as(wallet), 'POST', `/orgs/v1/${org.org_id}/rooms/hall/messages`, { body: { body: 'never' } })
    .catch((error: unknown) => error);
  await until(async () =>
    expect(await query(url.href, `select 1 from pg_stat_activity where wait_event_type = 'Lock'`)).toHaveLength(1),
  );

  expect(await gateway.stop()).toBe(0);
  expect(await ownServer()).toBeUndefined();
  await change;
  await holder.end().catch(() => undefined);
  deaf.destroy();
  mute.close();
});

test('a second start on one data folder is refused in one sentence, and the first goes on', async () => {
  const first = await startGateway({ dataDir });
  const refused = await tryGateway({ dataDir });
  expect(refused).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(new RegExp(`^svc: [^\\n]*in use by process ${first.pid};[^\\n]*\\.\\n$`)),
  });
  const nobody = { headers: async () => ({}) };
  expect((await first.call(nobody, 'GET', '/readyz')).status).toBe(200);
  expect(await first.stop()).toBe(0);
});

test('a Postgres that is killed is started again under the gateway, with everything that was said before', async () => {
  const gateway = await startGateway({ dataDir });
  const wallet = gateway.as(createWallet());
  const { body } = await gateway.call<{ org_id: string }>(wallet, 'POST', '/orgs/v1', { body: {} });
  const before = await ownServer();
  process.kill(before!.pid, 'SIGKILL');
  await until(async () => expect((await ownServer())?.pid).not.toBe(before!.pid));
  await until(async () => expect((await gateway.call(wallet, 'GET', `/orgs/v1/${body.org_id}`)).status).toBe(200));
  expect(gateway.running()).toBe(true);
  expect(await gateway.stop()).toBe(0);
});

test('a server that drains says so at /readyz while its port is still open, and on every answer', async () => {
  const gateway = await startGateway({ databaseUrl: control.url, dataDir: folder.path, env: { DRAIN_SECONDS: '4' } });
  process.kill(gateway.pid, 'SIGTERM');
  await until(async () => {
    const answer = await fetch(`${gateway.url}/readyz`);
    expect([answer.status, answer.headers.get('connection')]).toEqual([503, 'close']);
  });
  expect(await gateway.ended).toBe(0);
});
