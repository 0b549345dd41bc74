import pg from 'pg';
import { isConnectionLoss } from '../connection-loss.ts';
import type { Column, Connection } from './connection.ts';
import { type Read, type Shape, shapeOf } from './read.ts';
import { sendWithSync, writeBufferOf } from './write-buffer.ts';

/** The connection that a group travels on, as far as the group knows it. */
export interface GroupLine {
  /** Columns of the statements that were answered on it, by name. */
  readonly shapes: Map<string, Shape>;
  /** Takes no further reads, since its knowledge of a statement is wrong. */
  readonly retire: () => void;
  readonly done: (read: Read) => void;
}

/** Most reads that share a Sync: what comes behind one that fails is asked again. */
export const groupMax = 16;

/**
 * Reads that are answered one after the other, in one transaction: its beginning and end, and what the server sends at
 * its end, cost as much as many a statement. Each statement still sees what was committed before it runs. A statement
 * that the connection does not know yet is a group of its own.
 */
export class Group {
  // By the names under which the driver remembers what has been prepared.
  readonly name: string | undefined;
  readonly text: string | undefined;
  readonly #reads: Read[];
  readonly #line: GroupLine;
  #at = 0;
  #shape: Shape | undefined;

  constructor(reads: Read[], line: GroupLine) {
    const [{ statement }] = reads as [Read];
    this.#reads = reads;
    this.#line = line;
    this.#shape = line.shapes.get(statement.name);
    if (this.#shape === undefined) {
      this.name = statement.name;
      this.text = statement.text;
    }
  }

  /** By the driver: writes all in one piece. The columns of a statement are asked for once on each connection. */
  submit(connection: Connection): null {
    const { describing, plain } = writeBufferOf(connection);
    const wire = this.#shape === undefined ? describing : plain;
    const unwritten = this.#reads.filter((read) => !read.write(wire));
    for (const read of unwritten) this.#reads.splice(this.#reads.indexOf(read), 1);
    sendWithSync(connection);
    // Not before the driver has queued this: a line that is done sends the next group, which would be answered as this one.
    if (unwritten.length > 0)
      queueMicrotask(() => {
        for (const read of unwritten) this.#line.done(read);
      });
    return null;
  }

  handleRowDescription({ fields }: { readonly fields: readonly Column[] }): void {
    this.#shape = shapeOf(fields);
    this.#line.shapes.set(this.#reads[this.#at]!.statement.name, this.#shape);
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    const read = this.#reads[this.#at]!;
    this.#shape ??= this.#line.shapes.get(read.statement.name)!;
    read.addRow(this.#shape, fields);
  }

  handleCommandComplete(): void {
    const read = this.#reads[this.#at++]!;
    this.#shape = undefined;
    read.complete();
    this.#line.done(read);
  }

  /** Of the statement whose turn it is; when the connection is lost, of every one that was under way on it. */
  handleError(error: Error & { readonly code?: string }): void {
    const [failed, ...behind] = this.#reads.slice(this.#at);
    this.#at = this.#reads.length;
    const refused = error instanceof pg.DatabaseError;
    // A statement that the server does not know on this connection, because the one that prepared it failed, or knows
    // with other columns than the table now has. Elsewhere it is asked anew, and here by a new connection.
    const stale = refused && (error.code === '26000' || error.code === '0A000');
    const lost = isConnectionLoss(error);
    if (stale) this.#line.retire();
    if (stale || lost) failed?.divert();
    else failed?.fail(error);
    for (const read of behind) {
      if (refused || lost) read.divert();
      else read.fail(error);
    }
    if (failed !== undefined) this.#line.done(failed);
    for (const read of behind) this.#line.done(read);
  }

  handleReadyForQuery(): void {}
}

// The driver takes nothing else on a pipelined connection, and the constructor of its own would make an emitter.
Object.setPrototypeOf(Group.prototype, pg.Query.prototype);
