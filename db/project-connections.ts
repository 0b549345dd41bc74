import type { ProjectDatabase } from './project-databases.ts';
import { ProjectPoolBusyError } from './project-pool-busy.ts';
import { openSession, type Project, ServerFullError, type Session, type SessionOptions } from './project-session.ts';
import { RoleTurns } from './role-turns.ts';
import { WaitingLine } from './waiting-line.ts';
import { emptyQueue, isAsked } from './wire/read-queue.ts';

export interface ProjectConnectionsOptions extends SessionOptions {
  /** Most connections to one project at once. */
  readonly perProject: number;
  /** Most connections to all projects together. */
  readonly max: number;
  /** How long an idle connection is kept, in milliseconds. */
  readonly idleMs: number;
}

/** Batches that a session serves before it is replaced, and statements that it prepares. */
const batchesMax = 5_000;
const preparedMax = 256;

/** Connections by project: opened when needed, handed on in turn, closed when idle. */
export class ProjectConnections {
  readonly #options: ProjectConnectionsOptions;
  readonly #projects = new Map<string, Project>();
  /** Idle sessions, the one that has been so for longest first. */
  readonly #idle = new Set<Session>();
  readonly #line: WaitingLine;
  #open = 0;
  #closed = false;

  constructor(options: ProjectConnectionsOptions) {
    this.#options = options;
    this.#line = new WaitingLine(options.waitMs);
  }

  /** Connections that are open. */
  get size(): number {
    return this.#open;
  }

  /** Projects of which anything is known. */
  get projects(): number {
    return this.#projects.size;
  }

  /** How many are open to each database. */
  *byDatabase(): Iterable<readonly [databaseName: string, open: number]> {
    for (const [name, { open }] of this.#projects) if (open > 0) yield [name, open];
  }

  /** Whether anybody waits for a connection. */
  get wanted(): boolean {
    return !this.#line.isEmpty;
  }

  projectOf(database: ProjectDatabase): Project {
    let project = this.#projects.get(database.databaseName);
    if (project === undefined) {
      const { perProject, waitMs } = this.#options;
      const turns = new RoleTurns(perProject, waitMs);
      project = { database, idle: [], reads: emptyQueue(), turns, open: 0, full: false, current: false };
      this.#projects.set(database.databaseName, project);
    }
    return project;
  }

  /** @throws ProjectPoolBusyError, ProjectUnreachableError */
  async acquire(project: Project): Promise<Session> {
    if (this.#closed) throw closedError();
    const idle = this.takeIdle(project);
    if (idle !== undefined) return idle;
    return this.#makeRoom(project) ? this.#connect(project) : this.#wait(project);
  }

  async #wait(project: Project): Promise<Session> {
    if (this.#closed) throw closedError();
    try {
      return (await this.#line.wait(project)) ?? (await this.#connect(project));
    } catch (error) {
      this.#letGo(project);
      throw error;
    }
  }

  /** A session that is idle now. */
  takeIdle(project: Project): Session | undefined {
    const idle = this.#closed ? undefined : project.idle.pop();
    return idle === undefined ? undefined : this.#wake(idle);
  }

  #wake(session: Session): Session {
    clearTimeout(session.idleTimer);
    this.#idle.delete(session);
    return session;
  }

  #mayHaveMore = (project: Project): boolean => project.open < this.#options.perProject && !project.full;

  /** Whether one more may be opened, at the cost of one that has been idle elsewhere; counts it if so. */
  #makeRoom(project: Project): boolean {
    if (!this.#mayHaveMore(project)) return false;
    if (this.#open >= this.#options.max) {
      const [oldest] = this.#idle;
      if (oldest === undefined) return false;
      void this.#end(oldest);
    }
    this.#count(project, 1);
    return true;
  }

  #count(project: Project, change: 1 | -1): void {
    this.#open += change;
    project.open += change;
    if (change < 0) project.full = false;
  }

  /** Opens a session that is counted already. Where the server has no room for it, one of the project's is waited for. */
  async #connect(project: Project): Promise<Session> {
    const lost = (session: Session) => {
      if (this.#idle.has(session)) this.closeSession(session);
    };
    try {
      return await openSession(project, this.#options, lost);
    } catch (error) {
      this.#count(project, -1);
      const isFull = error instanceof ServerFullError;
      const hasOthers = project.open > 0;
      project.full = isFull && hasOthers;
      this.#serveNext();
      if (isFull && hasOthers) return this.#wait(project);
      this.#letGo(project);
      throw isFull ? new ProjectPoolBusyError('The server takes no more connections now.', { cause: error }) : error;
    }
  }

  /** @param cancelling a cancellation under way: the next user of the session would be cancelled in its place */
  async release(session: Session, unclean: boolean, cancelling: Promise<void> | undefined): Promise<void> {
    await cancelling;
    session.batches += 1;
    const { known, doubtful } = session.prepared;
    if (session.batches >= batchesMax || this.#projects.get(session.project.database.databaseName) !== session.project)
      return this.closeSession(session);
    if (unclean || known.size + doubtful.size > preparedMax) {
      try {
        await clear(session);
      } catch {
        return this.closeSession(session);
      }
      known.clear();
      doubtful.clear();
    }
    this.#handOn(session);
  }

  /** Gives a session to who waits for its project, makes room for a project that has fewer, or lets it rest. */
  #handOn(session: Session): void {
    const { project } = session;
    const other = this.#open < this.#options.max ? undefined : this.#line.neediest(this.#mayHaveMore);
    // With one between them they would take it from each other in turn.
    const isTheirs = other !== undefined && (other.open === 0 || other.open + 1 < project.open);
    if (!isTheirs && !this.#closed && this.#line.serve(project, session)) return;
    // A request waits for room: this one makes it.
    if (this.#closed || other !== undefined) {
      this.closeSession(session);
      return;
    }
    project.full = false;
    project.idle.push(session);
    this.#idle.add(session);
    session.idleTimer = setTimeout(() => this.closeSession(session), this.#options.idleMs);
    session.idleTimer.unref();
  }

  closeSession(session: Session): Promise<void> {
    const ended = this.#end(session);
    this.#serveNext();
    return ended;
  }

  /** Ends a session and stops counting it at once: no caller waits for a server that does not answer. */
  async #end(session: Session): Promise<void> {
    this.#wake(session);
    const at = session.project.idle.indexOf(session);
    if (at >= 0) session.project.idle.splice(at, 1);
    this.#count(session.project, -1);
    this.#letGo(session.project);
    await session.client.end().catch(() => undefined);
  }

  #serveNext(): void {
    for (;;) {
      const next = this.#line.neediest(this.#mayHaveMore);
      if (next === undefined || !this.#makeRoom(next)) return;
      this.#line.serve(next, undefined);
    }
  }

  /** Forgets a project of which nothing is open and nothing asked, once those who were refused just now know. */
  #letGo(project: Project): void {
    setImmediate(() => {
      const { databaseName } = project.database;
      const isUsed = project.open > 0 || this.#line.has(project) || isAsked(project.reads);
      if (!isUsed && this.#projects.get(databaseName) === project) this.#projects.delete(databaseName);
    });
  }

  /** Closes what is idle of a project; what is under way ends by itself. */
  async forget({ databaseName }: Pick<ProjectDatabase, 'databaseName'>): Promise<void> {
    const project = this.#projects.get(databaseName);
    this.#projects.delete(databaseName);
    await Promise.all((project?.idle.splice(0) ?? []).map((session) => this.closeSession(session)));
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#line.refuseAll(closedError());
    await Promise.all([...this.#projects.values()].map(({ database }) => this.forget(database)));
  }
}

/**
 * Discards all that a session was left. A limit of time that its tenant set counts for the statement that ends it, too,
 * and when it runs out at the very end, PostgreSQL cancels the statement after that one: so the limit is taken back by
 * a statement of its own, sent in one go with the next, and whatever is late meets that next one.
 */
const clear = ({ client }: Session): Promise<unknown> =>
  Promise.all([client.query('reset statement_timeout'), client.query('discard all')]);

const closedError = () => new ProjectPoolBusyError('The pools are closed.');
