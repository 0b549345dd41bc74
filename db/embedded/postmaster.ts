import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { EmbeddedPostgresError } from './error.ts';
import { commandLine, identifyProcess, isRunning, type ProcessIdentity } from './process-identity.ts';

/** A Postgres server at work. */
export interface Postmaster {
  readonly process: ProcessIdentity;
  readonly port: number;
}

/** How long a server may take to let us in, once it says that it is ready or before it says anything. */
const readyWithinMs = 120_000;
/**
 * How long it may say that it is starting: after a crash it first looks at every file of every project's database, which
 * a limit that fits one project would never let it finish.
 */
const recoveryWithinMs = 3_600_000;
const lookEveryMs = 15;

interface PostmasterFile {
  readonly pid: number;
  readonly port: number;
  readonly ready: boolean;
}

/** What a server wrote about itself into its data folder, or undefined when there is nothing (legible). */
export async function readPostmasterFile(data: string): Promise<PostmasterFile | undefined> {
  const text = await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '');
  // pid, folder, start, port, socket folder, address, shared memory, status
  const lines = text.split('\n');
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  return { pid, port: Number(lines[3]), ready: lines[7]?.trim() === 'ready' };
}

/**
 * The living server that wrote the file, or undefined. A pid that was given to another program since is not mistaken for
 * it: every server of ours carries the folder in its command line.
 */
export async function findLivingPostmaster(
  data: string,
  file: PostmasterFile | undefined,
): Promise<ProcessIdentity | undefined> {
  const found = file && (await identifyProcess(file.pid));
  if (found === undefined) return undefined;
  const command = await commandLine(found.pid);
  // Where command lines cannot be read, the login that follows decides.
  return command === undefined || command.includes(`-D ${data} -c `) ? found : undefined;
}

/**
 * Waits until the server lets us in with our password.
 * @returns its port, or undefined when the server ended meanwhile.
 * @throws EmbeddedPostgresError when it refuses the password or is not ready in time.
 */
export async function waitUntilReady(
  data: string,
  server: ProcessIdentity,
  password: string,
): Promise<number | undefined> {
  const begunAt = performance.now();
  let lastError: unknown;
  while (await isRunning(server)) {
    const file = await readPostmasterFile(data);
    // No login before the file says so: until then another server may be listening on that port.
    if (file?.pid === server.pid && file.ready) {
      lastError = await tryLogin(file.port, password);
      if (lastError === undefined) return file.port;
      if (!passes(lastError)) {
        throw new EmbeddedPostgresError(
          `The Postgres server of ${data} (process ${server.pid}) refuses the password kept beside its data: ${(lastError as Error).message}.`,
          { cause: lastError },
        );
      }
    }
    const limit = file?.pid === server.pid && !file.ready ? recoveryWithinMs : readyWithinMs;
    if (performance.now() - begunAt > limit) {
      throw new EmbeddedPostgresError(
        `The Postgres server of ${data} (process ${server.pid}) accepts no login after ${limit / 1000} seconds; look into postgres.log beside it.`,
        { cause: lastError },
      );
    }
    await sleep(lookEveryMs);
  }
  return undefined;
}

/** Still starting, or every connection in use by the sessions of a gateway that has just died. Or no answer of Postgres at all. */
function passes(error: unknown): boolean {
  const { code } = error as { code?: string };
  return code === undefined || code === '57P03' || code === '53300' || /^E[A-Z]+$/.test(code);
}

/** The superuser's URL. Holds the password. */
export const superuserUrl = (port: number, password: string) =>
  `postgresql://postgres:${encodeURIComponent(password)}@127.0.0.1:${port}/postgres`;

async function tryLogin(port: number, password: string): Promise<unknown> {
  const client = new Client({
    connectionString: superuserUrl(port, password),
    ssl: false,
    connectionTimeoutMillis: 5000,
  });
  // A connection that breaks later is reported here as well, and would otherwise end the process.
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('select 1');
    return undefined;
  } catch (error) {
    return error;
  } finally {
    await client.end().catch(() => {});
  }
}
