import type { Statement, StatementRows } from '../statement.ts';
import { types } from '../types.ts';
import type { Column, Wire } from './connection.ts';
import { PendingRead } from './pending-read.ts';

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

/** The driver's own query, as far as it is used: it knows how values are written. */
interface DriverQuery {
  prepare(wire: Wire): void;
}

/** A statement of the gateway's own that reads, on its way. */
export class Read extends PendingRead<object[]> {
  readonly statement: Statement;
  readonly askedAt = performance.now();
  // By the names under which the driver looks for them.
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
  readonly portal = '';
  /** The server has answered it. */
  isAnswered = false;
  readonly #elsewhere: StatementRows;
  readonly #rows: object[] = [];
  #failure: Error | undefined;

  constructor(
    statement: Statement,
    values: readonly unknown[],
    elsewhere: StatementRows,
    resolve: (rows: object[]) => void,
    reject: (error: unknown) => void,
  ) {
    super(resolve, reject);
    this.statement = statement;
    this.name = statement.name;
    this.text = statement.text;
    this.values = values;
    this.#elsewhere = elsewhere;
  }

  protected override askElsewhere(): Promise<object[]> {
    return this.#elsewhere(this.statement, this.values);
  }

  /** Writes what asks for it. @returns whether that could be done, and a caller still waits for it */
  write(wire: Wire): boolean {
    // Asked elsewhere while its connection opened: what is not counted as under way must not be answered either.
    if (this.isSettled) return false;
    (this as unknown as DriverQuery).prepare(wire);
    return !this.isSettled;
  }

  /** By the driver, of values that cannot be written. */
  handleError(error: Error): void {
    this.fail(error);
  }

  addRow({ names, parsers }: Shape, fields: readonly (string | null)[]): void {
    if (this.isSettled || this.#failure !== undefined) return;
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
    if (this.#failure === undefined) this.answer(this.#rows);
    else this.fail(this.#failure);
  }
}
