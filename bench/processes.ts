import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { firstUrl } from '../scripts/first-url.ts';

/** A process of this run. Every one that was started is in `running` until it has ended. */
export interface Running {
  readonly pid: number;
  readonly child: ChildProcess;
  readonly stop: () => Promise<void>;
}

/** A server under measurement. */
export interface Server extends Running {
  readonly url: string;
}

const running = new Set<Running>();

/** Ends what this run has started, whatever happened. */
export async function stopAll(): Promise<void> {
  await Promise.all([...running].map((one) => one.stop()));
}

const cores = availableParallelism();
const canPin = process.platform === 'linux' && cores > 1 && spawnSync('taskset', ['--version']).status === 0;

/** Servers share all cores but the last, which the load generators have for themselves; Postgres goes where it likes. */
export const pinning = canPin ? 'servers and load generators pinned to different cores' : 'nothing pinned';

function launch(
  role: 'server' | 'load',
  file: string,
  { env = {}, cwd, flags = [] }: { env?: NodeJS.ProcessEnv; cwd?: string; flags?: readonly string[] } = {},
): ChildProcess {
  const program = [process.execPath, ...flags, fileURLToPath(new URL(file, import.meta.url))];
  const where = role === 'load' ? `${cores - 1}` : `0-${cores - 2}`;
  const [command, ...args] = canPin ? ['taskset', '-c', where, ...program] : program;
  return spawn(command!, args, {
    env: { PATH: process.env.PATH, ...env },
    stdio: role === 'load' ? ['ignore', 'ignore', 'inherit', 'ipc'] : ['ignore', 'pipe', 'inherit'],
    ...(cwd === undefined ? {} : { cwd }),
  });
}

function watch(child: ChildProcess): Running {
  const ended = once(child, 'close');
  const one: Running = {
    pid: child.pid!,
    child,
    async stop() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
      const patience = setTimeout(() => child.kill('SIGKILL'), 10_000);
      await ended;
      clearTimeout(patience);
      running.delete(one);
    },
  };
  running.add(one);
  return one;
}

/** Starts a server and waits for the line in which it says where it listens. */
export async function startServer(
  file: string,
  env: NodeJS.ProcessEnv,
  cwd: string,
  flags: readonly string[] = [],
): Promise<Server> {
  const child = launch('server', file, { env, cwd, flags });
  const one = watch(child);
  const url = await firstUrl(child);
  if (url === undefined) throw new Error(`${file} ended before it served.`);
  // `localhost` may resolve to two addresses, and the second try would be measured too.
  return { ...one, url: url.replace('localhost', '127.0.0.1') };
}

/** Starts a program that is no Node, and waits until it listens. */
export async function startProgram(program: string, args: readonly string[], url: string): Promise<Server> {
  const [command, ...all] = canPin ? ['taskset', '-c', `0-${cores - 2}`, program, ...args] : [program, ...args];
  const one = watch(spawn(command!, all, { stdio: ['ignore', 'ignore', 'inherit'] }));
  const { hostname, port } = new URL(url);
  for (let patience = 100; !(await listens(hostname, Number(port))); patience--) {
    if (patience === 0 || one.child.exitCode !== null) throw new Error(`${program} does not serve.`);
    await sleep(50);
  }
  return { ...one, url };
}

const listens = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host, port });
    const tell = (found: boolean) => () => {
      socket.destroy();
      resolve(found);
    };
    socket.on('connect', tell(true)).on('error', tell(false));
  });

/** A process that makes load, and answers one request after the other. */
export interface Worker<Command, Answer> extends Running {
  readonly ask: (command: Command) => Promise<Answer>;
}

export function startWorker<Command extends object, Answer>(file: string): Worker<Command, Answer> {
  const child = launch('load', file);
  const one = watch(child);
  return {
    ...one,
    ask(command) {
      return new Promise((resolve, reject) => {
        const gone = () => reject(new Error(`${file} ended.`));
        child.once('close', gone);
        child.once('message', (answer: { ok: Answer } | { error: string }) => {
          child.off('close', gone);
          if ('error' in answer) reject(new Error(answer.error));
          else resolve(answer.ok);
        });
        child.send(command);
      });
    },
  };
}

/** The other end of {@link startWorker}. */
export function serve<Command, Answer>(run: (command: Command) => Promise<Answer>): void {
  process.on('message', (command: Command) => {
    run(command).then(
      (ok) => process.send!({ ok }),
      (error: unknown) => process.send!({ error: error instanceof Error ? error.stack : String(error) }),
    );
  });
  process.on('disconnect', () => process.exit());
}

/** The system counts processor time in hundredths of a second. */
const ticksPerSecond = 100;

/** Fields of /proc/<pid>/stat after the name, which may hold spaces; undefined where there is no such file. */
async function stat(pid: number): Promise<readonly string[] | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => undefined);
  return text?.slice(text.lastIndexOf(')') + 2).split(' ');
}

/** Processor time that a process has used so far, in seconds; 0 where the system does not say. */
export async function cpuSeconds(pid: number): Promise<number> {
  const fields = await stat(pid);
  return fields === undefined ? 0 : (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** Processor time of a process, of its children and of those that have ended: all of a Postgres server. */
export async function familyCpuSeconds(pid: number): Promise<number> {
  const fields = await stat(pid);
  if (fields === undefined) return 0;
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'latin1').catch(() => '');
  const living = await Promise.all(
    children
      .split(' ')
      .filter(Boolean)
      .map((child) => cpuSeconds(Number(child))),
  );
  const own = [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index]), 0) / ticksPerSecond;
  return living.reduce((sum, seconds) => sum + seconds, own);
}

export async function parentOf(pid: number): Promise<number> {
  return Number((await stat(pid))?.[1] ?? 0);
}

/** Memory that a process holds, in KiB; NaN where the system does not say. */
export async function residentKiB(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/status`, 'latin1').catch(() => '');
  return Number(/VmRSS:\s+(\d+) kB/.exec(text)?.[1] ?? Number.NaN);
}
