import type pg from 'pg';
import { isConnectionLoss } from './connection-loss.ts';
import type { Rows, Statement } from './statement.ts';
import { NotRunError, Packet, type PendingStatement, type StatementConfig } from './wire/packet.ts';

/** What statements can be asked of: a pool, a connection, or one transaction. */
export interface Queries {
  // biome-ignore lint/suspicious/noExplicitAny: as the driver has it.
  query<Row extends pg.QueryResultRow = any>(
    config: string | pg.QueryConfig,
    values?: unknown[],
  ): Promise<pg.QueryResult<Row>>;
}

/** Runs statements on a connection, or inside a transaction. */
export const rowsOn =
  (client: Queries): Rows =>
  async ({ statement, values }) =>
    (await client.query({ ...statement, values: values as unknown[] })).rows;

/**
 * A statement that nothing is asked after but the commit. Where the transaction must not be committed it has to fail by
 * itself, since its answer is not looked at before.
 */
export interface LastStatement {
  readonly statement: Statement;
  readonly values: readonly unknown[];
  /** Told its rows once the transaction is committed. */
  readonly answered?: ((rows: readonly Record<string, unknown>[]) => void) | undefined;
  /** Says what its failure means. */
  readonly refused?: ((error: unknown) => unknown) | undefined;
}

/** The database went away when a change may have been made already: whether it was is not known. */
export class OutcomeUnknownError extends Error {
  override readonly name = 'OutcomeUnknownError';
}

/**
 * Runs `work` inside one transaction on a connection of its own. What is asked in one turn of the event loop travels in
 * one packet, in the order in which it was asked; the beginning travels with the first of it, and the commit with what
 * was given to `last`. So no lock of those is held while anything is on its way. Each text holds one statement: several in
 * one text are refused. A connection that broke, or has not left its transaction, is not given back.
 *
 * @param work gets a connection that is good until it returns, and `last`, which takes what is asked with the commit
 * @throws OutcomeUnknownError when the commit was sent and its answer did not come
 */
export async function inTransaction<Result>(
  pool: pg.Pool,
  work: (client: Queries, last: (statement: LastStatement) => void) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  const transaction = new Transaction(client, (pool.options as { query_timeout?: number }).query_timeout);
  const closing: LastStatement[] = [];
  let failure: unknown;
  try {
    const result = await work(transaction, (statement) => void closing.push(statement));
    await transaction.commit(closing);
    return result;
  } catch (error) {
    failure = error;
    // On a connection that is lost a rollback would wait behind the statement that has no answer; closing it is one.
    if (!isConnectionLoss(error)) await transaction.rollback();
    throw error;
  } finally {
    client.release(isConnectionLoss(failure) || !transaction.isLeft);
  }
}

class Transaction implements Queries {
  readonly #client: pg.PoolClient;
  readonly #limitMs: number | undefined;
  #waiting: PendingStatement[] = [];
  #sent: Packet | undefined;
  #isOver = false;

  /** @param limitMs how long a statement is waited for that says nothing else; undefined: for ever */
  constructor(client: pg.PoolClient, limitMs: number | undefined) {
    this.#client = client;
    this.#limitMs = limitMs;
  }

  /** Whether its connection is in no transaction any more. */
  get isLeft(): boolean {
    return this.#sent === undefined || this.#client.getTransactionStatus() === 'I';
  }

  // biome-ignore lint/suspicious/noExplicitAny: as the driver has it.
  query<Row extends pg.QueryResultRow = any>(
    config: string | pg.QueryConfig,
    values?: unknown[],
  ): Promise<pg.QueryResult<Row>> {
    // A statement that comes too late would run in the midst of another transaction.
    if (this.#isOver) return Promise.reject(new Error('This transaction is over.'));
    return this.#ask(typeof config === 'string' ? { text: config, values: values ?? [] } : config);
  }

  async commit(closing: readonly LastStatement[]): Promise<void> {
    this.#isOver = true;
    if (this.#sent === undefined && this.#waiting.length === 0 && closing.length === 0) return;
    const asked = closing.map(({ statement, values }) => this.#ask({ ...statement, values: values as unknown[] }));
    const answers = await Promise.allSettled([...asked, this.#ask(commit)]);
    const committed = answers.at(-1)!;
    if (committed.status === 'rejected' && !(committed.reason instanceof NotRunError)) {
      if (!isConnectionLoss(committed.reason) || !this.#sent!.isSent) throw committed.reason;
      throw new OutcomeUnknownError('The answer to a commit was lost.', { cause: committed.reason });
    }
    for (const [nth, answer] of answers.entries()) {
      if (answer.status === 'rejected') throw closing[nth]?.refused?.(answer.reason) ?? answer.reason;
    }
    const results = answers.map((answer) => (answer as PromiseFulfilledResult<pg.QueryResult>).value);
    // Postgres takes back what went wrong, whatever was asked for.
    if (results.at(-1)!.command !== 'COMMIT') throw new Error('A statement had failed, so nothing was committed.');
    for (const [nth, { answered }] of closing.entries()) answered?.(results[nth]!.rows);
  }

  async rollback(): Promise<void> {
    this.#isOver = true;
    for (const { reject } of this.#waiting.splice(0)) reject(new Error('This transaction is over.'));
    if (this.#sent !== undefined) await this.#client.query('rollback').catch(() => undefined);
  }

  #ask(config: StatementConfig): Promise<pg.QueryResult> {
    return new Promise((resolve, reject) => {
      // After all that is asked in this turn.
      if (this.#waiting.length === 0) process.nextTick(() => this.#send());
      this.#waiting.push({ config, resolve, reject });
    });
  }

  #send(): void {
    const asked = this.#waiting;
    if (asked.length === 0) return;
    this.#waiting = [];
    const begins = this.#sent === undefined;
    if (begins) {
      // The caller of the first statement gets its failure.
      asked.unshift({ config: begin, resolve: () => undefined, reject: asked[0]!.reject });
    }
    // Where the beginning failed, or could not be sent, what follows would be kept one by one.
    const mayRun = () => begins || this.#client.getTransactionStatus() !== 'I';
    this.#sent = new Packet(asked, this.#limitMs, mayRun);
    this.#client.query(this.#sent as unknown as pg.Submittable);
  }
}

// They take no time of their own: what they travel with says how long is waited, and for one alone the pool does.
const begin = { name: 'begin', text: 'begin', query_timeout: 0 };
const commit = { name: 'commit', text: 'commit', query_timeout: 0 };
