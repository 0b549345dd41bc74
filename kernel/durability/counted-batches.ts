import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { sql } from '../../db/drizzle.ts';
import { isDataFault, sqlState } from '../../db/pool.ts';
import { usageFlushes } from '../../db/schema/projects.ts';
import { nameOf, namesOf, pick } from '../../db/sql.ts';

/** What was counted, under the number by which it is written once. */
export interface Batch<Counts> {
  /** Names this process among those that count. */
  readonly node: string;
  readonly seq: bigint;
  readonly counts: Counts;
}

export interface CountedBatchesOptions<Counts> {
  readonly log: Logger;
  /** What is counted, for the log. */
  readonly what: string;
  /** How long a count may go unwritten, in milliseconds. */
  readonly everyMs: number;
  /** Whether anything waits. */
  readonly waits: () => boolean;
  /** What waits, which no longer does; undefined for nothing. */
  readonly take: () => Counts | undefined;
  /** Writes a batch by a statement that begins with {@link onceOnly}. */
  readonly write: (batch: Batch<Counts>) => Promise<void>;
}

/** Writes counts in batches, each of them once. */
export interface CountedBatches<Counts> {
  /** Has what waits written within `everyMs`. */
  schedule(): void;
  /**
   * Resolves when what was counted before is written, or when it cannot be written now; what is counted meanwhile may
   * have to wait. Never throws.
   */
  flush(): Promise<void>;
  /** Writes what is left. @returns the batch that could not be written */
  close(): Promise<Counts | undefined>;
}

/** Counts wait in memory, and are written about once a second. A batch whose answer was lost is sent again, and added once. */
export function countedBatches<Counts>(options: CountedBatchesOptions<Counts>): CountedBatches<Counts> {
  const { log, what, everyMs, waits, take, write } = options;
  const node = randomBytes(12).toString('hex');
  /** Taken, and not known to be written. */
  let sending: Batch<Counts> | undefined;
  let seq = 0n;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  let failing = false;
  let closed = false;

  function schedule(): void {
    if (timer !== undefined || closed || (sending === undefined && !waits())) return;
    timer = setTimeout(() => {
      timer = undefined;
      void flush();
    }, everyMs).unref();
  }

  function nextBatch(): Batch<Counts> | undefined {
    const counts = take();
    if (counts === undefined) return undefined;
    seq += 1n;
    return { node, seq, counts };
  }

  async function send(batch: Batch<Counts>): Promise<void> {
    sending = batch;
    await write(batch).catch((error: unknown) => {
      if (!isDataFault(error)) throw error;
      // Sent again it would fail again, and nothing after it would ever be written.
      log.error({ sqlstate: sqlState(error) }, `${what} cannot be written as they are, and are dropped.`);
    });
    sending = undefined;
  }

  /** Writes what was left over, then what waits by then: no more, since more is counted all the while. */
  async function writeWaiting(): Promise<void> {
    try {
      if (sending !== undefined) await send(sending);
      const batch = nextBatch();
      if (batch !== undefined) await send(batch);
      if (failing) log.info(`${what} are written again.`);
      failing = false;
    } catch (error) {
      // The batch is kept: whether it was written or not, sending it again adds it once.
      if (!failing) log.warn({ err: error }, `${what} cannot be written; trying again.`);
      failing = true;
    }
  }

  function start(): Promise<void> {
    running = writeWaiting().finally(() => {
      running = undefined;
      schedule();
    });
    return running;
  }

  function flush(): Promise<void> {
    if (running === undefined) return start();
    // What is under way may have begun before the caller's counts were taken.
    next ??= running.then(() => {
      next = undefined;
      return running ?? start();
    });
    return next;
  }

  return {
    schedule,
    flush,
    async close() {
      closed = true;
      clearTimeout(timer);
      await flush();
      return sending?.counts;
    },
  };
}

/** The parameters of {@link onceOnly}. */
export const batchParams = pick(usageFlushes, 'node', 'seq');

/**
 * The first part of a `with` list. `once` has a row when the batch is new: its number goes up once, so a batch that is
 * sent again finds the number taken.
 */
export const onceOnly = ({ node, seq }: { readonly [Name in keyof typeof batchParams]: ReturnType<typeof sql> }) =>
  sql`once as (
      insert into ${usageFlushes} (${namesOf(usageFlushes.node, usageFlushes.seq)}) values (${node}, ${seq})
      on conflict (${nameOf(usageFlushes.node)}) do update
        set ${nameOf(usageFlushes.seq)} = excluded.${nameOf(usageFlushes.seq)}, ${nameOf(usageFlushes.flushedAt)} = now()
        where ${usageFlushes.seq} < excluded.${nameOf(usageFlushes.seq)}
      returning 1
    )`;
