import type { BoxProcess } from './box-process.ts';

export interface PrewarmedOptions {
  readonly start: (memoryMb: number) => Promise<BoxProcess>;
  /** Processes that wait, for each size of memory that was asked for. */
  readonly size: number;
}

/** Processes that wait for a function: to start one takes longer than to load most functions. */
export function createPrewarmed({ start, size }: PrewarmedOptions) {
  const waiting = new Map<number, BoxProcess[]>();
  const starting = new Map<number, number>();
  let closed = false;
  const taken = { fromPool: 0, started: 0 };

  const listOf = (memoryMb: number): BoxProcess[] => {
    const list = (waiting.get(memoryMb) ?? []).filter((process) => process.isWaiting());
    waiting.set(memoryMb, list);
    return list;
  };

  /** Starts what is missing, one after the other: functions that run come first. */
  async function refill(memoryMb: number): Promise<void> {
    if (starting.get(memoryMb) === 1) return;
    starting.set(memoryMb, 1);
    try {
      while (!closed && listOf(memoryMb).length < size) {
        const process = await start(memoryMb);
        await process.ready;
        listOf(memoryMb).push(process);
        if (closed) process.end({ kind: 'cancelled' });
      }
    } catch {
      // The next call starts its own, and tells what is wrong.
    } finally {
      starting.delete(memoryMb);
    }
  }

  return {
    /** A process that belongs to no function yet. @throws FunctionFailureError */
    async take(memoryMb: number): Promise<BoxProcess> {
      const process = listOf(memoryMb).shift();
      taken[process === undefined ? 'started' : 'fromPool'] += 1;
      const given = process ?? (await start(memoryMb));
      await given.ready;
      void refill(memoryMb);
      return given;
    },
    count: () => [...waiting.keys()].reduce((sum, memoryMb) => sum + listOf(memoryMb).length, 0),
    taken,
    close(): void {
      closed = true;
      for (const process of [...waiting.values()].flat()) process.end({ kind: 'cancelled' });
    },
  };
}
