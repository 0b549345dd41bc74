import { createThreads } from '../../core/threads.ts';
import { SqlSyntaxError } from '../sql/parse-sql.ts';
import { type Calls, calls } from './calls.ts';
import type { ReadingAnswer, ReadingTask } from './reading-worker.ts';

/** Reads SQL, what is long of it beside the event loop. */
export interface SqlReader {
  /** @throws SqlSyntaxError, ThreadsBusyError, ThreadEndedError */
  readonly readScript: (...args: Parameters<Calls['readScript']>) => Promise<ReturnType<Calls['readScript']>>;
  /** @throws ThreadsBusyError, ThreadEndedError */
  readonly checkManifest: (...args: Parameters<Calls['checkManifest']>) => Promise<ReturnType<Calls['checkManifest']>>;
  /** @throws ThreadsBusyError, ThreadEndedError */
  readonly judge: (...args: Parameters<Calls['judgeManifest']>) => Promise<ReturnType<Calls['judgeManifest']>>;
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

/** A reader whose threads start with the first long text. */
export function createSqlReader({ memoryMb = 512, readMs = 10_000 }: SqlReaderOptions = {}): SqlReader {
  const threads = createThreads<ReadingTask, ReadingAnswer>({
    program: new URL('./reading-worker.ts', import.meta.url),
    most: threadsMax,
    waitingMax,
    workMs: readMs,
    memoryMb,
  });

  async function ask(call: ReadingTask['call'], args: readonly unknown[]): Promise<unknown> {
    const { result, fault } = await threads.ask({ call, args });
    if (fault !== undefined) throw new SqlSyntaxError(fault.message, fault.position);
    return result;
  }

  const lengthOf = (raw: unknown) => JSON.stringify(raw).length;

  return {
    readScript: async (text) =>
      text.length <= inlineMax
        ? calls.readScript(text)
        : ((await ask('readScript', [text])) as ReturnType<Calls['readScript']>),
    checkManifest: async (raw) =>
      lengthOf(raw) <= inlineMax
        ? calls.checkManifest(raw)
        : ((await ask('checkManifest', [raw])) as ReturnType<Calls['checkManifest']>),
    judge: async (raw, model, migration) =>
      lengthOf(raw) + (migration?.length ?? 0) <= inlineMax
        ? calls.judgeManifest(raw, model, migration)
        : ((await ask('judgeManifest', [raw, model, migration])) as ReturnType<Calls['judgeManifest']>),
    close: threads.close,
  };
}
