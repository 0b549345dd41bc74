import { Worker } from 'node:worker_threads';
import { FairQueue } from './fair-queue.ts';

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
  /** Pieces of work of one sharer that may wait. @default all that may wait */
  readonly shareMax?: number;
  /** Longest that one may wait, in milliseconds. @default no limit */
  readonly waitMs?: number;
  /** Longest that one may take, in milliseconds. @default no limit */
  readonly workMs?: number;
  /** Memory that a thread may use for objects, in megabytes. @default what Node gives */
  readonly memoryMb?: number;
}

/** Work that is done beside the event loop. */
export interface Threads<Task, Answer> {
  /**
   * @param sharer whose work it is: those who share the threads are served in turns
   * @throws ThreadsBusyError, ThreadEndedError
   */
  readonly ask: (task: Task, sharer?: string) => Promise<Answer>;
  readonly close: () => Promise<void>;
}

interface Job<Task, Answer> {
  readonly task: Task;
  waitTimer: NodeJS.Timeout | undefined;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

interface Thread<Task, Answer> {
  readonly worker: Worker;
  job: Job<Task, Answer> | undefined;
  timer: NodeJS.Timeout | undefined;
}

/** Threads are started when there is work for them, and hold up the end of the process no longer than it. */
export function createThreads<Task, Answer>(options: ThreadsOptions): Threads<Task, Answer> {
  const { program, most, waitingMax, shareMax = waitingMax, waitMs, workMs, memoryMb } = options;
  const threads = new Set<Thread<Task, Answer>>();
  const waiting = new FairQueue<Job<Task, Answer>>({ max: waitingMax, shareMax });
  let closed = false;

  function start(): Thread<Task, Answer> {
    const worker = new Worker(
      program,
      memoryMb === undefined ? {} : { resourceLimits: { maxOldGenerationSizeMb: memoryMb } },
    );
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

  function next(): void {
    if (waiting.size === 0) return;
    const idle = [...threads].find((thread) => thread.job === undefined) ?? (threads.size < most ? start() : undefined);
    if (idle === undefined) return;
    const job = waiting.shift()!;
    clearTimeout(job.waitTimer);
    idle.job = job;
    idle.worker.ref();
    if (workMs !== undefined) idle.timer = setTimeout(() => void idle.worker.terminate(), workMs).unref();
    idle.worker.postMessage(job.task);
  }

  return {
    ask(task, sharer = '') {
      return new Promise((resolve, reject) => {
        const job: Job<Task, Answer> = { task, waitTimer: undefined, resolve, reject };
        if (closed || !waiting.push(sharer, job)) return reject(new ThreadsBusyError('Too much work waits.'));
        if (waitMs !== undefined)
          job.waitTimer = setTimeout(() => {
            if (waiting.remove(sharer, job)) reject(new ThreadsBusyError('The work waited too long.'));
          }, waitMs).unref();
        next();
      });
    },
    async close() {
      closed = true;
      for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) {
        clearTimeout(job.waitTimer);
        job.reject(new ThreadsBusyError('No work is taken any more.'));
      }
      await Promise.all([...threads].map(({ worker }) => worker.terminate()));
    },
  };
}
