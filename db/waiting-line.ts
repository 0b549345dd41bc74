import { ProjectPoolBusyError } from './project-pool-busy.ts';
import type { Project, Session } from './project-session.ts';

interface Waiter {
  readonly serve: (session: Session | undefined) => void;
  readonly refuse: (error: ProjectPoolBusyError) => void;
}

/** Callers that wait for a connection: a line for each project, so that a long one holds up no other project. */
export class WaitingLine {
  /** The project that was served last comes last. */
  readonly #lines = new Map<Project, Set<Waiter>>();
  readonly #waitMs: number;

  /** @param waitMs how long a caller waits, in milliseconds */
  constructor(waitMs: number) {
    this.#waitMs = waitMs;
  }

  get isEmpty(): boolean {
    return this.#lines.size === 0;
  }

  has(project: Project): boolean {
    return this.#lines.has(project);
  }

  /**
   * @returns a session, or nothing where one may be opened and is counted already
   * @throws ProjectPoolBusyError
   */
  wait(project: Project): Promise<Session | undefined> {
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        serve: (session) => {
          clearTimeout(patience);
          resolve(session);
        },
        refuse: (error) => {
          clearTimeout(patience);
          reject(error);
        },
      };
      const patience = setTimeout(() => {
        this.#remove(project, waiter);
        waiter.refuse(new ProjectPoolBusyError('No connection to the project came free in time.'));
      }, this.#waitMs);
      const line = this.#lines.get(project);
      if (line === undefined) this.#lines.set(project, new Set([waiter]));
      else line.add(waiter);
    });
  }

  /** Gives the first of a project what it waits for. @returns whether anybody waited */
  serve(project: Project, session: Session | undefined): boolean {
    const [waiter] = this.#lines.get(project) ?? [];
    if (waiter === undefined) return false;
    const line = this.#remove(project, waiter);
    if (line.size > 0) {
      this.#lines.delete(project);
      this.#lines.set(project, line);
    }
    waiter.serve(session);
    return true;
  }

  /** Of the projects that wait and may have one more connection, the one that has the fewest. */
  neediest(mayHaveMore: (project: Project) => boolean): Project | undefined {
    let neediest: Project | undefined;
    for (const project of this.#lines.keys())
      if ((neediest === undefined || project.open < neediest.open) && mayHaveMore(project)) neediest = project;
    return neediest;
  }

  /** Refuses all who wait. */
  refuseAll(error: ProjectPoolBusyError): void {
    const lines = [...this.#lines.values()];
    this.#lines.clear();
    for (const line of lines) for (const { refuse } of line) refuse(error);
  }

  #remove(project: Project, waiter: Waiter): Set<Waiter> {
    const line = this.#lines.get(project)!;
    line.delete(waiter);
    if (line.size === 0) this.#lines.delete(project);
    return line;
  }
}
