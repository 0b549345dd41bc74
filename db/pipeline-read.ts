import pg from 'pg';
import type { Statement, StatementRows } from './statement.ts';
import { types } from './types.ts';

/** What the driver keeps about the columns of an answer. */
export interface Column {
  readonly name: string;
  readonly dataTypeID: number;
}

/** How rows of a statement are read; the same for all its answers on one connection. */
export interface Shape {
  readonly names: readonly string[];
  readonly parsers: readonly ((text: string) => unknown)[];
}

export function shapeOf(columns: readonly Column[]): Shape {
  return {
    names: columns.map(({ name }) => name),
    parsers: columns.map(({ dataTypeID }) => types.getTypeParser(dataTypeID, 'text') as (text: string) => unknown),
  };
}

/** The driver's connection, as far as statements are written to it. */
export interface Wire {
  sync(): void;
  describe(what: object): void;
}

/** The driver's own query, as far as it is used: it knows how values are written. */
interface DriverQuery {
  prepare(wire: Wire): void;
}

/** One statement on its way. */
export class Read {
  readonly statement: Statement;
  readonly askedAt = performance.now();
  // By the names under which the driver looks for them.
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
  readonly portal = '';
  /** It shares a transaction with others, so it is unknown which of them takes long. */
  isAccompanied = false;
  /** The server has answered it. */
  isAnswered = false;
  readonly #elsewhere: StatementRows;
  readonly #resolve: (rows: object[]) => void;
  readonly #reject: (error: Error) => void;
  readonly #rows: object[] = [];
  #failure: Error | undefined;
  /** Its asker has an answer, or waits for one elsewhere. */
  #settled = false;

  constructor(
    statement: Statement,
    values: readonly unknown[],
    elsewhere: StatementRows,
    resolve: (rows: object[]) => void,
    reject: (error: Error) => void,
  ) {
    this.statement = statement;
    this.name = statement.name;
    this.text = statement.text;
    this.values = values;
    this.#elsewhere = elsewhere;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /** Writes what asks for it. @returns whether that could be done, and a caller still waits for it */
  write(wire: Wire): boolean {
    // Asked elsewhere while its connection opened: what is not counted as under way must not be answered either.
    if (this.#settled) return false;
    (this as unknown as DriverQuery).prepare(wire);
    return !this.#settled;
  }

  /** By the driver, of values that cannot be written. */
  handleError(error: Error): void {
    this.fail(error);
  }

  addRow({ names, parsers }: Shape, fields: readonly (string | null)[]): void {
    if (this.#settled || this.#failure !== undefined) return;
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

  /** All its rows are there. */
  complete(): void {
    if (this.#settled) return;
    this.#settled = true;
    if (this.#failure === undefined) this.#resolve(this.#rows);
    else this.#reject(this.#failure);
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
    this.#elsewhere(this.statement, this.values).then(this.#resolve, this.#reject);
  }
}

// By its prototype alone: the driver's constructor makes an emitter and a result that stay unused.
Object.setPrototypeOf(Read.prototype, pg.Query.prototype);
