import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../free-port.ts';
import { natsProgram } from '../lane-programs.ts';

/** A program that is ended and started again, always at the same address. */
export interface Restartable {
  readonly url: string;
  readonly running: () => boolean;
  readonly start: () => Promise<void>;
  /** Without warning. */
  readonly kill: () => Promise<void>;
  /** As an operator would. */
  readonly stop: () => Promise<void>;
}

const gateway = fileURLToPath(new URL('../../server/main.ts', import.meta.url));

/** A gateway of the installation; it writes what goes wrong to standard error. */
export async function gatewayNode(env: Readonly<Record<string, string>>, folder: string): Promise<Restartable> {
  const port = await freePort();
  return restartable({
    url: `http://127.0.0.1:${port}`,
    launch: () =>
      spawn(process.execPath, [gateway], {
        cwd: folder,
        env: { PATH: process.env.PATH, LOG_LEVEL: 'error', SVC_DATA_DIR: folder, PORT: String(port), ...env },
        stdio: ['ignore', 'ignore', 'inherit'],
      }),
    ready: '/readyz',
  });
}

/** The way between nodes; undefined where it is not installed. */
export async function natsServer(): Promise<Restartable | undefined> {
  const program = natsProgram();
  if (program === undefined) return undefined;
  const [port, monitorPort] = [await freePort(), await freePort()];
  const flags = ['-a', '127.0.0.1', '-p', String(port), '-m', String(monitorPort)];
  return {
    ...restartable({
      url: `http://127.0.0.1:${monitorPort}`,
      launch: () => spawn(program, flags, { stdio: 'ignore' }),
      ready: '/healthz',
    }),
    url: `nats://127.0.0.1:${port}`,
  };
}

interface Program {
  readonly url: string;
  readonly launch: () => ChildProcess;
  /** A path that answers 200 once it serves. */
  readonly ready: string;
}

function restartable({ url, launch, ready }: Program): Restartable {
  let child: ChildProcess | undefined;
  const end = async (signal: NodeJS.Signals) => {
    const ending = child;
    child = undefined;
    if (ending === undefined || ending.exitCode !== null || ending.signalCode !== null) return;
    const ended = once(ending, 'exit');
    ending.kill(signal);
    await ended;
  };
  return {
    url,
    running: () => child !== undefined,
    start: async () => {
      const started = launch();
      while (!(await answers(url + ready))) {
        if (started.exitCode !== null || started.signalCode !== null) throw new Error(`What serves ${url} ended.`);
        await sleep(50);
      }
      child = started;
    },
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
  };
}

const answers = async (url: string) => (await fetch(url).catch(() => undefined))?.status === 200;
