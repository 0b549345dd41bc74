import type pg from 'pg';

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
}

/** The messages of the driver's connection that a batch is made of. */
interface WireConnection {
  readonly stream: { cork(): void; uncork(): void };
  parse(message: { name: string; text: string; types: readonly number[] }): void;
  bind(message: { portal: string; statement: string; values: readonly unknown[] }): void;
  execute(message: { portal: string; rows: number }): void;
  close(message: { type: 'S'; name: string }): void;
  sendCopyFail(message: string): void;
  sync(): void;
}

/**
 * Statements that are sent in one go and end in one Sync. PostgreSQL runs them as one transaction: all of them, or,
 * when any fails, none, with everything set for the transaction gone in either case. Nothing is begun and nothing
 * committed by words, so no error can leave either behind.
 */
export function runBatch(
  client: pg.ClientBase,
  statements: readonly BatchStatement[],
  prepared: PreparedNames,
): Promise<BatchRows> {
  return new Promise((resolve, reject) => {
    const rows: (readonly (string | null)[])[][] = statements.map(() => []);
    const fresh: string[] = [];
    let at = 0;
    const next = () => {
      at += 1;
    };
    // The driver calls these for the messages that belong to what it was given to submit.
    const submittable = {
      submit(connection: WireConnection) {
        connection.stream.cork();
        for (const { name = '', text, values } of statements) {
          if (name === '' || !prepared.known.has(name)) {
            if (prepared.doubtful.has(name)) connection.close({ type: 'S', name });
            connection.parse({ name, text, types: [] });
            if (name !== '') fresh.push(name);
          }
          connection.bind({ portal: '', statement: name, values });
          connection.execute({ portal: '', rows: 0 });
        }
        connection.sync();
        connection.stream.uncork();
      },
      handleDataRow: ({ fields }: { fields: readonly (string | null)[] }) => rows[at]!.push(fields),
      handleCommandComplete: next,
      handleEmptyQuery: next,
      handlePortalSuspended: next,
      handleRowDescription: () => undefined,
      handleCopyInResponse(connection: WireConnection) {
        connection.sendCopyFail('Nothing is copied here.');
        // The one that was sent before was taken for a part of the copy.
        connection.sync();
      },
      handleCopyData: () => undefined,
      handleReadyForQuery() {
        for (const name of fresh) {
          prepared.known.add(name);
          prepared.doubtful.delete(name);
        }
        resolve(rows);
      },
      handleError(error: Error) {
        for (const name of fresh) prepared.doubtful.add(name);
        reject(error);
      },
    };
    client.query(submittable as unknown as pg.Submittable);
  });
}
