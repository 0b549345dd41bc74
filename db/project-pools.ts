import type pg from 'pg';
import type { StatementHook } from './pool.ts';
import type { ProjectDatabase, ProjectLogins } from './project-databases.ts';
import { cancelWhenDue, openSession, type Project, type Session } from './project-session.ts';
import { runScript, type ScriptLimits, type ScriptResult } from './script.ts';
import { emptyQueue, SharedReads } from './shared-reads.ts';
import { type BatchRows, type BatchStatement, type PreparedNames, runBatch } from './statement-batch.ts';

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
  /** Longest a batch may take, in milliseconds; then it is cancelled. @default 30_000 */
  readonly batchMs?: number;
  readonly onStatement?: StatementHook | undefined;
  readonly warn: (message: string, facts: Record<string, unknown>) => void;
}

export interface BatchOptions {
  /** Aborted when nobody waits for the rows any more: the batch is cancelled. */
  readonly signal?: AbortSignal | undefined;
  /** Tenant code was called that may leave anything on the session, which is cleared before anybody else has it. */
  readonly discard?: boolean;
  /** Nothing is changed and nothing called: it may be sent in one packet with other reads, and be run twice. */
  readonly shared?: boolean;
}

/** No connection came free in time. */
export class ProjectPoolBusyError extends Error {
  override readonly name = 'ProjectPoolBusyError';
}

/** Batches that a session serves before it is replaced, and statements that it prepares. */
const batchesMax = 5_000;
const preparedMax = 256;

interface Waiter {
  readonly project: Project;
  readonly serve: (session: Session | undefined) => void;
}

/** Connections to project databases as each project's own login role: opened when needed, closed when idle. */
export class ProjectPools {
  readonly #options: Required<Omit<ProjectPoolsOptions, 'onStatement'>> & Pick<ProjectPoolsOptions, 'onStatement'>;
  readonly #projects = new Map<string, Project>();
  /** Idle sessions, the one that has been so for longest first. */
  readonly #idle = new Set<Session>();
  readonly #waiting: Waiter[] = [];
  readonly #shared: SharedReads;
  #open = 0;
  #closed = false;

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
    this.#shared = new SharedReads({
      ...this.#options,
      idle: (project) => this.#takeIdle(project),
      acquire: (project) => this.#acquire(project),
      release: (session, unclean, cancelling) => void this.#release(session, unclean, cancelling),
      close: (session) => void this.#close(session),
      wanted: () => this.#waiting.length > 0,
      alone: (project, statements, signal) => this.#runAlone(project, statements, signal, false),
    });
  }

  /** Connections that are open. */
  get size(): number {
    return this.#open;
  }

  /**
   * Runs statements as one transaction on a connection of the project's.
   *
   * @throws ProjectPoolBusyError, or what the database refused with
   */
  run(
    database: ProjectDatabase,
    statements: readonly BatchStatement[],
    { signal, discard = false, shared = false }: BatchOptions = {},
  ): Promise<BatchRows> {
    const project = this.#projectOf(database);
    return shared
      ? this.#shared.ask(project, statements, signal)
      : this.#runAlone(project, statements, signal, discard);
  }

  /**
   * Runs a tenant's statements as one transaction, and says what the last of them answered.
   *
   * @throws ScriptTooLargeError with nothing done, ProjectPoolBusyError, or what the database refused with
   */
  async runScript(
    database: ProjectDatabase,
    statements: readonly BatchStatement[],
    limits: ScriptLimits,
    { signal }: Pick<BatchOptions, 'signal'> = {},
  ): Promise<ScriptResult> {
    return this.#with(this.#projectOf(database), { signal, discard: true }, ({ client }) => {
      for (const { text } of statements) this.#options.onStatement?.(text);
      return runScript(client, statements, limits);
    });
  }

  /**
   * Hands out a transaction, in which batches may follow from what earlier ones answered. The session is nobody
   * else's meanwhile, and cleared afterwards.
   */
  async transaction<Result>(
    database: ProjectDatabase,
    work: (run: (statements: readonly BatchStatement[]) => Promise<BatchRows>) => Promise<Result>,
    { signal }: Pick<BatchOptions, 'signal'> = {},
  ): Promise<Result> {
    return this.#with(this.#projectOf(database), { signal, discard: true }, async ({ client, prepared }) => {
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
    });
  }

  #batch(client: pg.Client, statements: readonly BatchStatement[], prepared: PreparedNames): Promise<BatchRows> {
    for (const { text } of statements) this.#options.onStatement?.(text);
    return runBatch(client, statements, prepared);
  }

  #runAlone(
    project: Project,
    statements: readonly BatchStatement[],
    signal: AbortSignal | undefined,
    discard: boolean,
  ): Promise<BatchRows> {
    return this.#with(project, { signal, discard }, ({ client, prepared }) =>
      this.#batch(client, statements, prepared),
    );
  }

  async #with<Result>(
    project: Project,
    { signal, discard = false }: BatchOptions,
    work: (session: Session) => Promise<Result>,
  ): Promise<Result> {
    const session = await this.#acquire(project);
    let failed = true;
    const settle = cancelWhenDue(session, this.#options, signal);
    try {
      const result = await work(session);
      failed = false;
      return result;
    } finally {
      const cancelling = settle();
      // In the background: the answer need not wait until the session is fit for the next one.
      void this.#release(session, failed || discard || cancelling !== undefined, cancelling);
    }
  }

  /** Closes what is idle of a project; what is under way ends by itself. */
  async forget({ databaseName }: Pick<ProjectDatabase, 'databaseName'>): Promise<void> {
    const project = this.#projects.get(databaseName);
    this.#projects.delete(databaseName);
    await Promise.all((project?.idle.splice(0) ?? []).map((session) => this.#close(session)));
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const { serve } of this.#waiting.splice(0)) serve(undefined);
    await Promise.all([...this.#projects.values()].map(({ database }) => this.forget(database)));
  }

  #projectOf(database: ProjectDatabase): Project {
    let project = this.#projects.get(database.databaseName);
    if (project === undefined) {
      project = { database, idle: [], reads: emptyQueue(), open: 0, current: false };
      this.#projects.set(database.databaseName, project);
    }
    return project;
  }

  async #acquire(project: Project): Promise<Session> {
    if (this.#closed) throw new ProjectPoolBusyError('The pools are closed.');
    const idle = this.#takeIdle(project);
    if (idle !== undefined) return idle;
    if (this.#makeRoom(project)) return this.#connect(project);
    const session = await this.#wait(project);
    return session ?? this.#connect(project);
  }

  #takeIdle(project: Project): Session | undefined {
    const idle = this.#closed ? undefined : project.idle.pop();
    return idle === undefined ? undefined : this.#wake(idle);
  }

  #wake(session: Session): Session {
    clearTimeout(session.idleTimer);
    this.#idle.delete(session);
    return session;
  }

  /** Whether one more may be opened, at the cost of one that has been idle elsewhere; counts it if so. */
  #makeRoom(project: Project): boolean {
    const { perProject, max } = this.#options;
    if (project.open >= perProject) return false;
    if (this.#open >= max) {
      const [oldest] = this.#idle;
      if (oldest === undefined) return false;
      void this.#close(oldest);
    }
    this.#count(project, 1);
    return true;
  }

  #count(project: Project, change: 1 | -1): void {
    this.#open += change;
    project.open += change;
  }

  /** @returns a session, or nothing where one may be opened and is counted already */
  #wait(project: Project): Promise<Session | undefined> {
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        project,
        serve: (session) => {
          clearTimeout(patience);
          if (this.#closed) reject(new ProjectPoolBusyError('The pools are closed.'));
          else resolve(session);
        },
      };
      const patience = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
        reject(new ProjectPoolBusyError('No connection to the project came free in time.'));
      }, this.#options.waitMs);
      this.#waiting.push(waiter);
    });
  }

  /** Opens a session that is counted already. */
  async #connect(project: Project): Promise<Session> {
    const lost = (session: Session) => {
      if (this.#idle.has(session)) void this.#close(session);
    };
    try {
      return await openSession(project, this.#options, lost);
    } catch (error) {
      this.#count(project, -1);
      this.#serveNext();
      throw error;
    }
  }

  /** @param cancelling a cancellation under way: whoever had the session next would be cancelled in its place */
  async #release(session: Session, unclean: boolean, cancelling: Promise<void> | undefined): Promise<void> {
    await cancelling;
    session.batches += 1;
    const { known, doubtful } = session.prepared;
    if (session.batches >= batchesMax || this.#projects.get(session.project.database.databaseName) !== session.project)
      return this.#close(session);
    if (unclean || known.size + doubtful.size > preparedMax) {
      try {
        await session.client.query('discard all');
      } catch {
        return this.#close(session);
      }
      known.clear();
      doubtful.clear();
    }
    this.#handOn(session);
  }

  /** Gives a session to who waits for its project, or lets it rest. */
  #handOn(session: Session): void {
    const own = this.#waiting.findIndex(({ project }) => project === session.project);
    if (own >= 0) {
      const [waiter] = this.#waiting.splice(own, 1);
      waiter!.serve(session);
      return;
    }
    // Somebody waits for room: this one makes it.
    if (this.#closed || this.#waiting.length > 0) {
      void this.#close(session);
      return;
    }
    session.project.idle.push(session);
    this.#idle.add(session);
    session.idleTimer = setTimeout(() => void this.#close(session), this.#options.idleMs);
    session.idleTimer.unref();
  }

  async #close(session: Session): Promise<void> {
    this.#wake(session);
    const at = session.project.idle.indexOf(session);
    if (at >= 0) session.project.idle.splice(at, 1);
    this.#count(session.project, -1);
    await session.client.end().catch(() => undefined);
    this.#serveNext();
  }

  #serveNext(): void {
    const next = this.#waiting.findIndex(({ project }) => project.open < this.#options.perProject);
    if (next < 0 || this.#open >= this.#options.max) return;
    const [waiter] = this.#waiting.splice(next, 1);
    this.#count(waiter!.project, 1);
    waiter!.serve(undefined);
  }
}
