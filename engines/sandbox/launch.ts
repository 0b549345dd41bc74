import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { endGroup, yieldTo } from '../../core/child-processes.ts';
import { runtimeFolder } from './image.ts';

const read = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8');
const scripts = { launch: read('./launch.sh'), function: read('./box.sh'), command: read('./command-box.sh') };

/** Everything that all boxes of a runner have in common. */
export interface LaunchContext {
  /** Program of Node.js 22. */
  readonly node: string;
  /** The folder that `makeImage` filled. */
  readonly image: string;
  /** A folder for each box is made in it. */
  readonly slots: string;
  /** Without namespaces there is only the second wall of Node.js, and the network is open. */
  readonly rung: 'namespaces' | 'process';
  /** Program that ends a process without namespaces with the gateway, as boxes end; undefined where there is none. */
  readonly setpriv?: string | undefined;
}

/** Where a process finds its things: in a box everywhere the same. */
export interface Places {
  readonly runtime: string;
  readonly code: string;
  readonly tmp: string;
  /** The socket that leads to other servers; undefined where the process reaches them itself. */
  readonly egress: string | undefined;
}

export interface Slot {
  readonly folder: string;
  /** Seen inside as `/code`, read-only. */
  readonly code: string;
  /** Seen inside as `/run`, read-only: sockets in it may be connected to. */
  readonly run: string;
  readonly places: Places;
}

/** A box that was started. What it prints comes over its streams, and its frames over the fourth. */
export interface Box {
  readonly child: ChildProcess;
  /** User of the machine that its processes belong to; undefined where it is the gateway's own. */
  readonly uid: number | undefined;
}

/** First of the numbers that boxes have as users: far above those that systems and containers give to anything. */
const firstUid = 1_900_000_000;

/** Only root can become another user. */
const ownUids = process.getuid?.() === 0;

/** Beside heap and buffers a process has code, stacks and tables: what its data segment may hold more, in MiB. */
const besidesMb = 64;

/** Largest file of a function, in MiB. */
const functionFilesMb = 32;

const mib = 1024 * 1024;

interface BoxToLaunch {
  readonly number: number;
  readonly folder: string;
  readonly memoryMb: number;
  /** The root file system of a box that is for a command; undefined for a function's. */
  readonly root?: string;
}

/** Makes the folder of a box. @param number its own among all that run at the same time */
export async function makeSlot({ image, slots, rung }: LaunchContext, number: number): Promise<Slot> {
  const folder = join(slots, String(number));
  await mkdir(folder, { recursive: true });
  const [code, run, tmp] = [join(folder, 'code'), join(folder, 'run'), join(folder, 'tmp')];
  for (const path of [code, run, tmp, join(folder, 'box'), join(folder, 'stage')]) await mkdir(path);
  const places =
    rung === 'namespaces'
      ? { runtime: runtimeFolder, code: '/code', tmp: '/tmp', egress: '/run/egress.sock' }
      : { runtime: join(image, runtimeFolder), code, tmp, egress: undefined };
  return { folder, code, run, places };
}

/** The user of a box, by its number. */
export const uidOf = (number: number, rung: LaunchContext['rung']): number | undefined =>
  ownUids && rung === 'namespaces' ? firstUid + number : undefined;

/** Hands a file over to the user of a box. */
export async function giveTo(uid: number | undefined, path: string): Promise<void> {
  if (uid !== undefined) await chown(path, uid, uid);
}

/**
 * Starts Node.js in a box: namespaces of users, networks, processes, mounts, messages, host names and control groups, a
 * read-only root, no rights, limits on memory, processes, files and descriptors.
 */
export function launch(
  { node, image, rung, setpriv }: LaunchContext,
  { number, folder, memoryMb, root }: BoxToLaunch,
  args: readonly string[],
): Box {
  const uid = uidOf(number, rung);
  const bytes = (memoryMb + besidesMb) * mib;
  const isCommand = root !== undefined;
  const own = [
    'sh',
    '-c',
    scripts.launch,
    'launch',
    isCommand ? scripts.command : scripts.function,
    String(uid ?? ''),
    folder,
    image,
    node,
    String(bytes),
    String((isCommand ? memoryMb : functionFilesMb) * mib),
    root ?? '',
  ];
  const boxed = uid === undefined ? own : ['unshare', '-m', '--propagation', 'private', ...own];
  const bare = setpriv === undefined ? [node] : [setpriv, '--pdeathsig', 'KILL', node];
  const [program, ...rest] = rung === 'namespaces' ? boxed : bare;
  const child = spawn(program!, [...rest, ...args], {
    cwd: '/',
    // Nothing of the gateway's environment, where its secrets are.
    env: { PATH: `${process.env.PATH ?? ''}:/usr/sbin:/sbin:/usr/bin:/bin`, HOME: '/tmp' },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    // A group of its own, so that all of it can be ended at once.
    detached: true,
  });
  if (child.pid !== undefined) yieldTo(child.pid);
  return { child, uid };
}

/** Ends a box with everything in it. */
export function endBox({ child }: Box): void {
  if (child.exitCode === null && child.signalCode === null) endGroup(child);
}
