import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { ArgonAnswer, ArgonTask } from './argon-worker.ts';

/** Hashes passwords with Argon2id, beside the event loop. */
export interface PasswordHasher {
  /** @returns the PHC form, with its salt and cost. @throws HasherBusyError */
  readonly hash: (password: string) => Promise<string>;
  /**
   * Whether a password is the one of a hash. Without a hash it is not, and to find out takes as long.
   *
   * @throws HasherBusyError
   */
  readonly verify: (hash: string | undefined, password: string) => Promise<boolean>;
  readonly close: () => Promise<void>;
}

/** More passwords wait than can be hashed in bearable time. */
export class HasherBusyError extends Error {
  override readonly name = 'HasherBusyError';
}

export interface HasherOptions {
  /** Threads, each with 19 MiB while it works. @default half the processors, one to four */
  readonly threads?: number;
  /** Passwords that may wait. @default 256 */
  readonly waitingMax?: number;
}

interface Job extends ArgonTask {
  readonly resolve: (result: string | boolean) => void;
  readonly reject: (error: Error) => void;
}

interface Thread {
  readonly worker: Worker;
  job: Job | undefined;
}

/** Threads are started when there is work for them, and hold up the end of the process no longer than it. */
export function createPasswordHasher({
  threads: most = Math.min(4, Math.max(1, Math.floor(availableParallelism() / 2))),
  waitingMax = 256,
}: HasherOptions = {}): PasswordHasher {
  const threads = new Set<Thread>();
  const waiting: Job[] = [];
  let lastId = 0;
  let closed = false;
  /** Of a password that nobody has, for users who have none. */
  let nobodys: Promise<string> | undefined;

  function start(): Thread {
    const thread: Thread = { worker: new Worker(new URL('./argon-worker.ts', import.meta.url)), job: undefined };
    thread.worker.on('message', ({ result }: ArgonAnswer) => {
      const { job } = thread;
      thread.job = undefined;
      // Only work holds up the end of the process.
      thread.worker.unref();
      next();
      if (result === undefined) job?.reject(new Error('A password could not be hashed.'));
      else job?.resolve(result);
    });
    thread.worker.on('error', () => undefined);
    thread.worker.on('exit', () => {
      threads.delete(thread);
      thread.job?.reject(new Error('A thread that hashes passwords ended.'));
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
    const { id, password, salt, hash } = job;
    idle.worker.postMessage({ id, password, salt, hash } satisfies ArgonTask);
  }

  function ask(password: string, hash?: string): Promise<string | boolean> {
    if (closed || waiting.length >= waitingMax) return Promise.reject(new HasherBusyError('Too many passwords wait.'));
    return new Promise((resolve, reject) => {
      waiting.push({ id: (lastId += 1), password, salt: randomBytes(16), hash, resolve, reject });
      next();
    });
  }

  const hash = async (password: string) => String(await ask(password));

  return {
    hash,
    async verify(known, password) {
      nobodys ??= hash(randomBytes(24).toString('base64url'));
      // The library takes no empty password; it is as wrong as any other, and takes as long.
      const same = (await ask(password === '' ? 'x' : password, known ?? (await nobodys))) === true;
      return known !== undefined && password !== '' && same;
    },
    async close() {
      closed = true;
      for (const { reject } of waiting.splice(0)) reject(new HasherBusyError('Passwords are hashed no more.'));
      await Promise.all([...threads].map(({ worker }) => worker.terminate()));
    },
  };
}
