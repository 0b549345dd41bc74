import pg from 'pg';
import { type Connection, connectionOf } from './connection.ts';
import { isLarge, sendWritten, writeBufferOf } from './write-buffer.ts';

/** A statement of a batch; a named one is prepared on its connection once. */
export interface BatchStatement {
  readonly name: string | undefined;
  readonly text: string;
  readonly values: readonly (string | Buffer | null)[];
}

/** Rows of each statement, every column as text. */
export type BatchRows = readonly (readonly (readonly (string | null)[])[])[];

/** What a connection has prepared. */
export interface PreparedNames {
  readonly known: Set<string>;
  /** Sent when something went wrong: they may be there or not. */
  readonly doubtful: Set<string>;
  /** Sent, and not answered yet: what is sent behind them on the same connection may count on them. */
  readonly underWay: Set<string>;
}

/**
 * Statements that are sent in one go and end in one Sync. PostgreSQL runs them as one transaction: all of them, or,
 * when any fails, none, with everything set for the transaction gone in either case. Nothing is begun and nothing
 * committed by words, so no error can leave either behind.
 */
export class Batch extends pg.Query {
  readonly #statements: readonly BatchStatement[];
  readonly #prepared: PreparedNames;
  readonly #settle: (rows: BatchRows, error: Error | undefined, completed: number) => void;
  readonly #rows: (readonly (string | null)[])[][];
  readonly #fresh: string[] = [];
  #at = 0;

  /** @param settle told once, of the rows or of a refusal, and how many of the statements had been completed */
  constructor(
    statements: readonly BatchStatement[],
    prepared: PreparedNames,
    settle: (rows: BatchRows, error: Error | undefined, completed: number) => void,
  ) {
    super('');
    this.#statements = statements;
    this.#prepared = prepared;
    this.#settle = settle;
    this.#rows = statements.map(() => []);
  }

  // The driver calls these for the messages that belong to what it was given to submit.

  override submit = (client: unknown): null => {
    const { whole: connection } = writeBufferOf(client as Connection);
    const { known, doubtful, underWay } = this.#prepared;
    for (const { name = '', text, values } of this.#statements) {
      if (name === '' || !(known.has(name) || underWay.has(name))) {
        if (doubtful.has(name)) connection.close({ type: 'S', name });
        connection.parse({ name, text, types: [] });
        if (name !== '') {
          this.#fresh.push(name);
          underWay.add(name);
        }
      }
      if (values.some(isLargeValue)) bindLarge(connection, name, values);
      else connection.bind({ portal: '', statement: name, values });
      connection.execute({ portal: '', rows: 0 });
    }
    connection.sync();
    return null;
  };

  handleRowDescription(): void {}

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    this.#rows[this.#at]!.push(fields);
  }

  handleCommandComplete(): void {
    this.#at += 1;
  }

  handleEmptyQuery(): void {
    this.#at += 1;
  }

  handlePortalSuspended(): void {
    this.#at += 1;
  }

  handleCopyInResponse(connection: Connection): void {
    connection.sendCopyFail('Nothing is copied here.');
    // The one that was sent before was taken for a part of the copy.
    connection.sync();
  }

  handleCopyData(): void {}

  handleReadyForQuery(): void {
    this.#arrived(this.#prepared.known);
    this.#settle(this.#rows, undefined, this.#at);
  }

  handleError(error: Error): void {
    this.#arrived(this.#prepared.doubtful);
    this.#settle(this.#rows, error, this.#at);
  }

  #arrived(at: Set<string>): void {
    const { doubtful, underWay } = this.#prepared;
    for (const name of this.#fresh) {
      underWay.delete(name);
      doubtful.delete(name);
      at.add(name);
    }
  }
}

const isLargeValue = (value: string | Buffer | null) => Buffer.isBuffer(value) && isLarge(value);

/** The driver's `bind`, piece by piece: bytes are not copied. */
function bindLarge(connection: Connection, statement: string, values: BatchStatement['values']): void {
  const pieces = values.map((value) => (typeof value === 'string' ? Buffer.from(value) : value));
  const name = Buffer.from(`\0${statement}\0`);
  const head = Buffer.alloc(5 + name.length + 2 + 2 * values.length + 2);
  const size = pieces.reduce((sum, piece) => sum + 4 + (piece?.length ?? 0), head.length - 1 + 4);
  let at = head.write('B');
  at = head.writeInt32BE(size, at);
  at += name.copy(head, at);
  at = head.writeInt16BE(values.length, at);
  // Bytes are in the binary form of their type, texts in the other.
  for (const value of values) at = head.writeInt16BE(Buffer.isBuffer(value) ? 1 : 0, at);
  head.writeInt16BE(values.length, at);
  connection._send(head);
  for (const piece of pieces) {
    const length = Buffer.alloc(4);
    length.writeInt32BE(piece?.length ?? -1);
    connection._send(length);
    if (piece !== null) connection._send(piece);
  }
  // Every column of the answer as text.
  connection._send(Buffer.from([0, 1, 0, 0]));
}

/** Sends one batch. */
export function runBatch(
  client: pg.ClientBase,
  statements: readonly BatchStatement[],
  prepared: PreparedNames,
): Promise<BatchRows> {
  return new Promise((resolve, reject) => {
    submit(
      client,
      new Batch(statements, prepared, (rows, error) => (error === undefined ? resolve(rows) : reject(error))),
    );
  });
}

/** Sends several batches in one packet: each is a transaction of its own, which fails alone. */
export function submit(client: pg.ClientBase, ...batches: readonly Batch[]): void {
  // The driver takes note of each, and asks for its messages at once, since it is in pipeline mode.
  for (const batch of batches) (client.query as (batch: pg.Submittable) => void)(batch);
  sendWritten(connectionOf(client));
}
