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
  /** Longest that one may take, in milliseconds. @default no limit */
  readonly workMs?: number;
  /** Memory that a thread may use for objects, in megabytes. @default what Node gives */
  readonly memoryMb?: number;
}

/** Work that is done beside the event loop. */
export interface Threads<Task, Answer> {
  /** @throws ThreadsBusyError, ThreadEndedError */
  readonly ask: (task: Task) => Promise<Answer>;
  readonly close: () => Promise<void>;
}

interface Job<Task, Answer> {
  readonly task: Task;
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
  const { program, most, waitingMax, workMs, memoryMb } = options;
  const threads = new Set<Thread<Task, Answer>>();
  const waiting: Job<Task, Answer>[] = [];
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
    const job = waiting[0];
    if (job === undefined) return;
    const idle = [...threads].find((thread) => thread.job === undefined) ?? (threads.size < most ? start() : undefined);
    if (idle === undefined) return;
    waiting.shift();
    idle.job = job;
    idle.worker.ref();
    if (workMs !== undefined) idle.timer = setTimeout(() => void idle.worker.terminate(), workMs).unref();
    idle.worker.postMessage(job.task);
  }

  return {
    ask(task) {
      if (closed || waiting.length >= waitingMax) return Promise.reject(new ThreadsBusyError('Too much work waits.'));
      return new Promise((resolve, reject) => {
        waiting.push({ task, resolve, reject });
        next();
      });
    },
    async close() {
      closed = true;
      for (const { reject } of waiting.splice(0)) reject(new ThreadsBusyError('No work is taken any more.'));
      await Promise.all([...threads].map(({ worker }) => worker.terminate()));
    },
  };
}
