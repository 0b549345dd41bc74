import pg from 'pg';
import type { ConnectionCheck } from './connection-check.ts';
import { isConnectionLoss } from './connection-loss.ts';
import type { NoticeHook, Rows, Statement, StatementHook } from './statement.ts';
import { types } from './types.ts';
import { Packet } from './wire/packet.ts';
import { createPipeline } from './wire/pipeline.ts';

export { isConnectionLoss } from './connection-loss.ts';
export type { NoticeHook, Statement, StatementHook } from './statement.ts';
export { inTransaction, type LastStatement, OutcomeUnknownError, type Queries } from './transaction.ts';

export interface PoolOptions {
  readonly url: string;
  /** Most connections at once. @default 10 */
  readonly max?: number;
  /** How long a request waits for a free connection, in milliseconds. @default 5_000 */
  readonly waitMs?: number;
  /** Longest a statement may take, in milliseconds: what hangs is given up. @default no limit */
  readonly statementMs?: number;
  readonly onStatement?: StatementHook | undefined;
  /** Told when an idle connection breaks; the pool replaces it by itself. */
  readonly onIdleError?: (error: Error) => void;
  /** Told what the server says beside its answers, such as the plans that `auto_explain` shows. */
  readonly onNotice?: NoticeHook | undefined;
  /** Looks at each new connection before it is used. */
  readonly check?: ConnectionCheck | undefined;
  readonly name?: string;
}

/** A connection pool. Connections are opened on first use and closed when idle for half a minute. */
export function createPool({
  url,
  max = 10,
  waitMs = 5_000,
  statementMs,
  onStatement,
  onIdleError,
  onNotice,
  check,
  name,
}: PoolOptions): pg.Pool {
  class Client extends pg.Client {
    // biome-ignore lint/suspicious/noExplicitAny: the driver's method has a dozen overloads, all passed through.
    override query(...args: any[]): any {
      const [first] = args;
      if (onStatement !== undefined) {
        if (first instanceof Packet) for (const text of first.texts) onStatement(text);
        else onStatement(typeof first === 'string' ? first : (first?.text ?? ''));
      }
      // biome-ignore lint/suspicious/noExplicitAny: as above.
      return (super.query as any)(...args);
    }

    /**
     * Sets the server's limit and asks which history it is of, which is no caller's statement. Not as a parameter of the
     * connection: poolers such as PgBouncer refuse those they do not know.
     */
    async prepare(): Promise<void> {
      const ask = <Row extends object>(text: string, values?: unknown[]) =>
        super.query({ text, values, query_timeout: waitMs } as pg.QueryConfig) as unknown as Promise<{ rows: Row[] }>;
      if (statementMs !== undefined) await ask(`set statement_timeout = ${statementMs}`);
      if (check === undefined) return;
      const [row] = (await ask<{ history: string | null }>(check.text)).rows;
      if (!check.isCurrent(row!.history)) await check.admit(row!.history, { query: ask });
    }
  }
  const pool = new pg.Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: waitMs,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    // The server stops a statement first; the driver's own timer is for a server that no longer answers at all.
    ...(statementMs === undefined ? {} : { query_timeout: statementMs + 5_000 }),
    ...(statementMs === undefined && check === undefined
      ? {}
      : { onConnect: (client: pg.ClientBase) => (client as Client).prepare() }),
    application_name: name ?? 'svc-gateway',
    types,
    Client: Client as unknown as typeof pg.Client,
  } as pg.PoolConfig);
  // Without a listener a connection that breaks while idle would end the process.
  pool.on('error', (error) => {
    // One that breaks while the pool is closed is no news.
    if (!pool.ending) onIdleError?.(error);
  });
  // And so would one that breaks between the statements of a transaction; the next statement tells its user.
  pool.on('connect', (client) => client.on('error', () => undefined));
  if (onNotice !== undefined) {
    pool.on('connect', (client) => client.on('notice', ({ message }) => onNotice(message ?? '')));
  }
  return pool;
}

/** The control database. */
export interface Database {
  readonly pool: pg.Pool;
  /** Runs a statement that is prepared once per connection under its name. */
  readonly rows: Rows;
  close(): Promise<void>;
}

export function openDatabase(options: PoolOptions): Database {
  const pool = createPool(options);
  // Not by the pool's own `query`, which throws a connection away for every refusal.
  const byPool = async <Row extends object>(
    { name, text, timeoutMs }: Statement,
    values: readonly unknown[],
  ): Promise<Row[]> => {
    const client = await pool.connect();
    let failure: unknown;
    try {
      const limit = timeoutMs === undefined ? {} : { query_timeout: timeoutMs };
      return (await client.query<Row & pg.QueryResultRow>({ name, text, values: values as unknown[], ...limit })).rows;
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      client.release(isConnectionLoss(failure));
    }
  };
  const { url, waitMs = 5_000, statementMs, onStatement, onIdleError, onNotice, check, name = 'svc-gateway' } = options;
  const pipeline = createPipeline({
    url,
    connectMs: waitMs,
    statementMs,
    onStatement,
    onIdleError,
    onNotice,
    check,
    name: `${name} reads`,
    elsewhere: byPool,
  });
  return {
    pool,
    rows: ({ statement, values }) => (statement.pipelined === true ? pipeline.rows : byPool)(statement, values),
    async close() {
      await Promise.all([pool.end(), pipeline.close()]);
    },
  };
}

/** SQLSTATE of a statement that was cancelled. */
const queryCanceled = '57014';

/** Whether Postgres gave a statement up because it took longer than it may; its connection is as good as before. */
export const isTimeout = (error: unknown): boolean => sqlState(error) === queryCanceled;

/** Whether Postgres cannot take the values as they are, such as a NUL character in a text: class 22. */
export const isDataFault = (error: unknown): boolean => sqlState(error)?.startsWith('22') === true;

/** Whether another transaction came first with what there can be one of. */
export const isUniqueViolation = (error: unknown): boolean => sqlState(error) === '23505';

/** Whether a value breaks what its table demands of it. */
export const isCheckViolation = (error: unknown): boolean => sqlState(error) === '23514';

/** Whether Postgres took a transaction back because another one was in its way: the same may go well at once. */
export const isCollision = (error: unknown): boolean => collisions.has(sqlState(error) ?? '');

/** serialization_failure and deadlock_detected. */
const collisions: ReadonlySet<string> = new Set(['40001', '40P01']);

/** The SQLSTATE of a refusal by Postgres, also one that is the cause of another error; undefined for anything else. */
export function sqlState(error: unknown): string | undefined {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof pg.DatabaseError) return at.code;
  return undefined;
}
