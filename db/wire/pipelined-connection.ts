import pg from 'pg';
import type { ConnectionCheck } from '../connection-check.ts';
import type { NoticeHook } from '../statement.ts';
import { types } from '../types.ts';
import { type Connection, connectionOf } from './connection.ts';
import { heldUpMs } from './pending-read.ts';
import type { Read, Shape } from './read.ts';
import { Group, type GroupLine, groupMax } from './read-group.ts';

export interface LineOptions {
  readonly url: string;
  /** How long a connection may take to open, in milliseconds. */
  readonly connectMs: number;
  /** Longest a statement may take, in milliseconds. @default no limit */
  readonly statementMs?: number | undefined;
  readonly onIdleError?: ((error: Error) => void) | undefined;
  /** Told what the server says beside its answers. */
  readonly onNotice?: NoticeHook | undefined;
  /** Looks at each new connection. One of another history is closed, and what was sent on it is asked elsewhere. */
  readonly check?: ConnectionCheck | undefined;
  readonly name: string;
}

/** One that takes longer to open holds up no read either. */
const openMs = 1_000;
/** A connection that was unused for so long is closed, in milliseconds. */
const idleMs = 30_000;
/** What holds on every connection here. */
const settings = `set default_transaction_read_only = on; set timezone = 'UTC'; set plan_cache_mode = force_generic_plan`;

/** A connection in pipeline mode, and what is under way on it, in order. */
export class PipelinedConnection implements GroupLine {
  readonly shapes = new Map<string, Shape>();
  readonly #client: pg.Client;
  readonly #options: LineOptions;
  /** What was sent last; the next is sent when all of it is answered. */
  #reads: readonly Read[] = [];
  /** How many of these have no answer yet. */
  #left = 0;
  readonly #onFree: (ended: boolean) => void;
  #connected = false;
  #retired = false;
  #abandoned = false;
  #ended: Promise<void> | undefined;
  /** Since when the first of its statements has been that, or when there was none left. */
  #since = performance.now();

  /** @param onFree told when it has answered all it was sent, and when it takes nothing any more */
  constructor(options: LineOptions, onFree: (ended: boolean) => void) {
    this.#options = options;
    this.#onFree = onFree;
    const { url, connectMs, statementMs, name } = options;
    this.#client = new pg.Client({
      connectionString: url,
      application_name: name,
      connectionTimeoutMillis: connectMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      types,
      pipeline: true,
    } as pg.ClientConfig);
    this.#client.on('error', (error) => {
      // One that breaks while it is closed is no news.
      if (this.#left === 0 && this.#ended === undefined) options.onIdleError?.(error);
      this.#gone();
    });
    const { onNotice } = options;
    if (onNotice !== undefined) this.#client.on('notice', ({ message }) => onNotice(message ?? ''));
    this.#client.on('end', () => this.#gone());
    this.#client.connect().then(
      () => {
        this.#connected = true;
      },
      () => this.#gone(),
    );
    // First in the queue, so before any read. Not as parameters of the connection, which poolers refuse. Statements
    // are planned once, since planning takes longer than most of them do.
    const limit = statementMs === undefined ? '' : `; set statement_timeout = ${statementMs}`;
    const leave = () => {
      this.#gone();
      this.#destroy();
    };
    this.#client.query(`${settings}${limit}`).catch(leave);
    const { check } = options;
    if (check === undefined) return;
    // By a callback, which comes before anything that the same packet brings is looked at.
    this.#client.query<{ history: string | null }>(check.text, (failure, result) => {
      if (failure != null || !check.isCurrent(result.rows[0]!.history)) leave();
    });
  }

  get isConnected(): boolean {
    return this.#connected;
  }

  get isFree(): boolean {
    return this.#left === 0 && !this.#retired;
  }

  /** Sends reads in one packet. */
  send(reads: readonly Read[]): void {
    this.#since = performance.now();
    this.#reads = reads;
    this.#left = reads.length;
    const { stream } = this.#wire;
    if (this.#connected) stream.cork();
    let together: Read[] = [];
    const leave = () => {
      if (together.length > 0) this.#sendGroup(together);
      together = [];
    };
    for (const read of reads) {
      if (this.shapes.has(read.statement.name)) {
        together.push(read);
        if (together.length === groupMax) leave();
      } else {
        leave();
        this.#sendGroup([read]);
      }
    }
    leave();
    if (this.#connected) stream.uncork();
  }

  #sendGroup(reads: Read[]): void {
    if (reads.length > 1) for (const read of reads) read.isAccompanied = true;
    (this.#client.query as (group: Group) => void)(new Group(reads, this));
  }

  done(read: Read): void {
    this.#since = performance.now();
    if (this.#left === 0 || read.isAnswered) return;
    read.isAnswered = true;
    this.#left -= 1;
    if (this.#abandoned) {
      this.#gone();
      this.#destroy();
      return;
    }
    if (this.#left > 0) return;
    this.#reads = [];
    if (this.#retired) void this.end();
    this.#onFree(false);
  }

  /** Takes no further statements, and ends when all pending ones are answered. */
  retire(): void {
    this.#retired = true;
  }

  look(now: number): void {
    if (this.#left === 0) {
      if (now - this.#since > idleMs) void this.end();
      return;
    }
    const reads = this.#waiting();
    for (const read of reads) {
      const limit = read.statement.timeoutMs;
      if (limit !== undefined && now - read.askedAt > limit) read.fail(new Error('Query read timeout'));
    }
    const took = now - this.#since;
    if (took <= (this.#connected ? heldUpMs : openMs)) return;
    const { statementMs } = this.#options;
    const [first, ...behind] = reads;
    if (behind.length > 0) {
      // No caller waits for what was sent behind it any more, so the server need not do it either.
      this.#retired = true;
      this.#abandoned = true;
      for (const read of behind) read.divert();
    }
    // Nothing says whether the server has even seen the first, or whether it is the one that takes long.
    if (!this.#connected || (behind.length > 0 && first!.isAccompanied)) first!.divert();
    // The server stops a statement first; this is for a server that no longer answers at all.
    const patience = statementMs === undefined ? Number.POSITIVE_INFINITY : statementMs + 5_000;
    if (took > Math.min(first!.statement.timeoutMs ?? patience, patience)) {
      // It has waited for as long as it may.
      first!.fail(new Error('Query read timeout'));
      this.#gone();
      this.#destroy();
    }
  }

  end(): Promise<void> {
    this.#retired = true;
    this.#ended ??= this.#client.end().catch(() => undefined);
    return this.#ended;
  }

  #waiting(): readonly Read[] {
    return this.#reads.filter(({ isAnswered }) => !isAnswered);
  }

  /** The connection is lost: what was under way is asked elsewhere, where a server that is away is told as such. */
  #gone(): void {
    this.#retired = true;
    const lost = this.#waiting();
    this.#reads = [];
    this.#left = 0;
    for (const read of lost) read.divert();
    this.#onFree(true);
  }

  get #wire(): Connection {
    return connectionOf(this.#client);
  }

  #destroy(): void {
    this.#wire.stream.destroy();
  }
}
