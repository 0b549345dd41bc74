import { cancelWhenDue, cut, type Session, type SessionOptions } from './project-session.ts';
import { Batch, type BatchRows, type BatchStatement, submit } from './statement-batch.ts';

/** A read on its way: it may be run twice, and nobody else may see anything of it. */
export interface SharedRead {
  readonly statements: readonly BatchStatement[];
  readonly signal: AbortSignal | undefined;
  readonly resolve: (rows: BatchRows) => void;
  readonly reject: (error: unknown) => void;
  /** Its asker has an answer, or waits for one elsewhere. */
  settled: boolean;
}

export interface CarrierOptions extends SessionOptions {
  readonly session: Session;
  /** Sends a read on a connection of its own. */
  readonly divert: (read: SharedRead) => void;
  /** Told of each answer that leaves others under way. */
  readonly onAnswer: () => void;
  /** Told when a read takes long, which nobody is to wait behind. */
  readonly onHeldUp: () => void;
  /** Told once, when nothing is under way any more: how the connection was left. */
  readonly onEnd: (left: {
    readonly isCut: boolean;
    readonly unclean: boolean;
    readonly cancelling: Promise<void> | undefined;
  }) => void;
}

/** A read that runs for longer holds up no others, in milliseconds, and is stopped when nobody waits for it. */
const heldUpMs = 250;
/** Most reads that one carries before its connection is let go, so that others get it too. */
const readsMax = 1_000;

/** Nobody's fault who was sent behind: a statement cancelled in place of another, one prepared by a batch that failed. */
const elsewhere = new Set(['57014', '26000']);

/**
 * Reads under way on one connection, in order. Each is a batch with a Sync of its own, and so a transaction of its own
 * with its own role and claims, whose failure is nobody else's.
 */
export class Carrier {
  readonly #options: CarrierOptions;
  readonly #sent: SharedRead[] = [];
  readonly #timer: NodeJS.Timeout;
  #head = 0;
  #unclean = false;
  #isCut = false;
  #isOver = false;
  #settleHead: (() => Promise<void> | undefined) | undefined;

  constructor(options: CarrierOptions) {
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
    this.#sent.push(...reads);
    const batches = reads.map(
      (read) => new Batch(read.statements, session.prepared, (rows, error) => this.#answered(read, rows, error)),
    );
    submit(session.client, ...batches);
  }

  /** Ends one that has nothing to carry. */
  endIdle(): void {
    if (this.underWay === 0) this.#end();
  }

  #answered(read: SharedRead, rows: BatchRows, error: Error | undefined): void {
    if (this.#isOver) return;
    if (error !== undefined) this.#unclean = true;
    this.#settle(read, rows, error);
    this.#head += 1;
    if (this.#isCut || this.underWay === 0) {
      this.#end();
      return;
    }
    this.#timer.refresh();
    this.#options.onAnswer();
  }

  #settle(read: SharedRead, rows: BatchRows, error: Error | undefined): void {
    if (read.settled) return;
    const { code = '' } = (error ?? {}) as { readonly code?: string };
    // Only the head is cancelled, and only once all behind it have gone elsewhere.
    if (this.#settleHead === undefined && elsewhere.has(code)) {
      this.#options.divert(read);
      return;
    }
    read.settled = true;
    if (error === undefined) read.resolve(rows);
    else read.reject(error);
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

  /** From here on the head has the connection to itself. */
  #holdUp(): void {
    const behind = this.#sent.slice(this.#head + 1);
    this.#settleHead = cancelWhenDue(this.#options.session, this.#options, this.#sent[this.#head]!.signal);
    this.#isCut = behind.length > 0;
    this.#options.onHeldUp();
    for (const read of behind) this.#options.divert(read);
  }

  #end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    const { session, onEnd } = this.#options;
    session.batches += Math.max(0, this.#sent.length - 1);
    const cancelling = this.#settleHead?.();
    // Nobody waits for what the server still has to do here.
    if (this.#isCut) cut(session);
    onEnd({ isCut: this.#isCut, unclean: this.#unclean || cancelling !== undefined, cancelling });
  }
}
