import type { ChildProcess } from 'node:child_process';
import { constants, setPriority } from 'node:os';

/** Has a process that the gateway started get processors after it. */
export function yieldTo(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It has ended already, which its own events tell.
  }
}

/** Ends a process that was started with a group of its own (`detached`), and everything that it has started. */
export function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // All of it has ended already.
  }
}
