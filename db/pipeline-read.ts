import type { Duplex } from 'node:stream';
import pg from 'pg';
import { isConnectionLoss } from './connection-loss.ts';
import type { Rows, Statement } from './statement.ts';
import { types } from './types.ts';

/** What the driver keeps about the columns of an answer. */
interface Field {
  readonly name: string;
  readonly dataTypeID: number;
}

/** How rows of a statement are read; the same for all its answers on one connection. */
export interface Shape {
  readonly names: readonly string[];
  readonly parsers: readonly ((text: string) => unknown)[];
}

/** The driver's connection, as far as it is spoken with here. */
export interface Wire {
  readonly stream: Duplex;
  describe(what: object): void;
}

/** The driver's own query, as far as it is overridden. */
interface DriverQuery {
  prepare(wire: Wire): void;
}

/** The connection that a read travels on, as far as the read knows it. */
export interface Carrier {
  /** Columns of the statements that were answered on it, by name. */
  readonly shapes: Map<string, Shape>;
  /** The driver's connection, where asking for columns is left out. */
  readonly withoutDescribe: (wire: Wire) => Wire;
  readonly retire: () => void;
  readonly done: (read: Read) => void;
}

/** One statement on its way. */
export class Read extends pg.Query {
  readonly statement: Statement;
  readonly askedAt = performance.now();
  readonly #values: readonly unknown[];
  readonly #elsewhere: Rows;
  readonly #resolve: (rows: object[]) => void;
  readonly #reject: (error: Error) => void;
  readonly #rows: object[] = [];
  #line: Carrier | undefined;
  #shape: Shape | undefined;
  #failure: Error | undefined;
  /** Its asker has an answer, or waits for one elsewhere. */
  #settled = false;

  constructor(
    statement: Statement,
    values: readonly unknown[],
    elsewhere: Rows,
    resolve: (rows: object[]) => void,
    reject: (error: Error) => void,
  ) {
    super(statement.text, values as unknown[]);
    // Not with the others: the driver would copy them one by one.
    (this as { name?: string }).name = statement.name;
    this.statement = statement;
    this.#values = values;
    this.#elsewhere = elsewhere;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  travelsOn(line: Carrier): void {
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
    // A statement that the server does not know on this connection, because the one that prepared it failed, or knows
    // with other columns than the table now has. Elsewhere it is asked anew, and here by a new connection.
    if (error.code === '26000' || error.code === '0A000') {
      this.#line!.retire();
      this.divert();
    }
    if (isConnectionLoss(error)) this.divert();
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

  /** Asks elsewhere, at most once: a read may be run twice. Whatever comes of it there is the answer. */
  divert(): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#elsewhere(this.statement, this.#values).then(this.#resolve, this.#reject);
  }
}
