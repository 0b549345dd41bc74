import { fork } from 'node:child_process';
import { once } from 'node:events';
import { totalmem } from 'node:os';
import { endGroup, yieldTo } from '../../core/child-processes.ts';

/** What a process for one piece of work may take of the machine. */
export interface ApartLimits {
  /** In milliseconds. @default 120_000, of contract 03, section 3.8 */
  readonly timeoutMs?: number;
  /** Memory of it, and of each process that it starts, in MiB. @default 2_048, or half of the machine's */
  readonly memoryMb?: number;
}

/** What such a process may use without being told. */
export const memoryMbMost = Math.min(2_048, Math.floor(totalmem() / 2 / 1024 / 1024));

/** The work was not done. The message says why. */
export class ApartError extends Error {
  override readonly name = 'ApartError';
}

/** What a program says of a fault of its own, rather than of what it was given. */
export interface ProgramFault {
  readonly fault: string;
}

/**
 * What the shell does before it becomes Node.js, which has no calls for this; what is started by it inherits it. When the
 * memory of the machine ends, it goes before the gateway.
 */
const beginning = (memoryMb: number): string =>
  `ulimit -d ${memoryMb * 1024}; { echo 1000 > /proc/self/oom_score_adj; } 2>/dev/null; exec "$0" "$@"`;

/**
 * Has a program do one piece of work in a process of its own, since it is of others' making and may be slow, large or worse.
 * The process has nothing of the gateway's environment and ends in time, with all that it started.
 *
 * @param program path of a module that answers one message with one
 * @throws ApartError
 */
export async function runApart<Answer extends object>(
  program: string,
  work: object,
  { timeoutMs = 120_000, memoryMb = memoryMbMost }: ApartLimits,
  env: NodeJS.ProcessEnv = {},
): Promise<Answer> {
  const child = fork(program, {
    execPath: '/bin/sh',
    execArgv: ['-c', beginning(memoryMb), process.execPath, '--no-warnings'],
    cwd: '/',
    env: { GOMEMLIMIT: `${Math.floor((memoryMb * 3) / 4)}MiB`, ...env },
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
    child.send(work, () => undefined);
    const [answer] = await Promise.race([once(child, 'message'), once(child, 'disconnect')]);
    if (answer?.fault !== undefined) throw new Error(`The build failed: ${(answer as ProgramFault).fault}`);
    if (answer !== undefined) return answer as Answer;
  } finally {
    clearTimeout(clock);
    endGroup(child);
  }
  throw new ApartError(
    isLate
      ? `The build took more than ${timeoutMs / 1_000} seconds.`
      : `The build ended before it was done. It may use ${memoryMb} MiB of memory.`,
  );
}
