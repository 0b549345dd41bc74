import type { ChildProcess } from 'node:child_process';
import { createLogBudget, type PrintedLine, readLines } from './log-lines.ts';
import type { LoadedFunction, RunnerEvents } from './runner.ts';

/** How long after its end a call may be named by lines that are still on their way, in milliseconds. */
const lateMs = 1_000;

/** Reads what a process prints, and tells it as the lines of its function. */
export function readLogs(child: ChildProcess, fn: () => LoadedFunction | undefined, onLog: RunnerEvents['onLog']) {
  const budget = createLogBudget();
  const requests = new Map<number, string>();
  let lastErrors = '';
  const print = (stream: 'stdout' | 'stderr') => (line: PrintedLine) => {
    if (stream === 'stderr') lastErrors = `${lastErrors}\n${line.text}`.slice(-4_096);
    const requestId = requests.get(line.call);
    const text = budget.take(requestId === undefined ? { call: 0, text: line.text } : line);
    const owner = fn();
    if (owner === undefined || text === undefined) return;
    const { projectId, functionId, releaseId } = owner;
    onLog({ projectId, functionId, releaseId, requestId, stream, at: new Date(), text });
  };
  readLines(child.stdout!, print('stdout'));
  readLines(child.stderr!, print('stderr'));
  return {
    begin: (call: number, requestId: string) => requests.set(call, requestId),
    end(call: number): void {
      setTimeout(() => {
        requests.delete(call);
        budget.forget(call);
      }, lateMs).unref();
    },
    /** What was printed to stderr last, up to 4 KiB. */
    lastErrors: () => lastErrors.trim(),
  };
}
