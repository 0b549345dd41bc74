import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';

/** A process that cannot be mistaken for a later one that was given the same pid. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Opaque, compared for equality. Empty where the system does not tell: there the pid alone decides. */
  readonly startedAt: string;
}

/** The living process behind a pid, or undefined when there is none (one that ended but was never reaped counts as none). */
export async function identifyProcess(pid: number): Promise<ProcessIdentity | undefined> {
  if (!answersSignals(pid)) return undefined;
  const seen = (await readProc(pid)) ?? (await readPs(pid));
  if (seen !== undefined)
    return seen.state === 'Z' || seen.state === 'X' ? undefined : { pid, startedAt: seen.startedAt };
  // Nothing to read: either it ended just now, or this system hides processes of other users.
  return answersSignals(pid) ? { pid, startedAt: '' } : undefined;
}

/** Whether that very process, and not a later one with its pid, is still running. */
export async function isRunning(known: ProcessIdentity): Promise<boolean> {
  const now = await identifyProcess(known.pid);
  if (now === undefined) return false;
  return now.startedAt === known.startedAt || now.startedAt === '' || known.startedAt === '';
}

/** The command line of a process, its words joined by blanks, or undefined where the system does not tell. */
export async function commandLine(pid: number): Promise<string | undefined> {
  const words = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => undefined);
  if (words !== undefined) return words.split('\0').join(' ');
  return ps(pid, ['-ww', '-o', 'command=']);
}

interface Seen {
  /** One letter; Z is a process that ended and waits for its parent to ask how. */
  readonly state: string;
  readonly startedAt: string;
}

function answersSignals(pid: number): boolean {
  // Zero and below would name process groups.
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // It exists, but belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function readProc(pid: number): Promise<Seen | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  if (stat === undefined) return undefined;
  // The second field is the command's name in brackets and may hold blanks and brackets of its own. See proc_pid_stat(5).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // The start is counted in ticks since boot, so that only the boot's id makes it comparable across a restart of the machine.
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '');
  return { state: fields[0] ?? '', startedAt: `${boot.trim()}/${fields[19]}` };
}

/** The way of macOS and the BSDs, exact to the second. Exported for the test, which runs where /proc exists. */
export async function readPs(pid: number): Promise<Seen | undefined> {
  const line = await ps(pid, ['-o', 'stat=', '-o', 'lstart=']);
  const [, state, startedAt] = line?.match(/^\s*(\S)\S*\s+(\S.*\S)\s*$/) ?? [];
  return state === undefined || startedAt === undefined ? undefined : { state, startedAt };
}

function ps(pid: number, columns: readonly string[]): Promise<string | undefined> {
  // A fixed locale and zone, or the same start would be written differently from another shell.
  const env = { PATH: '/bin:/usr/bin', LC_ALL: 'C', TZ: 'UTC' };
  return new Promise((resolve) => {
    execFile('ps', [...columns, '-p', String(pid)], { env }, (error, stdout) =>
      resolve(error === null && stdout.trim() !== '' ? stdout.trimEnd() : undefined),
    );
  });
}
