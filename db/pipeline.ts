import type { Duplex } from 'node:stream';
import pg from 'pg';
import type { Statement, StatementHook } from './pool.ts';
import { types } from './types.ts';

export interface PipelineOptions {
  readonly url: string;
  /** Most connections at once. @default 4 */
  readonly max?: number;
  /** How long a connection may take to open, in milliseconds. */
  readonly connectMs: number;
  /** Longest a statement may take, in milliseconds. @default no limit */
  readonly statementMs?: number | undefined;
  readonly onStatement?: StatementHook | undefined;
  readonly onIdleError?: ((error: Error) => void) | undefined;
  readonly name: string;
  /** Where a read goes that would be held up here. */
  readonly elsewhere: Rows;
}

/** Runs a prepared statement. */
export type Rows = <Row extends object>(statement: Statement, values: readonly unknown[]) => Promise<Row[]>;

export interface Pipeline {
  readonly rows: Rows;
  readonly close: () => Promise<void>;
}

/** A statement that runs for longer holds up no others: in milliseconds. */
const heldUpMs = 100;
/** What holds on every connection here. */
const settings = `set default_transaction_read_only = on; set timezone = 'UTC'; set plan_cache_mode = force_generic_plan`;

/** How often connections are looked after, in milliseconds. */
const lookMs = 25;
/** A connection that nobody has used for so long is closed, in milliseconds. */
const idleMs = 30_000;
/** What waits for longer, in milliseconds, is worth another connection. */
const patienceMs = 2;
/** Most reads that are sent in one go, so that the last of them need not wait for all. */
const batchMax = 64;

/**
 * Reads of the gateway's own making over few connections, many in one packet: what is asked while all of them are at
 * work waits, and leaves together on the first that is done. A connection answers in order, so waiting costs next to
 * nothing, and what has not been sent is held up by nobody. Each statement ends in a Sync of its own and so is a
 * transaction of its own, whose failure is nobody else's. No one ever gets hold of a connection, and Postgres itself
 * refuses anything but reads there: two requests that took turns on one would share their transactions.
 */
export function createPipeline(options: PipelineOptions): Pipeline {
  const { max = 4, elsewhere, onStatement } = options;
  const lines = new Set<Line>();
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
        for (const read of late) read.divert(elsewhere);
      }
      if (lines.size > 0 || waiting.length > 0) return;
      clearInterval(timer);
      timer = undefined;
    });
  }

  function open(): Line {
    const line = new Line(options, (ended) => {
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
      let free: Line | undefined;
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
        waiting.push(new Read(statement, values, resolve as (rows: object[]) => void, reject));
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

/** What the driver keeps about the columns of an answer. */
interface Field {
  readonly name: string;
  readonly dataTypeID: number;
}

/** How rows of a statement are read; the same for all its answers on one connection. */
interface Shape {
  readonly names: readonly string[];
  readonly parsers: readonly ((text: string) => unknown)[];
}

/** The driver's connection, as far as it is spoken with here. */
interface Wire {
  readonly stream: Duplex;
  describe(what: object): void;
}

/** The driver's own query, as far as it is overridden. */
interface DriverQuery {
  prepare(wire: Wire): void;
}

/** One statement on its way. */
class Read extends pg.Query {
  readonly statement: Statement;
  readonly askedAt = performance.now();
  readonly #values: readonly unknown[];
  readonly #resolve: (rows: object[]) => void;
  readonly #reject: (error: Error) => void;
  readonly #rows: object[] = [];
  #line: Line | undefined;
  #shape: Shape | undefined;
  #failure: Error | undefined;
  /** Its asker has an answer, or waits for one elsewhere. */
  #settled = false;

  constructor(
    statement: Statement,
    values: readonly unknown[],
    resolve: (rows: object[]) => void,
    reject: (error: Error) => void,
  ) {
    super(statement.text, values as unknown[]);
    // Not with the others: the driver would copy them one by one.
    (this as { name?: string }).name = statement.name;
    this.statement = statement;
    this.#values = values;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  travelsOn(line: Line): void {
    this.#line = line;
  }

  /** The columns are asked for once on each connection; should they ever change, Postgres refuses the statement. */
  prepare(wire: Wire): void {
    const line = this.#line!;
    this.#shape = line.shapes.get(this.statement.name);
    (pg.Query.prototype as unknown as DriverQuery).prepare.call(
      this,
      this.#shape === undefined ? wire : line.withoutDescribe(wire),
    );
  }

  handleRowDescription({ fields }: { readonly fields: readonly Field[] }): void {
    const names = fields.map(({ name }) => name);
    const parsers = fields.map(
      ({ dataTypeID }) => types.getTypeParser(dataTypeID, 'text') as (text: string) => unknown,
    );
    this.#shape = { names, parsers };
    this.#line!.shapes.set(this.statement.name, this.#shape);
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    if (this.#settled || this.#failure !== undefined) return;
    const { names, parsers } = this.#shape!;
    const row: Record<string, unknown> = {};
    try {
      for (let at = 0; at < fields.length; at++) {
        const text = fields[at]!;
        row[names[at]!] = text === null ? null : parsers[at]!(text);
      }
    } catch (error) {
      this.#failure = error as Error;
    }
    this.#rows.push(row);
  }

  handleCommandComplete(): void {}

  /** Of this statement alone; when the connection is lost, of every one that was under way on it. */
  handleError(error: Error & { readonly code?: string }): void {
    this.#failure ??= error;
    // A statement that the server no longer knows, or knows otherwise: a new connection asks anew.
    if (error.code === '26000' || error.code === '0A000') this.#line!.retire();
    this.handleReadyForQuery();
  }

  handleReadyForQuery(): void {
    if (!this.#settled) {
      this.#settled = true;
      if (this.#failure === undefined) this.#resolve(this.#rows);
      else this.#reject(this.#failure);
    }
    this.#line!.done(this);
  }

  /** Tells the asker of a failure; what is still to come is thrown away. */
  fail(error: Error): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#reject(error);
  }

  /** Asks elsewhere: a read may be run twice. */
  divert(elsewhere: Rows): void {
    if (this.#settled) return;
    this.#settled = true;
    elsewhere(this.statement, this.#values).then(this.#resolve, this.#reject);
  }
}

/** A connection in pipeline mode, and what is under way on it, in order. */
class Line {
  readonly shapes = new Map<string, Shape>();
  readonly #client: pg.Client;
  readonly #options: PipelineOptions;
  readonly #reads = new Set<Read>();
  readonly #onFree: (ended: boolean) => void;
  #connected = false;
  #retired = false;
  #ended: Promise<void> | undefined;
  #quiet: Wire | undefined;
  /** Since when the first of its statements has been that, or when there was none left. */
  #since = performance.now();

  /** @param onFree told when it has answered all it was sent, and when it takes nothing any more */
  constructor(options: PipelineOptions, onFree: (ended: boolean) => void) {
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
      if (this.#reads.size === 0) options.onIdleError?.(error);
      this.#gone(error);
    });
    this.#client.on('end', () => this.#gone(new Error('Connection terminated')));
    this.#client.connect().then(
      () => {
        this.#connected = true;
      },
      (error: Error) => this.#gone(error),
    );
    // First in the queue, so before any read. Not as parameters of the connection, which poolers refuse. Statements
    // are planned once, since planning takes longer than most of them do.
    const limit = statementMs === undefined ? '' : `; set statement_timeout = ${statementMs}`;
    this.#client.query(`${settings}${limit}`).catch((error: Error) => {
      this.#gone(error);
      this.#destroy();
    });
  }

  get isConnected(): boolean {
    return this.#connected;
  }

  get isFree(): boolean {
    return this.#reads.size === 0 && !this.#retired;
  }

  /** Sends reads in one packet. */
  send(reads: readonly Read[]): void {
    this.#since = performance.now();
    const { stream } = this.#wire;
    if (this.#connected) stream.cork();
    for (const read of reads) {
      read.travelsOn(this);
      this.#reads.add(read);
      (this.#client.query as (read: Read) => void)(read);
    }
    if (this.#connected) stream.uncork();
  }

  withoutDescribe(wire: Wire): Wire {
    this.#quiet ??= Object.create(wire, { describe: { value: () => undefined } }) as Wire;
    return this.#quiet;
  }

  done(read: Read): void {
    this.#since = performance.now();
    if (!this.#reads.delete(read) || this.#reads.size > 0) return;
    if (this.#retired) void this.end();
    this.#onFree(false);
  }

  /** Takes no more statements, and ends when it has answered those it has. */
  retire(): void {
    this.#retired = true;
  }

  look(now: number): void {
    if (this.#reads.size === 0) {
      if (now - this.#since > idleMs) void this.end();
      return;
    }
    for (const read of this.#reads) {
      const limit = read.statement.timeoutMs;
      if (limit !== undefined && now - read.askedAt > limit) read.fail(new Error('Query read timeout'));
    }
    const took = now - this.#since;
    if (took <= heldUpMs) return;
    const { statementMs, elsewhere } = this.#options;
    const [first, ...behind] = this.#reads;
    for (const read of behind) read.divert(elsewhere);
    // Nothing says whether the server has even seen the first.
    if (!this.#connected) first!.divert(elsewhere);
    // The server stops a statement first; this is for a server that no longer answers at all.
    const patience = statementMs === undefined ? Number.POSITIVE_INFINITY : statementMs + 5_000;
    if (took > Math.min(first!.statement.timeoutMs ?? patience, patience)) {
      this.#gone(new Error('Query read timeout'));
      this.#destroy();
    }
  }

  end(): Promise<void> {
    this.#retired = true;
    this.#ended ??= this.#client.end().catch(() => undefined);
    return this.#ended;
  }

  #gone(error: Error): void {
    this.#retired = true;
    const failed = [...this.#reads];
    this.#reads.clear();
    for (const read of failed) read.fail(error);
    this.#onFree(true);
  }

  get #wire(): Wire {
    return (this.#client as unknown as { readonly connection: Wire }).connection;
  }

  #destroy(): void {
    this.#wire.stream.destroy();
  }
}
