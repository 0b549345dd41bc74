import type { Statement, StatementHook, StatementRows } from '../statement.ts';
import { heldUpMs } from './pending-read.ts';
import { type LineOptions, PipelinedConnection } from './pipelined-connection.ts';
import { Read } from './read.ts';

export interface PipelineOptions extends LineOptions {
  /** Most connections at once. @default 4 */
  readonly max?: number;
  readonly onStatement?: StatementHook | undefined;
  /** Where a read goes that would be held up here. */
  readonly elsewhere: StatementRows;
}

export interface Pipeline {
  readonly rows: StatementRows;
  readonly close: () => Promise<void>;
}

/** How often connections are looked after, in milliseconds. */
const lookMs = 25;
/** What waits for longer, in milliseconds, is worth another connection. */
const patienceMs = 2;
/** Most reads that are sent in one go, so that the last of them need not wait for all. */
const batchMax = 64;

/**
 * Reads of the gateway's own making over few connections, many in one packet: what is asked while all of them are at
 * work waits, and leaves together on the first that is done. A connection answers in order; what takes long on it is
 * left alone there, and what was sent behind it is asked elsewhere. Up to sixteen reads share a Sync and with it a
 * transaction, in which each still sees what was committed before it ran; one that fails is told alone, and those behind
 * it are asked again. No one ever gets hold of a connection, and Postgres itself refuses anything but reads there.
 */
export function createPipeline(options: PipelineOptions): Pipeline {
  const { max = 4, elsewhere, onStatement } = options;
  const lines = new Set<PipelinedConnection>();
  let waiting: Read[] = [];
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  let flushing = false;

  function look(): void {
    // In the phase after the one in which answers are read: what has arrived while this process was busy is not late.
    setImmediate(() => {
      const now = performance.now();
      for (const line of lines) line.look(now);
      // All connections are held up.
      if (waiting.length > 0 && now - waiting[0]!.askedAt > heldUpMs) {
        const late = waiting;
        waiting = [];
        for (const read of late) read.divert();
      }
      if (lines.size > 0 || waiting.length > 0) return;
      clearInterval(timer);
      timer = undefined;
    });
  }

  function open(): PipelinedConnection {
    const line = new PipelinedConnection(options, (ended) => {
      if (ended) lines.delete(line);
      if (waiting.length > 0) flush();
    });
    lines.add(line);
    return line;
  }

  /** Sends what waits on a connection that has nothing to do. */
  function flush(): void {
    flushing = false;
    while (waiting.length > 0) {
      let free: PipelinedConnection | undefined;
      for (const line of lines) if (line.isFree && (free === undefined || !free.isConnected)) free = line;
      if (free === undefined) {
        const usable = lines.size < max && (lines.size === 0 || performance.now() - waiting[0]!.askedAt > patienceMs);
        if (!usable) return;
        free = open();
      }
      free.send(waiting.splice(0, batchMax));
    }
  }

  return {
    rows: <Row extends object>(statement: Statement, values: readonly unknown[]) => {
      if (closed) return elsewhere<Row>(statement, values);
      onStatement?.(statement.text);
      return new Promise<Row[]>((resolve, reject) => {
        waiting.push(new Read(statement, values, elsewhere, resolve as (rows: object[]) => void, reject));
        timer ??= setInterval(look, lookMs).unref();
        if (flushing) return;
        flushing = true;
        // After all that has arrived has been looked at.
        setImmediate(flush);
      });
    },
    async close() {
      closed = true;
      flush();
      await Promise.all([...lines].map((line) => line.end()));
    },
  };
}
