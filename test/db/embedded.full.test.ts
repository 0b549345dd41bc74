import { once } from 'node:events';
import { mkdir, readdir, readFile, rmdir, stat, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Client } from 'pg';
import { expect, test } from 'vitest';
import { findBinaries } from '../../db/embedded/binaries.ts';
import { choosePrograms } from '../../db/embedded/choose-programs.ts';
import { adoptOrLaunch } from '../../db/embedded/launch.ts';
import { identifyProcess, isRunning } from '../../db/embedded/process-identity.ts';
import { canEnter, findServerUser, ownerOf } from '../../db/embedded/server-user.ts';
import { startEmbeddedPostgres } from '../../db/embedded/start.ts';
import { stopPostmaster } from '../../db/embedded/stop-postmaster.ts';
import {
  exists,
  homeOf,
  idleProgram,
  query,
  runsAsRoot,
  serverOf,
  spawnGateway,
  start,
  testFolder,
  until,
} from './fixtures/embedded-harness.ts';

const noteSomething = (url: string) => query(url, "create table notes as select 'kept' as body");
const readNotes = (url: string) => query(url, 'select body from notes');
const kept = [{ body: 'kept' }];

test('the first start makes a database and a later start finds its data again', async () => {
  const dataDir = join(await testFolder(), '.svc');
  const first = await start(dataDir);
  await noteSomething(first.url);
  await first.stop();
  await first.stop();
  expect(await serverOf(first.dataDir)).toBeUndefined();

  const second = await start(dataDir);
  expect(second).toMatchObject({ adopted: false, dataDir: first.dataDir });
  expect(await readNotes(second.url)).toEqual(kept);
});

test('the server is UTF-8, asks for a password, listens on the loopback alone and has room for 200 connections', async () => {
  const { url, dataDir } = await start(await testFolder());
  const [facts] = await query(
    url,
    `select current_setting('server_encoding') as encoding, current_setting('listen_addresses') as addresses,
            current_setting('max_connections') as connections, upper('äß') as upper,
            (select string_agg(distinct auth_method, ',') from pg_hba_file_rules) as auth`,
  );
  expect(facts).toEqual({
    encoding: 'UTF8',
    addresses: '127.0.0.1',
    connections: '200',
    upper: 'Äß',
    auth: 'scram-sha-256',
  });
  expect((await stat(join(dataDir, 'password'))).mode & 0o777).toBe(0o600);
});

// Linux alone lets a name be no text, which is how to make a folder that cannot be removed, by root neither.
test.runIf(process.platform === 'linux')(
  'old copies of the programs that cannot be removed keep no server from starting',
  async () => {
    const dataDir = await testFolder();
    const first = await start(dataDir);
    await first.stop();
    const undeletable = Buffer.concat([Buffer.from(join(first.dataDir, 'binaries-')), Buffer.from([0xff])]);
    await mkdir(undeletable);
    const told: string[] = [];
    const second = await startEmbeddedPostgres({
      dataDir,
      settings: { fsync: 'off' },
      log: (message) => void told.push(message),
    });
    try {
      expect(await query(second.url, 'select 1 as one')).toEqual([{ one: 1 }]);
      expect(told).toContain('could not remove old copies of the Postgres programs');
    } finally {
      await second.stop();
      await rmdir(undeletable);
    }
  },
);

test('a second process on the same folder is refused and told which process has it', async () => {
  const dataDir = await testFolder();
  const first = spawnGateway(dataDir);
  const { url } = await first.said;
  await expect(startEmbeddedPostgres({ dataDir })).rejects.toMatchObject({
    name: 'EmbeddedPostgresError',
    message: expect.stringContaining(`in use by process ${first.pid};`),
  });
  expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]);

  expect(await first.stop()).toBe(0);
  expect((await start(dataDir)).adopted).toBe(false);
});

test('of several processes that start at once, one serves and the others are refused', async () => {
  const dataDir = await testFolder();
  const gateways = [1, 2, 3, 4].map(() => spawnGateway(dataDir));
  const said = await Promise.all(gateways.map((gateway) => gateway.said));
  const winner = gateways[said.findIndex(({ refusal }) => refusal === undefined)]!;
  expect(said.filter(({ refusal }) => refusal?.includes(`process ${winner.pid};`))).toHaveLength(3);
});

test('after kill -9 of the gateway the next start takes over the living server, and stops it at the end', async () => {
  const dataDir = await testFolder();
  const gateway = spawnGateway(dataDir);
  const before = await gateway.said;
  await noteSomething(before.url);
  await gateway.kill();

  const after = await start(dataDir);
  expect(after).toMatchObject({ adopted: true, url: before.url, dataDir: before.dataDir });
  expect(await readNotes(after.url)).toEqual(kept);
  const server = (await serverOf(after.dataDir))!;
  await after.stop();
  expect(await isRunning(server)).toBe(false);
  expect(await exists(join(after.dataDir, 'gateway.lock'))).toBe(false);
});

test('after kill -9 of gateway and server alike the next start recovers what was committed', async () => {
  const dataDir = await testFolder();
  const gateway = spawnGateway(dataDir);
  const before = await gateway.said;
  await noteSomething(before.url);
  const server = (await serverOf(before.dataDir))!;
  await gateway.kill();
  process.kill(server.pid, 'SIGKILL');
  await until(async () => !(await isRunning(server)));
  expect(await exists(join(before.dataDir, 'data', 'postmaster.pid'))).toBe(true);

  const after = await start(dataDir);
  expect(after.adopted).toBe(false);
  expect(await readNotes(after.url)).toEqual(kept);
});

test('a child of a killed server that is still at work is waited for, so there are never two that write', async () => {
  const dataDir = await testFolder();
  const gateway = spawnGateway(dataDir);
  const { url, dataDir: home } = await gateway.said;
  await noteSomething(url);
  const server = (await serverOf(home))!;
  const session = new Client({ connectionString: url });
  session.on('error', () => {});
  await session.connect();
  const { rows } = await session.query('select pg_backend_pid() as pid');
  const child = (await identifyProcess(rows[0].pid))!;
  // Busy, and so unaware that its server is gone.
  const busy = session
    .query('select count(*) from generate_series(1, 4000) a, generate_series(1, 4000) b')
    .catch(() => {});
  const state = `select state from pg_stat_activity where pid = ${child.pid} and query like '%generate_series%'`;
  await until(async () => (await query(url, state))[0]?.state === 'active');
  await gateway.kill();
  process.kill(server.pid, 'SIGKILL');
  await until(async () => !(await isRunning(server)));
  expect(await isRunning(child)).toBe(true);

  const after = await start(dataDir);
  expect(await isRunning(child)).toBe(false);
  expect(await readNotes(after.url)).toEqual(kept);
  await busy;
  await session.end().catch(() => {});
});

test('a postmaster.pid whose pid was given to another program is repaired, and that program left alone', async () => {
  const dataDir = await testFolder();
  const first = await start(dataDir);
  await noteSomething(first.url);
  const pidFile = join(first.dataDir, 'data', 'postmaster.pid');
  const written = await readFile(pidFile, 'utf8');
  await first.stop();
  // A program of the server's own user: one of another user Postgres would not even hesitate about.
  const program = await idleProgram(await ownerOf(join(first.dataDir, 'data')));
  await writeFile(pidFile, written.replace(/^\d+/, String(program.pid)));

  const second = await start(dataDir);
  expect(second.adopted).toBe(false);
  expect(await readNotes(second.url)).toEqual(kept);
  expect(program.exitCode ?? program.signalCode).toBeNull();
});

test('a postmaster.pid that a power cut left empty is repaired', async () => {
  const dataDir = await testFolder();
  const first = await start(dataDir);
  const pidFile = join(first.dataDir, 'data', 'postmaster.pid');
  await first.stop();
  await writeFile(pidFile, '');
  expect((await start(dataDir)).adopted).toBe(false);
});

test('a first start that is killed midway leaves rubbish, not half a database', async () => {
  const dataDir = await testFolder();
  const gateway = spawnGateway(dataDir);
  const unfinished = async () => {
    const home = await homeOf(dataDir);
    const found = (await readdir(home).catch(() => [])).find((name) => name.startsWith('tmp-'));
    return found && join(home, found);
  };
  await until(async () => {
    const workshop = await unfinished();
    return workshop !== undefined && (await exists(join(workshop, 'data', 'global')));
  });
  await gateway.kill();
  expect(await exists(join(await homeOf(dataDir), 'data'))).toBe(false);

  const { url, adopted } = await start(dataDir);
  expect(adopted).toBe(false);
  await noteSomething(url);
  expect(await unfinished()).toBeUndefined();
});

test('a port that was taken between choosing and binding is given up for another', async () => {
  const dataDir = await testFolder();
  const first = await start(dataDir);
  const password = new URL(first.url).password;
  await first.stop();
  const rival = createServer().listen(0, '127.0.0.1');
  await once(rival, 'listening');
  const { port: taken } = rival.address() as { port: number };
  const ports = [taken, taken, first.port];

  const owner = await ownerOf(join(first.dataDir, 'data'));
  const place = { home: first.dataDir, user: runsAsRoot ? owner : undefined };
  const programs = await choosePrograms(await findBinaries(), true, place);
  const choosePort = async () => ports.shift()!;
  const server = await adoptOrLaunch({ place, programs, password, settings: { fsync: 'off' }, choosePort });
  expect(server).toMatchObject({ adopted: false, port: first.port });
  await stopPostmaster(server.process, programs);
  rival.close();
});

test('a server that ends by itself is told by exited; one that stop() ends is not', async () => {
  const dataDir = await testFolder();
  const stopped = await start(dataDir);
  await stopped.stop();
  const crashed = await start(dataDir);
  const news = Promise.race([stopped.exited.then(() => 'stopped'), crashed.exited.then(() => 'crashed')]);
  process.kill((await serverOf(crashed.dataDir))!.pid, 'SIGQUIT');
  expect(await news).toBe('crashed');
  await crashed.stop();
});

test('the end of a server that was taken over is told by exited as well', async () => {
  const dataDir = await testFolder();
  const gateway = spawnGateway(dataDir);
  await gateway.said;
  await gateway.kill();
  const { exited, adopted, dataDir: home } = await start(dataDir);
  expect(adopted).toBe(true);
  process.kill((await serverOf(home))!.pid, 'SIGQUIT');
  await exited;
});

test('Ctrl-C in the terminal reaches the gateway and not the server', async () => {
  const gateway = spawnGateway(await testFolder());
  const { url } = await gateway.said;
  process.kill(-gateway.pid, 'SIGINT');
  expect(await query(url, "select pg_sleep(0.2), 'serving' as state")).toMatchObject([{ state: 'serving' }]);
  expect(await gateway.stop()).toBe(0);
});

test('a start that fails says why in one sentence and leaves neither lock nor server', async () => {
  const dataDir = await testFolder();
  await expect(start(dataDir, { shared_buffers: 'plenty' })).rejects.toMatchObject({
    name: 'EmbeddedPostgresError',
    message: expect.stringMatching(/^The Postgres server in .* ended while starting: .*shared_buffers.*\.$/),
  });
  const home = await homeOf(dataDir);
  expect(await exists(join(home, 'gateway.lock'))).toBe(false);

  const password = await readFile(join(home, 'password'), 'utf8');
  await writeFile(join(home, 'password'), 'of another database\n');
  await expect(start(dataDir)).rejects.toThrow('refuses the password');
  expect(await serverOf(home)).toBeUndefined();
  expect(await exists(join(home, 'gateway.lock'))).toBe(false);

  await writeFile(join(home, 'password'), password);
  expect(await start(dataDir)).toMatchObject({ adopted: false });
});

test('a lost password file is named, and the data beside it kept', async () => {
  const dataDir = await testFolder();
  const { dataDir: home, stop } = await start(dataDir);
  await stop();
  await truncate(join(home, 'password'));
  await expect(start(dataDir)).rejects.toThrow(join(home, 'password'));
  expect(await exists(join(home, 'data', 'PG_VERSION'))).toBe(true);
});

// Below /var/lib the wanted folder's name plays no part.
const here = new URL('.', import.meta.url).pathname;
const programsInReach = !runsAsRoot || (await canEnter(await findServerUser(), here));

test.skipIf(!programsInReach)('any folder name will do, and one too long for a unix socket does without', async () => {
  const folder = await testFolder();
  const sockets = (url: string) => query(url, `select current_setting('unix_socket_directories') as folders`);
  const odd = await start(join(folder, `it's, "odd" `));
  expect(await sockets(odd.url)).toEqual([{ folders: expect.stringContaining(`it's, ""odd"" `) }]);
  expect(await readdir(join(odd.dataDir, 'socket'))).toContain(`.s.PGSQL.${odd.port}`);
  await odd.stop();

  const long = await start(join(folder, 'x'.repeat(100), '.svc'));
  expect(await sockets(long.url)).toEqual([{ folders: '' }]);
});
