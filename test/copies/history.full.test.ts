import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, expect, test, vi } from 'vitest';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../db/embedded/start.ts';
import { openProtocolSocket } from '../graphql/protocol-socket.ts';
import type { Actor } from '../helpers/actors.ts';
import { startBreakableWay } from '../helpers/breakable-way.ts';
import { adminKey, type GatewayProcess, killGateways, startGateway } from '../helpers/gateway-process.ts';
import { memoryFolder } from '../helpers/memory-folder.ts';
import { until } from '../helpers/until.ts';
import { createWallet } from '../helpers/wallet.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 });

// biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
type Any = any;

const folders: string[] = [];
async function folder(): Promise<string> {
  const made = await memoryFolder('svc-history-');
  folders.push(made);
  return made;
}
const servers: EmbeddedPostgres[] = [];
afterAll(async () => {
  await killGateways();
  for (const server of servers) await server.stop();
  for (const one of folders) await rm(one, { recursive: true, force: true });
});

async function start(dataDir: string, settings: Record<string, string> = {}, port?: number): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({
    dataDir,
    settings: { fsync: 'off', ...settings },
    ...(port === undefined ? {} : { port }),
  });
  servers.push(server);
  return server;
}

/** A whole copy of a folder, owners and times included. Files of a running server may go meanwhile. */
const copy = (from: string, to: string) =>
  promisify(execFile)('cp', ['-a', from, to]).catch((error: Error) => {
    if (!/No such file/.test(error.message)) throw error;
  });

async function withAdmin<Result>(
  { url }: EmbeddedPostgres,
  run: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await run(client);
  } finally {
    await client.end();
  }
}

/** Puts a file into the data of a server that is stopped, as the server's user. */
async function put(dataDir: string, name: string, text = ''): Promise<void> {
  const data = join(dataDir, 'postgres/data');
  const { uid, gid } = await stat(data);
  await writeFile(join(data, name), text);
  await chown(join(data, name), uid, gid);
}

/** Makes a base backup of a running server, as `pg_basebackup` does. @returns its data folder */
async function baseBackup(server: EmbeddedPostgres): Promise<string> {
  const to = await folder();
  await withAdmin(server, async (client) => {
    await client.query("select pg_backup_start('base', true)");
    await copy(server.dataDir, join(to, 'postgres'));
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
    await put(to, 'backup_label', rows[0]!.labelfile);
  });
  for (const held of ['data/postmaster.pid', 'gateway.lock']) await rm(join(to, 'postgres', held), { force: true });
  return to;
}

/** A project with somebody who writes into its feeds, and follows them. */
async function people(gateway: GatewayProcess) {
  const wallet = createWallet();
  const owner = gateway.as(wallet);
  const { org_id } = (await gateway.call<Any>(owner, 'POST', '/orgs/v1', { body: {} })).body;
  const made = await gateway.call<Any>(owner, 'POST', '/projects/v1', { body: { org_id } });
  if (made.status >= 300) throw new Error(made.text);
  const { project_id, service_key } = made.body;
  const room = `/orgs/v1/${org_id}/rooms/${project_id}/messages`;
  const events = `/projects/v1/${project_id}/events`;
  const service = { headers: async () => ({ apikey: service_key as string }) };
  return {
    /** Another process of the gateway answers from now on. */
    at: (next: GatewayProcess) => {
      gateway = next;
    },
    async write(...texts: string[]) {
      const send = (actor: Actor, path: string, body: object) =>
        until(async () => expect(await gateway.call(actor, 'POST', path, { body })).toMatchObject({ status: 201 }));
      for (const text of texts) {
        await send(gateway.as(wallet), room, { body: text });
        await send(service, events, { event_type: text });
      }
    },
    async read({ messages, happened }: { messages?: string; happened?: string } = {}) {
      const get = (path: string, cursor = '') =>
        until(async () => {
          const query = cursor === '' ? '' : `?cursor=${cursor}`;
          const answer = await gateway.call<Any>(gateway.as(wallet), 'GET', path + query);
          expect(answer.status).toBe(200);
          return answer.body;
        });
      const [said, told] = [await get(room, messages), await get(events, happened)];
      return {
        cursors: { messages: said.cursor as string, happened: told.cursor as string },
        resets: [said.reset ?? false, told.reset],
        messages: said.messages.map((one: Any) => one.body_snippet),
        events: told.events.map((one: Any) => one.event_type).filter((type: string) => !type.startsWith('agent_')),
      };
    },
    async follow() {
      const socket = await openProtocolSocket(gateway.url);
      const headers = await gateway.as(wallet).headers('/graphql');
      await socket.init(headers);
      socket.subscribe(
        '1',
        `subscription { roomMessages(org: "${org_id}", room: "${project_id}") { reset message { body } } }`,
      );
      return () =>
        socket.seen
          .filter(({ type }) => type === 'next')
          .map(({ payload }) => [payload.data.roomMessages.message.body, payload.data.roomMessages.reset]);
    },
  };
}

const gatewayOn = async ({ url }: EmbeddedPostgres) => {
  const database = new URL(url);
  database.pathname = '/gateway';
  return startGateway({ databaseUrl: database.href, dataDir: await folder() });
};

test('a standby that lagged is promoted: a gateway that runs on misses nothing without saying so', async () => {
  const primary = await start(await folder(), { wal_level: 'replica', max_wal_senders: '4' });
  await withAdmin(primary, (client) => client.query('create database gateway'));
  const gateway = await gatewayOn(primary);
  const { write, read, follow } = await people(gateway);
  await write('one', 'two');
  const standbyFolder = await baseBackup(primary);
  await put(standbyFolder, 'standby.signal');
  const way = await startBreakableWay(primary.url);
  const source = new URL(primary.url);
  const conninfo = `host=127.0.0.1 port=${new URL(way.url).port} user=postgres password=${decodeURIComponent(source.password)}`;
  const standby = await start(standbyFolder, { primary_conninfo: conninfo, hot_standby: 'on' });
  const replayed = (text: string) =>
    until(async () => {
      const to = new URL(standby.url);
      to.pathname = '/gateway';
      const client = new pg.Client({ connectionString: to.href });
      await client.connect();
      const found = await client.query('select from room_messages where body = $1', [text]).finally(() => client.end());
      expect(found.rowCount).toBe(1);
    });
  await write('three');
  await replayed('three');
  way.cut();
  await write('lost', 'lost_too');
  const before = await read();
  const followed = await follow();
  await until(() => expect(followed()).toHaveLength(5));

  await primary.stop();
  await standby.stop();
  const promoted = await start(standbyFolder, { primary_conninfo: conninfo, hot_standby: 'on' }, primary.port);
  // A standby is no database to serve from, and a connection to it would outlive its promotion.
  expect((await fetch(`${gateway.url}/readyz`)).status).toBe(503);
  await withAdmin(promoted, (client) => client.query('select pg_promote()'));
  await write('four', 'five', 'six', 'seven');

  const after = await read(before.cursors);
  expect(after.resets).toEqual([true, true]);
  expect(after.messages).toEqual(['one', 'two', 'three', 'four', 'five', 'six', 'seven']);
  expect(after.events).toEqual(after.messages);
  await until(() =>
    expect(followed().slice(5)).toEqual(after.messages.map((text: string, at: number) => [text, at === 0])),
  );
  expect((await read(after.cursors)).resets).toEqual([false, false]);
  await gateway.stop();
  way.close();
});

test('a recovery to a point in time resets followers, and a second one to the same point does so again', async () => {
  const archive = await folder();
  await mkdir(join(archive, 'wal'));
  await chmod(join(archive, 'wal'), 0o777);
  const primary = await start(await folder(), {
    wal_level: 'replica',
    archive_mode: 'on',
    archive_command: `cp %p ${archive}/wal/%f`,
  });
  await withAdmin(primary, (client) => client.query('create database gateway'));
  const gateway = await gatewayOn(primary);
  const { write, read } = await people(gateway);
  await write('one');
  const base = await baseBackup(primary);
  await write('two');
  await withAdmin(primary, (client) => client.query("select pg_create_restore_point('before')"));
  await write('lost', 'lost_too');
  let { cursors } = await read();
  await withAdmin(primary, (client) => client.query('select pg_switch_wal()'));
  await primary.stop();
  await put(base, 'recovery.signal');

  for (const [at, texts] of [
    ['three', 'four', 'five'],
    ['six', 'seven', 'eight', 'nine'],
  ].entries()) {
    const place = await folder();
    await copy(join(base, 'postgres'), join(place, 'postgres'));
    const recovered = await start(
      place,
      {
        // Without the history of the first recovery, the second one begins a timeline of the same number.
        restore_command: `cp ${archive}/wal/%f %p`,
        recovery_target_name: 'before',
        recovery_target_action: 'promote',
      },
      primary.port,
    );
    await write(...texts);
    const after = await read(cursors);
    expect([at, after.resets]).toEqual([at, [true, true]]);
    expect(after.messages).toEqual(['one', 'two', ...texts]);
    cursors = after.cursors;
    await recovered.stop();
  }
  await gateway.stop();
});

test('a copy of the data folder that is put back resets followers once its operator has said so', async () => {
  const place = await folder();
  const dataDir = join(place, 'svc');
  await mkdir(dataDir);
  const first = await startGateway({ dataDir });
  const { at, write, read } = await people(first);
  await write('one');
  const old = (await read()).cursors;
  await first.stop();
  await copy(dataDir, join(place, 'copy'));
  const second = await startGateway({ dataDir });
  at(second);
  await write('lost', 'lost_too');
  const { cursors } = await read();
  // A restart resets no follower.
  expect((await read(old)).resets).toEqual([false, false]);
  await second.stop();
  await rm(dataDir, { recursive: true });
  await copy(join(place, 'copy'), dataDir);

  const third = await startGateway({ dataDir });
  at(third);
  const admin = { headers: async () => ({ 'x-admin-key': adminKey }) };
  expect((await third.call(admin, 'POST', '/admin/v1/epochs')).status).toBe(201);
  await write('two', 'three', 'four');
  const after = await read(cursors);
  expect(after).toMatchObject({ resets: [true, true], messages: ['one', 'two', 'three', 'four'] });
  await third.stop();
});
