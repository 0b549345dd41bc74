import pg from 'pg';
import { types } from '../types.ts';
import type { Column, Connection, Wire } from './connection.ts';
import { sendWithSync, writeBufferOf } from './write-buffer.ts';

/** A statement as the driver takes it. */
export interface StatementConfig extends pg.QueryConfig {
  /** How long its answer is waited for, in milliseconds. @default the pool's limit */
  readonly query_timeout?: number;
}

/** One statement on its way, and who asked for it. */
export interface PendingStatement {
  readonly config: StatementConfig;
  readonly resolve: (result: pg.QueryResult) => void;
  readonly reject: (error: unknown) => void;
}

/** A statement that was not run, since the server refused one that was sent before it. */
export class NotRunError extends Error {
  override readonly name = 'NotRunError';
}

/** The driver's own query, as far as it is used: it knows how values are written and how rows are read. */
interface DriverQuery {
  readonly name: string | undefined;
  readonly text: string;
  readonly _result: { _types: unknown };
  prepare(wire: Wire): void;
  handleRowDescription(message: { readonly fields: readonly Column[] }): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: Connection): void;
  handleCopyInResponse(connection: Connection): void;
  handleReadyForQuery(connection: Connection): void;
}

const DriverQuery = pg.Query as unknown as new (
  config: pg.QueryConfig,
  values: undefined,
  callback: (error: Error | null, result: pg.QueryResult) => void,
) => DriverQuery;

/**
 * Statements that are sent in one piece and end in one Sync: behind one that fails, the server runs none. The caller
 * of the failed one gets its error, callers of later ones get a {@link NotRunError}, and what came before is answered.
 */
export class Packet {
  // By the names under which the driver remembers what has been prepared: of the statement whose turn it is.
  name: string | undefined;
  text: string | undefined;
  /** Set by the driver, called at the end. */
  callback: ((error: Error | null) => void) | undefined;
  /** How long the driver waits for all of it, in milliseconds. */
  readonly query_timeout: number | undefined;
  readonly texts: readonly string[];
  readonly #asked: readonly PendingStatement[];
  readonly #mayRun: () => boolean;
  readonly #queries: readonly DriverQuery[];
  #columns: Map<string, readonly Column[] | null> | undefined;
  #at = 0;
  #unwritable: Error | undefined;
  #isSent = false;
  #isOver = false;

  /**
   * @param limitMs how long a statement that says nothing else is waited for; undefined: for ever
   * @param mayRun asked when its turn has come; where it may not, nothing of it is sent
   */
  constructor(asked: readonly PendingStatement[], limitMs: number | undefined, mayRun: () => boolean) {
    this.#asked = asked;
    this.#mayRun = mayRun;
    this.#queries = asked.map(({ config, resolve, reject }) => {
      const query = new DriverQuery(config, undefined, (error: Error | null, result: pg.QueryResult) => {
        if (error === null) resolve(result);
        else {
          // A row that cannot be read, or a value that cannot be written.
          this.#unwritable ??= error;
          reject(error);
        }
      });
      query._result._types = types;
      return query;
    });
    this.texts = asked.map(({ config }) => config.text);
    const limits = asked.map(({ config }) => config.query_timeout ?? limitMs ?? Number.NaN);
    // Of several each may take as long as it would alone.
    this.query_timeout = limits.reduce((sum, limit) => sum + limit, 0) || undefined;
    this.#turn();
  }

  /** Whether the server may have got it. */
  get isSent(): boolean {
    return this.#isSent;
  }

  /** By the driver: writes all in one piece. @returns why nothing was sent */
  submit(connection: Connection): Error | null {
    if (!this.#mayRun()) return new NotRunError('What it was to run in has not begun.');
    const { parts, describing, plain, columns } = writeBufferOf(connection);
    this.#columns = columns;
    for (const query of this.#queries) {
      // Once they are known they hold: Postgres refuses a statement under its name whose columns have changed.
      const known = query.name === undefined ? undefined : columns.get(query.name);
      query.prepare(known === undefined ? describing : plain);
      if (known) query.handleRowDescription({ fields: known });
      if (this.#unwritable === undefined) continue;
      // Nothing may be committed that was not whole.
      parts.length = 0;
      this.#forget(connection, 0);
      return this.#unwritable;
    }
    this.#isSent = true;
    sendWithSync(connection);
    return null;
  }

  handleRowDescription(message: { readonly fields: readonly Column[] }): void {
    const query = this.#queries[this.#at]!;
    query.handleRowDescription(message);
    if (query.name !== undefined) this.#columns?.set(query.name, message.fields);
  }

  handleDataRow(message: unknown): void {
    this.#queries[this.#at]!.handleDataRow(message);
  }

  handleCommandComplete(message: unknown, connection: Connection): void {
    const query = this.#queries[this.#at]!;
    query.handleCommandComplete(message, connection);
    if (query.name !== undefined && this.#columns?.has(query.name) === false) this.#columns.set(query.name, null);
    this.#at += 1;
    this.#turn();
  }

  handleEmptyQuery(): void {
    this.#at += 1;
    this.#turn();
  }

  handleCopyInResponse(connection: Connection): void {
    this.#queries[this.#at]!.handleCopyInResponse(connection);
  }

  handleReadyForQuery(connection: Connection): void {
    this.#end(connection, undefined);
  }

  /** Of the statement whose turn it is; when the connection is lost, of every one that has no answer. */
  handleError(error: Error, connection: Connection): void {
    this.#forget(connection, this.#at);
    this.#end(connection, error);
  }

  #turn(): void {
    const query = this.#queries[this.#at];
    this.name = query?.name;
    this.text = query?.text;
  }

  #end(connection: Connection, error: Error | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const refused = error instanceof pg.DatabaseError;
    for (const [nth, query] of this.#queries.entries()) {
      if (error === undefined || nth < this.#at) query.handleReadyForQuery(connection);
      else if (refused && nth > this.#at)
        this.#asked[nth]!.reject(new NotRunError('A statement before it was refused.', { cause: error }));
      else this.#asked[nth]!.reject(error);
    }
    this.callback?.(error ?? null);
  }

  /** What was to be prepared and may not have been is prepared again; what was, the driver has noted elsewhere. */
  #forget({ submittedNamedStatements }: Connection, from: number): void {
    for (const { name } of this.#queries.slice(from)) if (name !== undefined) delete submittedNamedStatements[name];
  }
}
