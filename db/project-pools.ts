import type pg from 'pg';
import type { StatementHook } from './pool.ts';
import { ProjectConnections } from './project-connections.ts';
import type { ProjectDatabase, ProjectLogins } from './project-databases.ts';
import { cancelWhenDue, longestOf, type Project, type Session } from './project-session.ts';
import type { Caller } from './role-turns.ts';
import { type BatchRows, type BatchStatement, type PreparedNames, runBatch } from './wire/batch.ts';
import {
  runScript,
  type ScriptLimits,
  type ScriptResult,
  type ScriptRun,
  type ScriptStatement,
} from './wire/script.ts';
import { SharedReads } from './wire/shared-reads.ts';

export { ProjectPoolBusyError } from './project-pool-busy.ts';

export interface ProjectPoolsOptions {
  readonly databases: ProjectLogins;
  /** Most connections to one project at once. @default 8 */
  readonly perProject?: number;
  /** Most connections to all projects together. @default 80 */
  readonly max?: number;
  /** How long an idle connection is kept, in milliseconds. @default 30_000 */
  readonly idleMs?: number;
  /** How long a request waits for a connection, in milliseconds. @default 5_000 */
  readonly waitMs?: number;
  /** Longest a batch may take, in milliseconds; then it is cancelled. Callers have less, see `callerMs`. @default 30_000 */
  readonly batchMs?: number;
  readonly onStatement?: StatementHook | undefined;
  readonly warn: (message: string, facts: Record<string, unknown>) => void;
}

export interface BatchOptions {
  /** Aborted when no caller waits for the rows any more: the batch is cancelled. */
  readonly signal?: AbortSignal | undefined;
  /** For whom it is run, where that is neither the platform nor the project's service. */
  readonly caller?: Caller | undefined;
  /** Tenant code was called that may leave anything on the session, which is cleared before anybody else has it. */
  readonly discard?: boolean;
  /** Nothing is changed and nothing called: it may be sent in one packet with other reads, and be run twice. */
  readonly shared?: boolean;
}

export interface SessionOptions extends Pick<BatchOptions, 'signal' | 'caller'> {
  /** Longest it may take, in milliseconds. @default as long as any batch */
  readonly mostMs?: number;
}

type RunBatch = (statements: readonly BatchStatement[]) => Promise<BatchRows>;

export interface ScriptOptions extends Pick<BatchOptions, 'signal'>, ScriptRun {}

/** Connections to project databases as each project's own login role: opened when needed, closed when idle. */
export class ProjectPools {
  readonly #options: Required<Omit<ProjectPoolsOptions, 'onStatement'>> & Pick<ProjectPoolsOptions, 'onStatement'>;
  readonly #connections: ProjectConnections;
  readonly #shared: SharedReads;

  constructor(options: ProjectPoolsOptions) {
    this.#options = {
      perProject: 8,
      max: 80,
      idleMs: 30_000,
      waitMs: 5_000,
      batchMs: 30_000,
      onStatement: undefined,
      ...options,
    };
    const connections = new ProjectConnections(this.#options);
    this.#connections = connections;
    this.#shared = new SharedReads({
      ...this.#options,
      idle: (project) => connections.takeIdle(project),
      acquire: (project) => connections.acquire(project),
      release: (session, unclean, cancelling) => void connections.release(session, unclean, cancelling),
      close: (session) => void connections.closeSession(session),
      wanted: () => connections.wanted,
      alone: (project, read) => this.#runAlone(project, read.statements, read),
    });
  }

  /** Connections that are open. */
  get size(): number {
    return this.#connections.size;
  }

  /** Projects of which anything is known. */
  get projects(): number {
    return this.#connections.projects;
  }

  /** How many connections are open to each database, by its name. */
  open(): Iterable<readonly [databaseName: string, open: number]> {
    return this.#connections.byDatabase();
  }

  /**
   * Runs statements as one transaction on a connection of the project's.
   *
   * @throws ProjectPoolBusyError, or what the database refused with
   */
  run(
    database: ProjectDatabase,
    statements: readonly BatchStatement[],
    { signal, caller, discard = false, shared = false }: BatchOptions = {},
  ): Promise<BatchRows> {
    const project = this.#connections.projectOf(database);
    return shared
      ? this.#shared.ask(project, { statements, signal, caller })
      : this.#runAlone(project, statements, { signal, caller, discard });
  }

  /**
   * Runs a tenant's statements as one transaction, and says what the last of them answered.
   *
   * @throws ScriptTooLargeError with nothing done, ProjectPoolBusyError, or what the database refused with
   */
  async runScript(
    database: ProjectDatabase,
    statements: readonly ScriptStatement[],
    limits: ScriptLimits,
    { signal, ...options }: ScriptOptions = {},
  ): Promise<ScriptResult> {
    return this.#with(this.#connections.projectOf(database), { signal, discard: true }, async ({ client }) => {
      for (const { text } of statements) this.#options.onStatement?.(text);
      try {
        return await runScript(client, statements, limits, options);
      } catch (error) {
        // A session that cannot even do that is closed when it cannot be cleared either.
        await client.query('rollback').catch(() => undefined);
        throw error;
      }
    });
  }

  /**
   * Hands out a transaction, in which batches may follow from what earlier ones answered. The session is nobody
   * else's meanwhile, and cleared afterwards.
   */
  async transaction<Result>(
    database: ProjectDatabase,
    work: (run: RunBatch) => Promise<Result>,
    options: SessionOptions = {},
  ): Promise<Result> {
    return this.#with(
      this.#connections.projectOf(database),
      { ...options, discard: true },
      async ({ client, prepared }) => {
        await client.query('begin');
        try {
          const result = await work((statements) => this.#batch(client, statements, prepared));
          await client.query('commit');
          return result;
        } catch (error) {
          // A session that cannot even do that is closed when it cannot be cleared either.
          await client.query('rollback').catch(() => undefined);
          throw error;
        }
      },
    );
  }

  /**
   * Hands out a session, in which each statement is a transaction of its own: for those that can be part of none. It is
   * nobody else's meanwhile, and cleared afterwards.
   */
  session<Result>(
    database: ProjectDatabase,
    work: (run: (statement: BatchStatement) => Promise<pg.QueryResult>) => Promise<Result>,
    options: SessionOptions = {},
  ): Promise<Result> {
    return this.#with(this.#connections.projectOf(database), { ...options, discard: true }, ({ client }) =>
      work(({ text, values }) => {
        this.#options.onStatement?.(text);
        return client.query(text, values as unknown[]);
      }),
    );
  }

  #batch(client: pg.Client, statements: readonly BatchStatement[], prepared: PreparedNames): Promise<BatchRows> {
    for (const { text } of statements) this.#options.onStatement?.(text);
    return runBatch(client, statements, prepared);
  }

  #runAlone(
    project: Project,
    statements: readonly BatchStatement[],
    options: Omit<BatchOptions, 'shared'>,
  ): Promise<BatchRows> {
    return this.#with(project, options, ({ client, prepared }) => this.#batch(client, statements, prepared));
  }

  async #with<Result>(
    project: Project,
    { signal, caller, discard = false, mostMs }: BatchOptions & SessionOptions,
    work: (session: Session) => Promise<Result>,
  ): Promise<Result> {
    const giveBack = caller === undefined ? undefined : await project.turns.take(caller);
    let session: Session;
    try {
      session = await this.#connections.acquire(project);
    } catch (error) {
      giveBack?.();
      throw error;
    }
    let failed = true;
    const settle = cancelWhenDue(session, this.#options, mostMs ?? longestOf(this.#options, caller), signal);
    try {
      const result = await work(session);
      failed = false;
      return result;
    } finally {
      const cancelling = settle();
      // In the background: the answer need not wait until the session is fit for the next one.
      void this.#connections
        .release(session, failed || discard || cancelling !== undefined, cancelling)
        .finally(() => giveBack?.());
    }
  }

  /** Closes what is idle of a project; what is under way ends by itself. */
  forget(database: Pick<ProjectDatabase, 'databaseName'>): Promise<void> {
    return this.#connections.forget(database);
  }

  close(): Promise<void> {
    return this.#connections.close();
  }
}
