import type { BoxProcess } from './box-process.ts';
import { FunctionFailureError, type LoadedFunction } from './runner.ts';

export interface FunctionProcessesOptions {
  readonly fn: LoadedFunction;
  /** A process with the function loaded. @throws FunctionFailureError */
  readonly start: (fn: LoadedFunction) => Promise<BoxProcess>;
  /** Most processes of one function. */
  readonly most: number;
}

export type FunctionProcesses = ReturnType<typeof createFunctionProcesses>;

/** Calls at once from which on a process gets another one beside it. */
const crowded = 2;
/** Most calls that one process has at once. */
const callsMax = 16;
/** Starts for one call: a function whose processes end as soon as they are there is not started for ever. */
const startsMax = 3;

/** The processes of one function of a release. */
export function createFunctionProcesses({ fn, start, most }: FunctionProcessesOptions) {
  const processes = new Set<BoxProcess>();
  let starting: Promise<void> | undefined;

  const startOne = (): Promise<void> =>
    (starting ??= start(fn)
      .then((process) => {
        processes.add(process);
        void process.gone.then(() => processes.delete(process));
      })
      .finally(() => {
        starting = undefined;
      }));

  const leastLoaded = (): BoxProcess | undefined => {
    let best: BoxProcess | undefined;
    for (const process of processes)
      if (process.isOpen() && (best === undefined || process.calls() < best.calls())) best = process;
    return best;
  };

  return {
    fn,
    all: () => [...processes],
    isEmpty: () => processes.size === 0 && starting === undefined,
    /**
     * Hands a call to the process with the fewest, in the same turn: the next one finds it counted.
     *
     * @throws FunctionFailureError
     */
    async use<T>(begin: (process: BoxProcess) => T): Promise<Awaited<T>> {
      for (let starts = 0; starts <= startsMax; starts++) {
        const best = leastLoaded();
        if (best !== undefined) {
          // Its own caller does not wait for it, and the next one tells what is wrong.
          if (best.calls() >= crowded && processes.size < most) startOne().catch(() => undefined);
          if (best.calls() >= callsMax)
            throw new FunctionFailureError({ kind: 'busy', reason: 'Too many calls at once.' });
          return await begin(best);
        }
        await startOne();
      }
      throw new FunctionFailureError({ kind: 'crashed', reason: 'Its processes end as soon as they have started.' });
    },
  };
}
