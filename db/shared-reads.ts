import type { StatementHook } from './pool.ts';
import { cancelWhenDue, cut, type Project, type Session, type SessionOptions } from './project-session.ts';
import { Batch, type BatchRows, type BatchStatement, submit } from './statement-batch.ts';

/** A read on its way: it may be run twice, and nobody else may see anything of it. */
interface Read {
  readonly statements: readonly BatchStatement[];
  readonly signal: AbortSignal | undefined;
  readonly askedAt: number;
  readonly resolve: (rows: BatchRows) => void;
  readonly reject: (error: unknown) => void;
  /** Its asker has an answer, or waits for one elsewhere. */
  settled: boolean;
}

/** The reads of one project that wait for a connection. */
export interface ReadQueue {
  waiting: Read[];
  /** Connections that carry reads, or are waited for to do so. */
  carriers: number;
  opening: boolean;
  flushing: boolean;
  /** Until when each read has a connection to itself, since one of late took long. */
  apartUntil: number;
}

export const emptyQueue = (): ReadQueue => ({
  waiting: [],
  carriers: 0,
  opening: false,
  flushing: false,
  apartUntil: 0,
});

/** Where the connections come from. */
export interface SharedReadsOptions extends SessionOptions {
  /** A connection that is idle now. */
  readonly idle: (project: Project) => Session | undefined;
  readonly acquire: (project: Project) => Promise<Session>;
  readonly release: (session: Session, unclean: boolean, cancelling: Promise<void> | undefined) => void;
  readonly close: (session: Session) => void;
  /** Runs statements on a connection of their own. */
  readonly alone: (
    project: Project,
    statements: readonly BatchStatement[],
    signal: AbortSignal | undefined,
  ) => Promise<BatchRows>;
  readonly onStatement?: StatementHook | undefined;
}

/** Connections of a project that carry reads at once. */
const carriersMax = 4;
/** What waits for longer, in milliseconds, is worth another connection. */
const patienceMs = 2;
/** Most reads that are sent in one go. */
const togetherMax = 64;
/** A read that runs for longer holds up no others, in milliseconds, and is stopped when nobody waits for it. */
const heldUpMs = 250;
/** How long reads then go apart, in milliseconds. */
const apartMs = 5_000;

/** Nobody's fault who was sent behind: a statement cancelled in place of another, one prepared by a batch that failed. */
const elsewhere = new Set(['57014', '26000']);

/**
 * Reads of one project that leave together: what is asked while all connections are at work waits, and is sent in one
 * packet on the first that is done. Each read is a batch with a Sync of its own, and so a transaction of its own with
 * its own role and claims; a connection is never handed out, and nothing but reads travels this way.
 */
export class SharedReads {
  readonly #options: SharedReadsOptions;

  constructor(options: SharedReadsOptions) {
    this.#options = options;
  }

  ask(project: Project, statements: readonly BatchStatement[], signal: AbortSignal | undefined): Promise<BatchRows> {
    const { reads } = project;
    const askedAt = performance.now();
    if (askedAt < reads.apartUntil) return this.#options.alone(project, statements, signal);
    return new Promise((resolve, reject) => {
      reads.waiting.push({ statements, signal, askedAt, resolve, reject, settled: false });
      if (reads.flushing) return;
      reads.flushing = true;
      // After all that has arrived has been looked at.
      setImmediate(() => {
        reads.flushing = false;
        this.#flush(project);
      });
    });
  }

  #flush(project: Project): void {
    const { reads } = project;
    while (reads.waiting.length > 0 && reads.carriers < carriersMax) {
      const idle = this.#options.idle(project);
      if (idle === undefined) {
        const isWorth = reads.carriers === 0 || performance.now() - reads.waiting[0]!.askedAt > patienceMs;
        if (isWorth && !reads.opening) void this.#open(project);
        return;
      }
      reads.carriers += 1;
      this.#carry(project, idle);
    }
  }

  async #open(project: Project): Promise<void> {
    const { reads } = project;
    reads.opening = true;
    reads.carriers += 1;
    try {
      const session = await this.#options.acquire(project);
      reads.opening = false;
      this.#carry(project, session);
    } catch (error) {
      reads.opening = false;
      reads.carriers -= 1;
      // Others still carry; without any, nobody would come for these.
      if (reads.carriers === 0) for (const read of reads.waiting.splice(0)) read.reject(error);
    }
  }

  /** Sends what waits on a connection that is nobody else's until all of it is answered. */
  #carry(project: Project, session: Session): void {
    const { reads } = project;
    const sent = reads.waiting.splice(0, togetherMax);
    let head = 0;
    let unclean = false;
    let isCut = false;
    let isOver = false;
    let settleHead: (() => Promise<void> | undefined) | undefined;

    const finish = (): void => {
      isOver = true;
      clearTimeout(timer);
      reads.carriers -= 1;
      session.batches += Math.max(0, sent.length - 1);
      const cancelling = settleHead?.();
      if (isCut) {
        // Nobody waits for what the server still has to do here.
        cut(session);
        this.#options.close(session);
      } else this.#options.release(session, unclean || cancelling !== undefined, cancelling);
      this.#flush(project);
    };
    const answered = (read: Read, rows: BatchRows, error: Error | undefined): void => {
      if (isOver) return;
      if (error !== undefined) unclean = true;
      this.#settle(project, read, rows, error, settleHead === undefined);
      head += 1;
      if (isCut || head === sent.length) finish();
      else timer.refresh();
    };
    const holdUp = (): void => {
      reads.apartUntil = performance.now() + apartMs;
      settleHead = cancelWhenDue(session, this.#options, sent[head]!.signal);
      isCut = head + 1 < sent.length;
      for (const behind of [...sent.slice(head + 1), ...reads.waiting.splice(0)]) this.#divert(project, behind);
    };
    const look = (): void => {
      const at = head;
      // After what has arrived while this process was busy has been read: that is not late.
      setImmediate(() => {
        if (isOver) return;
        if (head === at) holdUp();
        else timer.refresh();
      });
    };

    const timer = setTimeout(look, heldUpMs).unref();
    if (sent.length === 0) {
      finish();
      return;
    }
    for (const { statements } of sent) for (const { text } of statements) this.#options.onStatement?.(text);
    const batches = sent.map(
      (read) => new Batch(read.statements, session.prepared, (rows, error) => answered(read, rows, error)),
    );
    submit(session.client, ...batches);
  }

  /** @param mayBeOthers the failure may be that of a read that was sent before */
  #settle(project: Project, read: Read, rows: BatchRows, error: Error | undefined, mayBeOthers: boolean): void {
    if (read.settled) return;
    const { code = '' } = (error ?? {}) as { readonly code?: string };
    if (mayBeOthers && elsewhere.has(code)) {
      this.#divert(project, read);
      return;
    }
    read.settled = true;
    if (error === undefined) read.resolve(rows);
    else read.reject(error);
  }

  #divert(project: Project, read: Read): void {
    if (read.settled) return;
    read.settled = true;
    this.#options.alone(project, read.statements, read.signal).then(read.resolve, read.reject);
  }
}
