import { Worker } from 'node:worker_threads';

/** More waits for a thread than can be done in bearable time, or nothing is done any more. */
export class ThreadsBusyError extends Error {
  override readonly name = 'ThreadsBusyError';
}

/** A thread ended in the middle of its work: it took too much memory, or too long, or was at fault. */
export class ThreadEndedError extends Error {
  override readonly name = 'ThreadEndedError';
}

export interface ThreadsOptions {
  /** What a thread runs: it answers each message by one message. */
  readonly program: URL;
  /** Threads at once. */
  readonly most: number;
  /** Pieces of work that may wait. */
  readonly waitingMax: number;
  /** Pieces of work of one party that may wait. @default all of them */
  readonly shareMax?: number;
  /** Longest that one waits for its turn, in milliseconds. @default no limit */
  readonly waitMs?: number;
  /** Longest that one may take, in milliseconds. @default no limit */
  readonly workMs?: number;
  /** Memory that a thread may use for objects, in megabytes. @default what Node gives */
  readonly memoryMb?: number;
}

/** Work that is done beside the event loop. */
export interface Threads<Task, Answer> {
  /**
   * @param party whose work it is: parties take turns
   * @throws ThreadsBusyError, ThreadEndedError
   */
  readonly ask: (task: Task, party?: string) => Promise<Answer>;
  readonly close: () => Promise<void>;
}

interface Job<Task, Answer> {
  readonly task: Task;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
  patience?: NodeJS.Timeout;
}

interface Thread<Task, Answer> {
  readonly worker: Worker;
  job: Job<Task, Answer> | undefined;
  timer: NodeJS.Timeout | undefined;
}

/** Threads are started when there is work for them, and hold up the end of the process no longer than it. */
export function createThreads<Task, Answer>(options: ThreadsOptions): Threads<Task, Answer> {
  const { program, most, waitingMax, shareMax = waitingMax, workMs, waitMs, memoryMb } = options;
  const threads = new Set<Thread<Task, Answer>>();
  /** By party; the one whose turn was last comes last. */
  const lines = new Map<string, Set<Job<Task, Answer>>>();
  let waiting = 0;
  let closed = false;

  function start(): Thread<Task, Answer> {
    const worker = new Worker(program, {
      // A thread works on texts of others: what is printed there would reach the log past the logger.
      stdout: true,
      stderr: true,
      ...(memoryMb === undefined ? {} : { resourceLimits: { maxOldGenerationSizeMb: memoryMb } }),
    });
    worker.stdout.resume();
    worker.stderr.resume();
    const thread: Thread<Task, Answer> = { worker, job: undefined, timer: undefined };
    worker.on('message', (answer: Answer) => {
      const { job } = thread;
      thread.job = undefined;
      clearTimeout(thread.timer);
      // Only work holds up the end of the process.
      worker.unref();
      next();
      job?.resolve(answer);
    });
    worker.on('error', () => undefined);
    worker.on('exit', () => {
      threads.delete(thread);
      clearTimeout(thread.timer);
      thread.job?.reject(new ThreadEndedError('A thread ended in the middle of its work.'));
      if (!closed) next();
    });
    threads.add(thread);
    return thread;
  }

  function leave(party: string, job: Job<Task, Answer>): void {
    const line = lines.get(party);
    if (line?.delete(job) !== true) return;
    waiting -= 1;
    clearTimeout(job.patience);
    if (line.size === 0) lines.delete(party);
  }

  function next(): void {
    const [first] = lines;
    if (first === undefined) return;
    const [party, line] = first;
    const [job] = line;
    if (job === undefined) return;
    const idle = [...threads].find((thread) => thread.job === undefined) ?? (threads.size < most ? start() : undefined);
    if (idle === undefined) return;
    lines.delete(party);
    lines.set(party, line);
    leave(party, job);
    idle.job = job;
    idle.worker.ref();
    if (workMs !== undefined) idle.timer = setTimeout(() => void idle.worker.terminate(), workMs).unref();
    idle.worker.postMessage(job.task);
  }

  return {
    ask(task, party = '') {
      const line = lines.get(party) ?? new Set();
      if (closed || waiting >= waitingMax || line.size >= shareMax)
        return Promise.reject(new ThreadsBusyError('Too much work waits.'));
      return new Promise((resolve, reject) => {
        const job: Job<Task, Answer> = { task, resolve, reject };
        lines.set(party, line.add(job));
        waiting += 1;
        if (waitMs !== undefined)
          job.patience = setTimeout(() => {
            leave(party, job);
            reject(new ThreadsBusyError('The work waited too long for its turn.'));
          }, waitMs).unref();
        next();
      });
    },
    async close() {
      closed = true;
      for (const [party, line] of lines)
        for (const job of line) {
          leave(party, job);
          job.reject(new ThreadsBusyError('No work is taken any more.'));
        }
      await Promise.all([...threads].map(({ worker }) => worker.terminate()));
    },
  };
}
