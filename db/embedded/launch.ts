import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { programIn } from './binaries.ts';
import { dataIn, prepareSocketFolder } from './data-folder.ts';
import { EmbeddedPostgresError } from './error.ts';
import type { Place } from './place.ts';
import { findLivingPostmaster, type Postmaster, readPostmasterFile, waitUntilReady } from './postmaster.ts';
import { identifyProcess, isRunning, type ProcessIdentity } from './process-identity.ts';
import { spawnAs } from './run.ts';
import { stopPostmaster } from './stop-postmaster.ts';

export interface LaunchOptions {
  readonly place: Place;
  /** Folder of the Postgres programs. */
  readonly programs: string;
  readonly password: string;
  readonly settings: Readonly<Record<string, string>>;
  /** @default a free port of the loopback interface */
  readonly choosePort?: () => Promise<number>;
}

export interface Launched extends Postmaster {
  /** False: it was this call that started the server. */
  readonly adopted: boolean;
  /** Resolves when the server has ended, for whatever reason. */
  readonly ended: Promise<void>;
}

const defaultSettings = {
  max_connections: '200',
  // The table of locks is one for all databases: the larger, the harder it is for one tenant to fill.
  max_locks_per_transaction: '256',
  shared_buffers: '128MB',
  // Routine news that would bury the rest.
  log_checkpoints: 'off',
  // Statements that fail may hold the verifier of a password; the gateway logs what failed.
  log_min_error_statement: 'panic',
  // After a crash the file system is synced once, rather than every file of every project by itself.
  ...(process.platform === 'linux' ? { recovery_init_sync_method: 'syncfs' } : {}),
};

/** How long to retry when the obstacle goes away by itself: children of a killed server, a port just taken. */
const persistMs = 20_000;
const watchEveryMs = 1_000;
const logIn = (place: Place) => join(place.home, 'postgres.log');
const illegible = /lock file "postmaster.pid" is empty|bogus data in lock file "postmaster.pid"/;
const childrenRemain = /pre-existing shared memory block/;
const passing = new RegExp(
  `Address already in use|lock file "[^"]*" already exists|${childrenRemain.source}|${illegible.source}`,
);

/**
 * Adopts the server that lives on in the data folder, or starts one and waits until it lets us in. A server that was
 * started here does not outlive a failure.
 * @throws EmbeddedPostgresError with what Postgres said.
 */
export async function adoptOrLaunch(options: LaunchOptions): Promise<Launched> {
  const data = dataIn(options.place.home);
  const giveUpAt = performance.now() + persistMs;
  for (let attempt = 1; ; attempt += 1) {
    const file = await readPostmasterFile(data);
    const living = await findLivingPostmaster(data, file);
    if (living !== undefined) {
      const port = await waitUntilReady(data, living, options.password);
      if (port !== undefined) return { process: living, port, adopted: true, ended: watch(living) };
      continue; // it was on its way out
    }
    // The log of the last run is kept once; further attempts overwrite each other's.
    if (attempt === 1) await rename(logIn(options.place), join(options.place.home, 'postgres.old.log')).catch(() => {});
    const outcome = await launch(data, options, file?.pid);
    if (typeof outcome !== 'string') return { ...outcome, adopted: false };
    if (!passing.test(outcome) || performance.now() > giveUpAt) throw failure(options.place.home, outcome);
    await sleep(100);
    // A server that is just starting writes its file in no time: this one was emptied by a power cut.
    if (illegible.test(outcome) && (await readPostmasterFile(data)) === undefined)
      await rm(join(data, 'postmaster.pid'));
  }
}

/**
 * @param stalePid Pid in the data folder's `postmaster.pid` that belongs to no server of ours.
 * @returns a running server, or what it wrote before it ended.
 */
async function launch(
  data: string,
  options: LaunchOptions,
  stalePid: number | undefined,
): Promise<Omit<Launched, 'adopted'> | string> {
  const { place, programs, password, choosePort = chooseFreePort } = options;
  const socketFolder = await prepareSocketFolder(place);
  const settings = {
    ...defaultSettings,
    ...options.settings,
    listen_addresses: '127.0.0.1',
    port: String(await choosePort()),
    // A list of quoted names, so that a comma or blank in the path does not split it.
    unix_socket_directories: socketFolder === undefined ? '' : `"${socketFolder.replaceAll('"', '""')}"`,
  };
  // Also looked for, in this order, in the command line of a server to adopt.
  const args = ['-D', data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];

  // Made anew and never followed, so that no symlink leads root to another file.
  await rm(logIn(place), { force: true });
  const log = await open(logIn(place), 'wx', 0o600);
  const { env, ...as } = spawnAs(place.user);
  const child = spawn(programIn(programs, 'postgres'), args, {
    ...as,
    // A dead server's postmaster.pid is left to Postgres to replace, since it also looks for children of the dead server
    // that are still writing. But it takes any process with the recorded pid for that server, unless told (as pg_ctl
    // does) that the pid is an ancestor's; the caller has made sure it is another program's.
    env: { ...env, ...(stalePid === undefined ? {} : { PG_GRANDPARENT_PID: String(stalePid) }) },
    cwd: place.home,
    // A session of its own: Ctrl-C in the terminal is for the gateway, which stops Postgres after it has drained.
    detached: true,
    // It logs to standard error; to standard output it writes only the trees that `#option dump` of a tenant asks for.
    stdio: ['ignore', 'ignore', log.fd],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  try {
    await once(child, 'spawn');
  } catch (error) {
    return (error as Error).message;
  } finally {
    await log.close();
  }
  child.unref();

  const server = await identifyProcess(child.pid!);
  try {
    const port = server && (await waitUntilReady(data, server, password));
    if (server !== undefined && port !== undefined) return { process: server, port, ended };
  } catch (error) {
    await stopPostmaster(server!, programs);
    throw error;
  }
  return readFile(logIn(place), 'utf8');
}

/** A server that is not our child does not report its end. The watch alone keeps no program from ending. */
async function watch(server: ProcessIdentity): Promise<void> {
  while (await isRunning(server)) await sleep(watchEveryMs, undefined, { ref: false });
}

function failure(home: string, output: string): EmbeddedPostgresError {
  if (childrenRemain.test(output)) {
    return new EmbeddedPostgresError(
      `Processes of a Postgres server that was killed in ${home} are still at work; start again when they have ended, or end them.`,
    );
  }
  const lines = output.trim().split('\n');
  const line = lines.findLast((each) => /(?:FATAL|PANIC): /.test(each)) ?? lines.at(-1) ?? '';
  const said = line.replace(/^.*?(?:FATAL|PANIC): */, '').replace(/\.$/, '') || 'it said nothing';
  return new EmbeddedPostgresError(
    `The Postgres server in ${home} ended while starting: ${said} (see postgres.log there).`,
  );
}

async function chooseFreePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port');
  return address.port;
}
