import { setTimeout as sleep } from 'node:timers/promises';
import { programIn } from './binaries.ts';
import { EmbeddedPostgresError } from './error.ts';
import { isRunning, type ProcessIdentity } from './process-identity.ts';
import { run } from './run.ts';

/**
 * Fast: sessions are ended and a checkpoint is written. If that takes too long, immediate: the next start recovers from
 * the log, nothing committed is lost. The last is for a server that answers to nothing.
 */
const stepsAfter = (fastMs: number) =>
  [
    { signal: 'SIGINT', waitMs: fastMs },
    { signal: 'SIGQUIT', waitMs: 8_000 },
    { signal: 'SIGKILL', waitMs: 2_000 },
  ] as const;
const lookEveryMs = 10;

/**
 * Ends a Postgres server and waits until it is gone.
 * @param programs Folder of the Postgres programs.
 * @param fastMs How long the checkpoint may take, in milliseconds.
 * @throws EmbeddedPostgresError when it outlives even SIGKILL (a disk that hangs).
 */
export async function stopPostmaster(server: ProcessIdentity, programs: string, fastMs = 6_000): Promise<void> {
  for (const { signal, waitMs } of stepsAfter(fastMs)) {
    if (!(await isRunning(server))) return;
    await send(server.pid, signal, programs);
    const giveUpAt = performance.now() + waitMs;
    while (performance.now() < giveUpAt) {
      if (!(await isRunning(server))) return;
      await sleep(lookEveryMs);
    }
  }
  throw new EmbeddedPostgresError(`The Postgres server (process ${server.pid}) could not be stopped.`);
}

async function send(pid: number, signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL', programs: string): Promise<void> {
  // Windows has no signals; Postgres brings its own, and a tool to send them.
  if (process.platform === 'win32') {
    await run(programIn(programs, 'pg_ctl'), ['kill', signal.slice('SIG'.length), String(pid)], undefined);
    return;
  }
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
