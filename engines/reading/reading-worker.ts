import { parentPort } from 'node:worker_threads';
import { SqlSyntaxError } from '../sql/parse-sql.ts';
import { calls } from './calls.ts';

/** What a thread is asked: a call by name. */
export interface ReadingTask {
  readonly call: keyof typeof calls;
  readonly args: readonly unknown[];
}

/** The answer of a call, or what is wrong with the SQL; with neither, the reader itself is at fault. */
export interface ReadingAnswer {
  readonly result?: unknown;
  readonly fault?: { readonly message: string; readonly position: number | undefined };
}

parentPort!.on('message', ({ call, args }: ReadingTask) => {
  try {
    const run = calls[call] as (...given: readonly unknown[]) => unknown;
    parentPort!.postMessage({ result: run(...args) } satisfies ReadingAnswer);
  } catch (error) {
    // A parser that broke is not asked again: the thread ends with it.
    if (!(error instanceof SqlSyntaxError)) throw error;
    const { message, position } = error;
    parentPort!.postMessage({ fault: { message, position } } satisfies ReadingAnswer);
  }
});
