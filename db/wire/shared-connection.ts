import pg from 'pg';
import type { StatementHook } from '../pool.ts';
import { cancelWhenDue, cut, longestOf, type Session, type SessionOptions } from '../project-session.ts';
import { Batch, type BatchRows, type BatchStatement, submit } from './batch.ts';
import { heldUpMs } from './pending-read.ts';
import type { ReadConnection } from './read-queue.ts';
import { alikeReads } from './reads-alike.ts';
import type { SharedRead } from './shared-read.ts';

export interface SharedConnectionOptions extends SessionOptions {
  readonly session: Session;
  /** Told of each answer that leaves others under way. */
  readonly onAnswer: () => void;
  /** Told when a read takes long, so that no other read waits behind it. */
  readonly onHeldUp: () => void;
  /** Told once, when nothing is under way any more: how the connection was left. */
  readonly onEnd: (left: {
    readonly isCut: boolean;
    readonly unclean: boolean;
    readonly cancelling: Promise<void> | undefined;
  }) => void;
  readonly onStatement?: StatementHook | undefined;
}

/** Most reads that one carries before its connection is let go, so that others get it too. */
const readsMax = 1_000;

/** Not the fault of the reads that were sent behind: a statement cancelled in place of another, one prepared by a batch that failed. */
const elsewhere = new Set(['57014', '26000']);

/**
 * Reads under way on one connection, in order. Each is a batch with a Sync of its own, and so a transaction of its own
 * with its own role and claims, which fails alone; but for reads that are alike, which share a batch: those
 * behind one that fails are asked again.
 */
export class SharedConnection implements ReadConnection {
  readonly #options: SharedConnectionOptions;
  readonly #sent: SharedRead[] = [];
  readonly #timer: NodeJS.Timeout;
  #head = 0;
  #unclean = false;
  #isCut = false;
  #isOver = false;
  #settleHead: (() => Promise<void> | undefined) | undefined;
  #giveBack: (() => void) | undefined;

  constructor(options: SharedConnectionOptions) {
    this.#options = options;
    this.#timer = setTimeout(() => this.#look(), heldUpMs).unref();
  }

  get underWay(): number {
    return this.#sent.length - this.#head;
  }

  /** Whether it takes more: not after a failure, since its connection has to be cleared first. */
  get isOpen(): boolean {
    return !this.#isOver && !this.#unclean && this.#settleHead === undefined && this.#sent.length < readsMax;
  }

  /** Sends reads in one packet, behind those that are under way. */
  send(reads: readonly SharedRead[]): void {
    const { session } = this.#options;
    const groups = alikeReads(reads, session.project.reads.small);
    submit(
      session.client,
      ...groups.map((group) => (group.length === 1 ? this.#single(group[0]!) : this.#joint(group))),
    );
  }

  #single(read: SharedRead): Batch {
    this.#sent.push(read);
    return this.#batch(read.statements, (rows, error) =>
      this.#answered([read], () => this.#settle(read, rows, error), error),
    );
  }

  /** What holds for all of them is set once. */
  #joint(reads: readonly SharedRead[]): Batch {
    this.#sent.push(...reads);
    for (const read of reads) read.isAccompanied = true;
    const [{ statements }] = reads as [SharedRead];
    return this.#batch([statements[0]!, ...reads.map((read) => read.statements[1]!)], (rows, error, completed) => {
      const failed = error instanceof pg.DatabaseError ? completed : undefined;
      this.#answered(
        reads,
        (read, nth) => {
          const own = nth + 1;
          if (error === undefined || own < completed) this.#settle(read, [rows[0]!, rows[own]!], undefined);
          else if (own === failed) this.#settle(read, [], error);
          else read.divert();
        },
        error,
      );
    });
  }

  #batch(statements: readonly BatchStatement[], settle: ConstructorParameters<typeof Batch>[2]): Batch {
    const { onStatement, session } = this.#options;
    if (onStatement !== undefined) for (const { text } of statements) onStatement(text);
    return new Batch(statements, session.prepared, settle);
  }

  /** Ends one that has nothing to carry. */
  endIdle(): void {
    if (this.underWay === 0) this.#end();
  }

  #answered(
    reads: readonly SharedRead[],
    settle: (read: SharedRead, nth: number) => void,
    error: Error | undefined,
  ): void {
    if (this.#isOver) return;
    if (error !== undefined) this.#unclean = true;
    reads.forEach(settle);
    this.#head += reads.length;
    if (this.#isCut || this.underWay === 0) {
      this.#end();
      return;
    }
    this.#timer.refresh();
    this.#options.onAnswer();
  }

  #settle(read: SharedRead, rows: BatchRows, error: Error | undefined): void {
    if (read.isSettled) return;
    const { code = '' } = (error ?? {}) as { readonly code?: string };
    // Only the head is cancelled, and only once all behind it have gone elsewhere.
    if (this.#settleHead === undefined && elsewhere.has(code)) {
      read.divert();
      return;
    }
    if (error !== undefined) {
      read.fail(error);
      return;
    }
    this.#options.session.project.reads.small.note(read, rows);
    read.answer(rows);
  }

  #look(): void {
    const at = this.#head;
    // After what has arrived while this process was busy has been read: that is not late.
    setImmediate(() => {
      if (this.#isOver) return;
      if (this.#head === at) this.#holdUp();
      else this.#timer.refresh();
    });
  }

  /** From here on the connection serves the head alone. */
  #holdUp(): void {
    const { session, onHeldUp } = this.#options;
    const head = this.#sent[this.#head]!;
    if (head.isAccompanied) session.project.reads.small.heldUp(head);
    // From here on it keeps a connection: that of a caller with too many of these begins anew when it is its turn.
    else if (head.caller !== undefined) this.#giveBack = session.project.turns.tryTake(head.caller);
    const goesOn = !head.isAccompanied && (head.caller === undefined || this.#giveBack !== undefined);
    const others = this.#sent.slice(this.#head + (goesOn ? 1 : 0));
    const longestMs = longestOf(this.#options, head.caller);
    this.#settleHead = cancelWhenDue(session, this.#options, longestMs, goesOn ? head.signal : AbortSignal.abort());
    this.#isCut = others.length > 0;
    onHeldUp();
    for (const read of others) read.divert();
  }

  #end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    const { session, onEnd } = this.#options;
    session.batches += Math.max(0, this.#sent.length - 1);
    const cancelling = this.#settleHead?.();
    this.#giveBack?.();
    // No caller waits for what the server still has to do here.
    if (this.#isCut) cut(session, this.#options.databases);
    onEnd({ isCut: this.#isCut, unclean: this.#unclean || cancelling !== undefined, cancelling });
  }
}
