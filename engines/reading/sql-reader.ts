import { createThreads } from '../../core/threads.ts';
import { SqlSyntaxError } from '../sql/parse-sql.ts';
import { type Calls, calls, costs } from './calls.ts';
import type { ReadingAnswer, ReadingTask } from './reading-worker.ts';

/**
 * Reads SQL and manifests, what is long of them beside the event loop.
 *
 * @throws SqlSyntaxError, ThreadsBusyError, ThreadEndedError
 */
export interface SqlReader {
  /** @param party whose text it is: parties take turns */
  read<Name extends keyof Calls>(
    party: string,
    call: Name,
    ...args: Parameters<Calls[Name]>
  ): Promise<ReturnType<Calls[Name]>>;
  readonly close: () => Promise<void>;
}

export interface SqlReaderOptions {
  /** Memory that a thread may use for objects, in megabytes: a megabyte of SQL takes some hundred. @default 512 */
  readonly memoryMb?: number;
  /** Longest that a text may take, in milliseconds; a megabyte takes some hundred to a thousand. @default 10_000 */
  readonly readMs?: number;
}

/** What is at most so long takes less than handing it to a thread is worth: some 2 ms of the event loop. In characters. */
const inlineMax = 4_096;
const threadsMax = 2;
const waitingMax = 64;
/** Texts of one party that may wait. */
const shareMax = 8;
/** How long a text waits for its turn, in milliseconds. */
const waitMs = 10_000;

/** A reader whose threads start with the first long text. */
export function createSqlReader({ memoryMb = 512, readMs = 10_000 }: SqlReaderOptions = {}): SqlReader {
  const threads = createThreads<ReadingTask, ReadingAnswer>({
    program: new URL('./reading-worker.ts', import.meta.url),
    most: threadsMax,
    waitingMax,
    shareMax,
    waitMs,
    workMs: readMs,
    memoryMb,
  });

  return {
    async read(party, call, ...args) {
      const cost: (...given: typeof args) => number = costs[call];
      if (cost(...args) <= inlineMax)
        return (calls[call] as unknown as (...given: typeof args) => ReturnType<Calls[typeof call]>)(...args);
      const { result, fault } = await threads.ask({ call, args }, party);
      if (fault !== undefined) throw new SqlSyntaxError(fault.message, fault.position);
      return result as ReturnType<Calls[typeof call]>;
    },
    close: threads.close,
  };
}
