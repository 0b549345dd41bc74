import type { Project, Session, SessionOptions } from '../project-session.ts';
import type { BatchRows } from './batch.ts';
import type { ReadConnection } from './read-queue.ts';
import { SharedConnection, type SharedConnectionOptions } from './shared-connection.ts';
import { type ProjectRead, SharedRead } from './shared-read.ts';

/** Where the connections come from. */
export interface SharedReadsOptions extends SessionOptions, Pick<SharedConnectionOptions, 'onStatement'> {
  /** A connection that is idle now. */
  readonly idle: (project: Project) => Session | undefined;
  readonly acquire: (project: Project) => Promise<Session>;
  readonly release: (session: Session, unclean: boolean, cancelling: Promise<void> | undefined) => void;
  readonly close: (session: Session) => void;
  /** Whether others wait for a connection, who would not get one as long as reads follow each other. */
  readonly wanted: () => boolean;
  /** Runs statements on a connection of their own. */
  readonly alone: (project: Project, read: ProjectRead) => Promise<BatchRows>;
}

/** Connections of a project that carry reads at once. */
const connectionsMax = 4;
/** With so many reads under way on each connection another one is worth to be opened. */
const busy = 4;
/** Most reads under way on one connection. */
const underWayMax = 64;
/** How long reads go apart after one that took long, in milliseconds. */
const apartMs = 5_000;

/**
 * Reads of one project share connections: what is asked in one turn of the event loop leaves in one packet, also while
 * others are under way. A connection is never handed out, nothing but reads travels this way, and while it carries
 * reads no other caller has it.
 */
export class SharedReads {
  readonly #options: SharedReadsOptions;

  constructor(options: SharedReadsOptions) {
    this.#options = options;
  }

  ask(project: Project, read: ProjectRead): Promise<BatchRows> {
    const { reads } = project;
    if (reads.apartUntil > 0) {
      if (performance.now() < reads.apartUntil) return this.#options.alone(project, read);
      reads.apartUntil = 0;
    }
    return new Promise((resolve, reject) => {
      const alone = (one: ProjectRead) => this.#options.alone(project, one);
      reads.waiting.push(new SharedRead(read, alone, resolve, reject));
      if (reads.flushing) return;
      reads.flushing = true;
      // After all that has arrived has been looked at.
      setImmediate(() => {
        reads.flushing = false;
        this.#flush(project);
      });
    });
  }

  #flush(project: Project): void {
    const { reads } = project;
    while (reads.waiting.length > 0) {
      const connection = this.#connectionFor(project);
      if (connection === undefined) return;
      connection.send(reads.waiting.splice(0, underWayMax - connection.underWay));
    }
  }

  /** Where reads go now; undefined when they have to wait, for one that will say so. */
  #connectionFor(project: Project): ReadConnection | undefined {
    const { connections, opening } = project.reads;
    let least: ReadConnection | undefined;
    for (const one of connections)
      if (one.isOpen && (least === undefined || one.underWay < least.underWay)) least = one;
    if (connections.size < connectionsMax) {
      const idle = this.#options.idle(project);
      if (idle !== undefined) return this.#connection(project, idle);
      if ((least === undefined || least.underWay >= busy) && !opening) void this.#open(project);
    }
    return least === undefined || least.underWay >= underWayMax || this.#options.wanted() ? undefined : least;
  }

  async #open(project: Project): Promise<void> {
    const { reads } = project;
    reads.opening = true;
    try {
      const session = await this.#options.acquire(project);
      const connection = this.#connection(project, session);
      reads.opening = false;
      this.#flush(project);
      connection.endIdle();
    } catch (error) {
      reads.opening = false;
      // Others still carry; without any, nothing would come for these.
      if (reads.connections.size === 0) for (const read of reads.waiting.splice(0)) read.fail(error);
    }
  }

  #connection(project: Project, session: Session): SharedConnection {
    const { reads } = project;
    const connection: SharedConnection = new SharedConnection({
      ...this.#options,
      session,
      onAnswer: () => {
        if (reads.waiting.length > 0) this.#flush(project);
      },
      onHeldUp: () => {
        reads.apartUntil = performance.now() + apartMs;
        for (const read of reads.waiting.splice(0)) read.divert();
      },
      onEnd: ({ isCut, unclean, cancelling }) => {
        reads.connections.delete(connection);
        if (isCut) this.#options.close(session);
        else this.#options.release(session, unclean, cancelling);
        this.#flush(project);
      },
    });
    reads.connections.add(connection);
    return connection;
  }
}
