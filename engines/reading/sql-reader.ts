import { createThreads } from '../../core/threads.ts';
import { SqlSyntaxError } from '../sql/parse-sql.ts';
import { type Calls, calls } from './calls.ts';
import type { ReadingAnswer, ReadingTask } from './reading-worker.ts';

/** Reads SQL, what is long of it beside the event loop. */
export interface SqlReader {
  /**
   * @param party whose text it is: parties take turns
   * @throws SqlSyntaxError, ThreadsBusyError, ThreadEndedError
   */
  readonly readScript: Asked<Calls['readScript']>;
  /** @throws ThreadsBusyError, ThreadEndedError */
  readonly checkManifest: Asked<Calls['checkManifest']>;
  /** @throws ThreadsBusyError, ThreadEndedError */
  readonly judge: (
    party: string,
    ...args: Parameters<Calls['judgeManifest']>
  ) => Promise<ReturnType<Calls['judgeManifest']>>;
  readonly close: () => Promise<void>;
}

type Asked<Call extends (given: never) => unknown> = (
  given: Parameters<Call>[0],
  party?: string,
) => Promise<ReturnType<Call>>;

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

  async function ask(party: string | undefined, call: ReadingTask['call'], args: readonly unknown[]): Promise<unknown> {
    const { result, fault } = await threads.ask({ call, args }, party);
    if (fault !== undefined) throw new SqlSyntaxError(fault.message, fault.position);
    return result;
  }

  const lengthOf = (raw: unknown) => JSON.stringify(raw).length;

  return {
    readScript: async (text, party) =>
      text.length <= inlineMax
        ? calls.readScript(text)
        : ((await ask(party, 'readScript', [text])) as ReturnType<Calls['readScript']>),
    checkManifest: async (raw, party) =>
      lengthOf(raw) <= inlineMax
        ? calls.checkManifest(raw)
        : ((await ask(party, 'checkManifest', [raw])) as ReturnType<Calls['checkManifest']>),
    judge: async (party, raw, model, migration) =>
      lengthOf(raw) + (migration?.length ?? 0) <= inlineMax
        ? calls.judgeManifest(raw, model, migration)
        : ((await ask(party, 'judgeManifest', [raw, model, migration])) as ReturnType<Calls['judgeManifest']>),
    close: threads.close,
  };
}
