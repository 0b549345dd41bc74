import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { findBinaries } from '../../db/embedded/binaries.ts';
import type { ServerUser } from '../../db/embedded/run.ts';
import { stopPostmaster } from '../../db/embedded/stop-postmaster.ts';
import { homeOf, serverOf } from '../db/fixtures/embedded-harness.ts';
import { argumentsOf, programEnv } from '../helpers/programs.ts';

export const checkout = fileURLToPath(new URL('../..', import.meta.url));

/** How a start ended: at a URL, or with an exit code. */
export interface Start {
  /** Where it serves; undefined when it ended instead. */
  readonly url: string | undefined;
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly pid: number;
  readonly ended: Promise<number | null>;
  /** SIGTERM to everything the command started. @returns the exit code */
  readonly stop: () => Promise<number | null>;
  readonly kill: () => Promise<void>;
}

export interface StartOptions {
  readonly cwd?: string;
  /** The whole environment beside PATH and PORT=0. */
  readonly env?: Readonly<Record<string, string>>;
  readonly user?: ServerUser;
  /** @default `npm start` */
  readonly command?: readonly [string, ...string[]];
  /** Instead of a command: the gateway as this run has bundled it, for what a start from the sources has shown once. */
  readonly bundled?: boolean;
}

/** Runs a command, in a process group of its own that ends with the test. */
export function run({ cwd = checkout, env = {}, user, command = ['npm', 'start'], bundled = false }: StartOptions) {
  const [program, ...args] = bundled ? [shippedNode(checkout), ...argumentsOf('gateway')] : command;
  const child: ChildProcess = spawn(program, args, {
    cwd,
    // As after logging in: what the tests' own npm has set is not passed on.
    env: { PATH: pathOfTheMachine(), PORT: '0', ...(bundled ? programEnv() : {}), ...env },
    ...(user ?? {}),
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout!.on('data', (part) => {
    stdout += part;
  });
  child.stderr!.on('data', (part) => {
    stderr += part;
  });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  const signal = (name: NodeJS.Signals) => {
    try {
      process.kill(-child.pid!, name);
    } catch {
      // All of it has ended.
    }
  };
  const kill = async () => {
    signal('SIGKILL');
    await ended;
  };
  onTestFinished(kill);
  return {
    child,
    pid: child.pid!,
    stdout: () => stdout,
    stderr: () => stderr,
    ended,
    kill,
    stop: async () => {
      signal('SIGTERM');
      return ended;
    },
  };
}

/** Starts the gateway and waits until it serves or has ended. */
export async function start(options: StartOptions): Promise<Start> {
  const { child, ...running } = run(options);
  const serving = new Promise<string>((resolve) => {
    child.stdout!.on('data', () => {
      const url = /serves at (http:\/\/\S+)\n[\s\S]*First calls: .*\n/.exec(running.stdout())?.[1];
      if (url !== undefined) resolve(url);
    });
  });
  const url = await Promise.race([serving, running.ended.then(() => undefined)]);
  return { ...running, url };
}

/** The gateway of a checkout without npm around it, so that every line and the exit code are the gateway's own. */
export const bare = (root = checkout): readonly [string, ...string[]] => [
  shippedNode(root),
  join(root, 'server/main.ts'),
];

const shippedNode = (root: string) => join(root, 'node_modules/.bin/node');

/** Without the folders that npm puts in front for its scripts. */
function pathOfTheMachine(): string {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.filter((folder) => !folder.includes('node_modules')).join(delimiter);
}

/**
 * A copy of the checkout as a clone would be, below a parent with the given mode. Hard links where the system allows it:
 * dependencies are some hundred megabytes.
 * @param owner whose clone it is. @default whoever runs the tests
 */
export async function cloneCheckout(parentMode: number, owner?: ServerUser): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), 'svc-clone-'));
  const clone = join(parent, 'gateway');
  onTestFinished(async () => {
    const home = await homeOf(join(clone, '.svc'));
    const server = await serverOf(home);
    if (server !== undefined) await stopPostmaster(server, (await findBinaries()).folder);
    for (const folder of [home, parent]) await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  });
  const parts = (await readdir(checkout)).filter((name) => !leftOut.has(name)).map((name) => join(checkout, name));
  const copy = async (...flags: readonly string[]) => {
    await mkdir(clone);
    execFileSync('cp', ['-a', ...flags, ...parts, clone], { stdio: 'pipe' });
  };
  try {
    await copy('-l');
  } catch {
    // Another file system, or one without hard links.
    await rm(clone, { recursive: true });
    await copy();
  }
  await chmod(clone, 0o755);
  if (owner !== undefined) await chown(clone, owner.uid >>> 0, owner.gid >>> 0);
  await chmod(parent, parentMode);
  return clone;
}

/** What a clone has no part in, or starting no use for. */
const leftOut = new Set(['.git', '.svc', 'coverage', 'test', 'bench']);
