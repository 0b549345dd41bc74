import type { Duplex } from 'node:stream';
import pg from 'pg';
import type { Statement, StatementHook } from './pool.ts';
import { types } from './types.ts';

export interface PipelineOptions {
  readonly url: string;
  /** Most connections at once. @default 2 */
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
/** How often connections are looked after, in milliseconds. */
const lookMs = 25;
/** A connection that nobody has used for so long is closed, in milliseconds. */
const idleMs = 30_000;
/** Reads under way on each connection before another one is opened. */
const busy = 16;

/**
 * Reads of the gateway's own making over few connections, sent without waiting for the answers before: what is asked in
 * one turn of the event loop leaves in one packet for each connection, whoever asked. Each statement ends in a Sync of
 * its own and so is a transaction of its own, whose failure is nobody else's. No one ever gets hold of a connection, and
 * Postgres itself refuses anything but reads there: two requests that took turns on one would share their transactions.
 */
export function createPipeline(options: PipelineOptions): Pipeline {
  const { max = 2, elsewhere, onStatement } = options;
  const lines = new Set<Line>();
  let closed = false;
  let timer: NodeJS.Timeout | undefined;

  function look(): void {
    // In the phase after the one in which answers are read: what has arrived while this process was busy is not late.
    setImmediate(() => {
      const now = performance.now();
      for (const line of lines) line.look(now);
    });
  }

  function open(): Line {
    const line = new Line(options, () => {
      lines.delete(line);
      if (lines.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    });
    lines.add(line);
    timer ??= setInterval(look, lookMs).unref();
    return line;
  }

  /** The connection with the least to do; undefined when all are held up. */
  function choose(): Line | undefined {
    let chosen: Line | undefined;
    for (const line of lines) {
      if (line.takesMore && (chosen === undefined || line.underWay < chosen.underWay)) chosen = line;
    }
    const another = chosen === undefined || chosen.underWay >= busy;
    return another && lines.size < max ? open() : chosen;
  }

  return {
    rows: <Row extends object>(statement: Statement, values: readonly unknown[]) => {
      const line = closed ? undefined : choose();
      if (line === undefined) return elsewhere<Row>(statement, values);
      onStatement?.(statement.text);
      return line.send(statement, values) as Promise<Row[]>;
    },
    async close() {
      closed = true;
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
  readonly given: readonly unknown[];
  readonly resolve: (rows: object[]) => void;
  readonly reject: (error: Error) => void;
  readonly sentAt = performance.now();
  readonly #line: Line;
  readonly #rows: object[] = [];
  #shape: Shape | undefined;
  #failure: Error | undefined;
  /** Its asker has an answer, or waits for one elsewhere. */
  settled = false;

  constructor(
    line: Line,
    statement: Statement,
    values: readonly unknown[],
    resolve: (rows: object[]) => void,
    reject: (error: Error) => void,
  ) {
    super({ name: statement.name, text: statement.text, values: values as unknown[] });
    this.#line = line;
    this.statement = statement;
    this.given = values;
    this.resolve = resolve;
    this.reject = reject;
  }

  /** The columns are asked for once on each connection; should they ever change, Postgres refuses the statement. */
  prepare(wire: Wire): void {
    this.#shape = this.#line.shapes.get(this.statement.name);
    (pg.Query.prototype as unknown as DriverQuery).prepare.call(
      this,
      this.#shape === undefined ? wire : this.#line.withoutDescribe(wire),
    );
  }

  handleRowDescription({ fields }: { readonly fields: readonly Field[] }): void {
    const names = fields.map(({ name }) => name);
    const parsers = fields.map(
      ({ dataTypeID }) => types.getTypeParser(dataTypeID, 'text') as (text: string) => unknown,
    );
    this.#shape = { names, parsers };
    this.#line.shapes.set(this.statement.name, this.#shape);
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    if (this.settled || this.#failure !== undefined) return;
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
    if (error.code === '26000' || error.code === '0A000') this.#line.retire();
    this.#done();
  }

  handleReadyForQuery(): void {
    this.#done();
  }

  #done(): void {
    if (!this.#line.done(this) || this.settled) return;
    this.settled = true;
    if (this.#failure === undefined) this.resolve(this.#rows);
    else this.reject(this.#failure);
  }

  /** Tells the asker of a failure; what is still to come is thrown away. */
  fail(error: Error): void {
    if (this.settled) return;
    this.settled = true;
    this.reject(error);
  }

  /** Asks elsewhere: a read may be run twice. */
  divert(elsewhere: Rows): void {
    if (this.settled) return;
    this.settled = true;
    elsewhere(this.statement, this.given).then(this.resolve, this.reject);
  }
}

/** A connection in pipeline mode, and what is under way on it, in order. */
class Line {
  readonly shapes = new Map<string, Shape>();
  readonly #client: pg.Client;
  readonly #options: PipelineOptions;
  readonly #reads = new Set<Read>();
  readonly #onEnd: () => void;
  #connected = false;
  #retired = false;
  #heldUp = false;
  #ended: Promise<void> | undefined;
  #quiet: Wire | undefined;
  #corked: Duplex | undefined;
  /** Since when the first of its statements has been that, or when there was none left. */
  #since = performance.now();

  constructor(options: PipelineOptions, onEnd: () => void) {
    this.#options = options;
    this.#onEnd = onEnd;
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
    // First in the queue, so before any read. Not as parameters of the connection, which poolers refuse.
    const limit = statementMs === undefined ? '' : `; set statement_timeout = ${statementMs}`;
    this.#client.query(`set default_transaction_read_only = on; set timezone = 'UTC'${limit}`).catch((error: Error) => {
      this.#gone(error);
      this.#destroy();
    });
  }

  get underWay(): number {
    return this.#reads.size;
  }

  get takesMore(): boolean {
    return !this.#retired && !this.#heldUp;
  }

  send(statement: Statement, values: readonly unknown[]): Promise<object[]> {
    return new Promise((resolve, reject) => {
      if (this.#reads.size === 0) this.#since = performance.now();
      const read = new Read(this, statement, values, resolve, reject);
      this.#reads.add(read);
      this.#cork();
      (this.#client.query as (read: Read) => void)(read);
    });
  }

  /** Everything of this turn goes out together. */
  #cork(): void {
    if (this.#corked !== undefined || !this.#connected) return;
    const { stream } = (this.#client as unknown as { readonly connection: Wire }).connection;
    this.#corked = stream;
    stream.cork();
    setImmediate(() => {
      this.#corked = undefined;
      stream.uncork();
    });
  }

  withoutDescribe(wire: Wire): Wire {
    this.#quiet ??= Object.create(wire, { describe: { value: () => undefined } }) as Wire;
    return this.#quiet;
  }

  /** @returns whether it was still under way */
  done(read: Read): boolean {
    this.#since = performance.now();
    const was = this.#reads.delete(read);
    this.#heldUp = false;
    if (this.#retired && this.#reads.size === 0) void this.end();
    return was;
  }

  /** Takes no more statements, and ends when it has answered those it has. */
  retire(): void {
    this.#retired = true;
  }

  look(now: number): void {
    if (this.#reads.size === 0) {
      if (now - this.#since > idleMs) this.retire();
      if (this.#retired) void this.end();
      return;
    }
    const { statementMs, elsewhere } = this.#options;
    const [first, ...behind] = this.#reads;
    for (const read of this.#reads) {
      const limit = read.statement.timeoutMs;
      if (limit !== undefined && now - read.sentAt > limit) read.fail(new Error('Query read timeout'));
    }
    if (now - this.#since <= heldUpMs) return;
    this.#heldUp = true;
    if (this.#connected) for (const read of behind) read.divert(elsewhere);
    else for (const read of this.#reads) read.divert(elsewhere);
    // The server stops a statement first; this is for a server that no longer answers at all.
    const patience = statementMs === undefined ? undefined : statementMs + 5_000;
    const given = first!.statement.timeoutMs;
    const limit = given === undefined ? patience : Math.min(given, patience ?? given);
    if (limit !== undefined && now - this.#since > limit) {
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
    this.#onEnd();
  }

  #destroy(): void {
    (this.#client as unknown as { readonly connection: Wire }).connection.stream.destroy();
  }
}
