/** Called with the text of each statement that is sent; for tests that count, and for metrics. */
export type StatementHook = (text: string) => void;

/** Called with what a server says beside its answers. */
export type NoticeHook = (message: string) => void;

/** A hot statement: named, so that each connection plans it once. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  /** How long its answer is waited for, in milliseconds, where waiting would hold up others. @default the pool's limit */
  readonly timeoutMs?: number;
  /**
   * Reads alone, takes no locks and is soon done: travels with others on a shared connection, which Postgres holds to
   * it. See `createPipeline`.
   */
  readonly pipelined?: true;
}

/** A statement with the values of its parameters. */
export interface Bound<Row extends object> {
  readonly statement: Statement;
  readonly values: readonly unknown[];
  /** What its rows hold; for the compiler alone. */
  readonly row?: Row;
}

/** What runs statements below {@link Rows}. */
export type StatementRows = <Row extends object>(statement: Statement, values: readonly unknown[]) => Promise<Row[]>;

/** Runs a prepared statement. */
export type Rows = <Row extends object>(asked: Bound<Row>) => Promise<Row[]>;
