import pg from 'pg';
import type { BatchRows, BatchStatement } from './batch.ts';
import { connectionOf } from './connection.ts';

/** A statement of a script. */
export interface ScriptStatement extends BatchStatement {
  /** How many characters of the text that it was taken from come before it: the place of a mistake counts from there. @default 0 */
  readonly before?: number;
  /** Whether what it answers is told, too, and not that of the last alone; the limits hold for all together. @default false */
  readonly isTold?: boolean;
}

/** What a script may answer. */
export interface ScriptLimits {
  readonly rows: number;
  /** Bytes that may arrive in all, also of rows that are not shown. */
  readonly bytes: number;
  /** Measures what is answered, beyond the bytes that it arrives in. @default not measured */
  readonly scale?: ScriptScale;
}

export interface ScriptField {
  readonly name: string;
  readonly typeId: number;
}

/** What an answer amounts to, once something is made of it. */
export interface ScriptScale {
  columns(fields: readonly ScriptField[]): void;
  /** @returns what there is too much of, with this row */
  row(cells: readonly (string | null)[]): 'bytes' | 'values' | undefined;
}

/** What one statement of a script answered. */
export interface StatementResult {
  readonly fields: readonly ScriptField[];
  /** Every column as text. */
  readonly rows: readonly (readonly (string | null)[])[];
  /** Rows it returned or changed; null for a statement that counts none. */
  readonly rowCount: number | null;
}

/** The same of a statement among others. */
export interface ToldResult extends StatementResult {
  /** As PostgreSQL names what was done: `INSERT 0 3`, `CREATE TABLE`. */
  readonly command: string;
  /** From the answer of the statement before it to its own, in milliseconds. */
  readonly ms: number;
  /** How many characters of the text come before it. */
  readonly before: number;
}

/** What the last statement of a script answered. */
export interface ScriptResult extends StatementResult {
  /** What each statement answered that was to be told. */
  readonly told: readonly ToldResult[];
}

/** What follows a script in its transaction, when it is known what it answered. */
export interface ScriptSequel {
  /** Nothing where there is nothing to be sent. */
  readonly statement: (result: ScriptResult) => BatchStatement | undefined;
  readonly onRows?: (rows: BatchRows[number]) => void;
}

/** More was answered than may be; nothing that the script changed is kept. */
export class ScriptTooLargeError extends Error {
  override readonly name = 'ScriptTooLargeError';
  readonly limit: 'rows' | 'bytes' | 'values';

  constructor(limit: 'rows' | 'bytes' | 'values') {
    super(`The answer has more ${limit} than may be.`);
    this.limit = limit;
  }
}

const begin: BatchStatement = { name: undefined, text: 'begin', values: [] };
const commit: BatchStatement = { name: undefined, text: 'commit', values: [] };
const rollback: BatchStatement = { name: undefined, text: 'rollback', values: [] };

export interface ScriptRun {
  /** What follows in the same transaction, in order. @default nothing */
  readonly sequels?: readonly ScriptSequel[];
  /** Whether nothing of it is kept. @default false */
  readonly isTrial?: boolean;
}

/**
 * Runs statements as one transaction: sent in one go, and committed only when all of them are done and their answer is
 * small enough. Memory holds no more than the limits, whatever the statements answer. The transaction is begun by words:
 * older minor versions of PostgreSQL let a procedure end one that is not.
 *
 * A refusal may leave the transaction open, in which nothing can be done any more.
 */
export function runScript(
  client: pg.Client,
  script: readonly ScriptStatement[],
  limits: ScriptLimits,
  { sequels = [], isTrial = false }: ScriptRun = {},
): Promise<ScriptResult> {
  const connection = connectionOf(client);
  return new Promise((resolve, reject) => {
    const statements: readonly ScriptStatement[] = [begin, ...script];
    const last = statements.length - 1;
    const isShown = (index: number) => index === last || statements[index]?.isTold === true;
    const told: ToldResult[] = [];
    let shownRows = 0;
    let since = performance.now();
    const following = sequels.values();
    let sequel: ScriptSequel | undefined;
    let sequelRows: (readonly (string | null)[])[] = [];
    let at = 0;
    let fields: readonly ScriptField[] = [];
    let rows: (readonly (string | null)[])[] = [];
    let rowCount: number | null = null;
    let tooLarge: ScriptTooLargeError | undefined;
    let isCut = false;
    let ended = false;
    let bytes = 0;
    const refuse = (of: 'bytes' | 'values') => {
      // What is committed is not refused any more.
      if (isCut || ended) return;
      isCut = true;
      tooLarge ??= new ScriptTooLargeError(of);
      // One row alone may be too much: without a connection nothing is committed, and nothing more arrives.
      connection.stream.destroy();
    };
    const count = (part: Buffer) => {
      bytes += part.length;
      if (bytes > limits.bytes) refuse('bytes');
    };
    const settle = (answer: () => void) => {
      connection.stream.off('data', count);
      answer();
    };
    const send = ({ text, values }: BatchStatement, describe: boolean, most: number) => {
      connection.parse({ name: '', text, types: [] });
      connection.bind({ portal: '', statement: '', values });
      if (describe) connection.describe({ type: 'P', name: '' });
      connection.execute({ portal: '', rows: most });
    };
    const end = (word: BatchStatement) => {
      ended = true;
      send(word, false, 0);
      connection.sync();
    };
    const next = () => {
      at += 1;
      if (ended || isCut || at < statements.length) return;
      if (tooLarge !== undefined) return end(rollback);
      sequel?.onRows?.(sequelRows);
      for (sequel of following) {
        const statement = sequel.statement({ fields, rows, rowCount, told });
        if (statement === undefined) continue;
        sequelRows = [];
        send(statement, false, 0);
        connection.flush();
        return;
      }
      end(isTrial ? rollback : commit);
    };
    // The driver calls these for the messages that belong to what it was given to submit.
    const messages = {
      submit() {
        // Before the driver has looked at it, so that nothing is committed of what is too much.
        connection.stream.prependListener('data', count);
        connection.stream.cork();
        for (const [index, one] of statements.entries()) {
          send(one, isShown(index), isShown(index) ? limits.rows + 1 : 0);
          // A told statement is answered when it is done, and so is the one before it: the times of arrival are told.
          if (one.isTold === true || statements[index + 1]?.isTold === true) connection.flush();
        }
        connection.flush();
        connection.stream.uncork();
        return null;
      },
      handleRowDescription(message: { fields: readonly { name: string; dataTypeID: number }[] }) {
        fields = message.fields.map(({ name, dataTypeID }) => ({ name, typeId: dataTypeID }));
        limits.scale?.columns(fields);
      },
      handleDataRow(message: { fields: readonly (string | null)[] }) {
        if (isShown(at)) {
          if (tooLarge !== undefined) return;
          shownRows += 1;
          const excess = limits.scale?.row(message.fields);
          if (excess !== undefined) refuse(excess);
          else if (shownRows > limits.rows) tooLarge = new ScriptTooLargeError('rows');
          else rows.push(message.fields);
        } else if (at > last) sequelRows.push(message.fields);
      },
      handleCommandComplete({ text }: { text: string }) {
        if (isShown(at)) rowCount = countOf(text);
        const now = performance.now();
        const { isTold = false, before = 0 } = statements[at] ?? {};
        if (isTold) told.push({ fields, rows, rowCount, command: text, ms: now - since, before });
        if (at < last) [fields, rows] = [[], []];
        since = now;
        next();
      },
      handleEmptyQuery: next,
      handlePortalSuspended() {
        tooLarge ??= new ScriptTooLargeError('rows');
        next();
      },
      handleCopyInResponse: () => connection.sendCopyFail('Nothing is copied here.'),
      handleCopyData: () => undefined,
      handleReadyForQuery() {
        settle(() => (tooLarge === undefined ? resolve({ fields, rows, rowCount, told }) : reject(tooLarge)));
      },
      handleError(error: pg.DatabaseError) {
        const before = statements[at]?.before;
        if (error.position !== undefined && before !== undefined)
          error.position = String(Number(error.position) + before);
        if (!ended && !isCut) connection.sync();
        settle(() => reject(tooLarge ?? error));
      },
    };
    // One of the driver's own kind: it takes no other in pipeline mode. Nothing else is sent while a script is at work.
    client.query(Object.assign(new pg.Query(''), messages) as unknown as pg.Submittable);
  });
}

/** The number at the end of `INSERT 0 3` or `SELECT 3`; others, such as `CREATE TABLE`, have none. */
function countOf(tag: string): number | null {
  const digits = /^(?:INSERT \d+|SELECT|UPDATE|DELETE|MERGE|FETCH|MOVE) (\d+)$/.exec(tag)?.[1];
  return digits === undefined ? null : Number(digits);
}
