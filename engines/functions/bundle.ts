import { fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { availableParallelism, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { endGroup, yieldTo } from '../../core/child-processes.ts';
import type { Bundled, BundlerFault, FunctionSource } from './bundle-modules.ts';
import { CallTurns } from './call-turns.ts';

/** A function as one ES module, which imports built-in modules of Node.js alone. */
export interface Bundle {
  readonly code: Uint8Array;
  readonly sourceMap: Uint8Array;
  /** What is worth knowing of the build, a line each. */
  readonly log: readonly string[];
}

/** The code cannot be made one module. */
export class BundleError extends Error {
  override readonly name = 'BundleError';
  /** What is wrong, by file, line and column. */
  readonly log: readonly string[];

  constructor(log: readonly string[]) {
    super(log[0] ?? 'The function cannot be bundled.');
    this.log = log;
  }
}

/** A larger bundle, in bytes, is worth a warning. Contract 03, section 2.11.5. */
const bundleBytesLarge = 10 * 1024 * 1024;

/** What a bundle may take of the machine. */
export interface BundleLimits {
  /** In milliseconds. @default 120_000, of contract 03, section 3.8 */
  readonly timeoutMs?: number;
  /** Memory of each of its two processes, in MiB. @default 2_048, or half of the machine's */
  readonly memoryMb?: number;
}

const program = fileURLToPath(new URL('./bundle-program.ts', import.meta.url));

/** Enough for a bundle of the largest size. */
const memoryMbMost = Math.min(2_048, Math.floor(totalmem() / 2 / 1024 / 1024));

/** Bundles at a time, of all deploys: as many as there are processors, and memory for. */
const atOnce = Math.max(1, Math.min(availableParallelism(), Math.floor(totalmem() / 2 / (memoryMbMost * 1024 * 1024))));
const turns = new CallTurns({ running: atOnce, waiting: Number.POSITIVE_INFINITY });
const never = new AbortController().signal;

/**
 * Makes one ES module of the code of a function, in a process of its own: code of others that makes the bundler slow,
 * large or worse does it to that process, which has no environment and ends in time.
 *
 * @throws BundleError
 */
export async function bundleFunction(source: FunctionSource, limits: BundleLimits = {}): Promise<Bundle> {
  const end = await turns.take('bundles', never);
  try {
    return bundleOf(await bundleApart(source, limits));
  } finally {
    end();
  }
}

function bundleOf(bundled: Bundled): Bundle {
  if ('errors' in bundled) throw new BundleError(bundled.errors);
  const { code, sourceMap, warnings } = bundled;
  const large = code.length > bundleBytesLarge ? [`The bundle has ${code.length} bytes, and starts slowly.`] : [];
  return { code, sourceMap, log: [...warnings, ...large] };
}

/**
 * What the shell does before it becomes Node.js, which has no calls for this; esbuild inherits it. When the memory of the
 * machine ends, bundlers go before the gateway.
 */
const beginning = (memoryMb: number): string =>
  `ulimit -d ${memoryMb * 1024}; { echo 1000 > /proc/self/oom_score_adj; } 2>/dev/null; exec "$0" "$@"`;

async function bundleApart(
  source: FunctionSource,
  { timeoutMs = 120_000, memoryMb = memoryMbMost }: BundleLimits,
): Promise<Bundled> {
  const child = fork(program, {
    execPath: '/bin/sh',
    execArgv: ['-c', beginning(memoryMb), process.execPath, '--no-warnings'],
    cwd: '/',
    env: { GOMEMLIMIT: `${Math.floor((memoryMb * 3) / 4)}MiB` },
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    // A group of its own, so that all of it can be ended at once.
    detached: true,
  });
  let isLate = false;
  const clock = setTimeout(() => {
    isLate = true;
    endGroup(child);
  }, timeoutMs);
  if (child.pid !== undefined) yieldTo(child.pid);
  // It may end before it has read everything; that it ended is told once.
  child.on('error', () => undefined);
  try {
    child.send(source, () => undefined);
    const [bundled] = await Promise.race([once(child, 'message'), once(child, 'disconnect')]);
    if (bundled?.fault !== undefined) throw new Error(`The bundler failed: ${(bundled as BundlerFault).fault}`);
    if (bundled !== undefined) return bundled as Bundled;
  } finally {
    clearTimeout(clock);
    endGroup(child);
  }
  throw new BundleError([
    isLate
      ? `The build took more than ${timeoutMs / 1_000} seconds.`
      : `The build ended before it was done. It may use ${memoryMb} MiB of memory.`,
  ]);
}

/** SHA-256 of everything that a bundle depends on: the same function need not be bundled again. */
export const fingerprintOf = (codeHash: string, runtimeVersion: string): string =>
  createHash('sha256')
    .update(JSON.stringify([codeHash, runtimeVersion]))
    .digest('hex');
