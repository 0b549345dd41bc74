import type { ProjectDatabase } from '../../db/project-databases.ts';

/** Where a project's rows live. */
export interface LocatedProject extends Pick<ProjectDatabase, 'server' | 'databaseName'> {
  readonly id: string;
  readonly orgId: string;
}

/** What is looked at beside the requests. */
export interface Gauged {
  /** Connections and followers that are open on this node, by the name of the database. */
  readonly connections: () => Iterable<readonly [databaseName: string, open: number]>;
  /** Bytes that projects store, in the order given; 0 where they are not known. */
  readonly sizesBytes: (projects: readonly LocatedProject[]) => Promise<number[]>;
}

interface Known extends LocatedProject {
  /** The minute in which so many were open at once. */
  minute: number;
  peak: number;
  measuredAt: number;
}

/** Projects whose place is remembered; it is asked for again beyond that. */
const rememberedMax = 20_000;

/** How long a size is taken for what it is, in milliseconds, and how many are measured together. */
const sizeMs = 300_000;
const measuredTogether = 50;

/** Open connections and sizes of the projects that were called here. */
export class Gauges {
  readonly #gauged: Gauged;
  readonly #byId = new Map<string, Known>();
  readonly #byDatabase = new Map<string, Known>();
  /** Called since they were measured. */
  readonly #unmeasured = new Set<Known>();

  constructor(gauged: Gauged) {
    this.#gauged = gauged;
  }

  /** Whether the place of a project is known; notes that it was called. */
  knows(projectId: string): boolean {
    const known = this.#byId.get(projectId);
    if (known === undefined) return false;
    this.#unmeasured.add(known);
    return true;
  }

  learn(projects: readonly LocatedProject[]): void {
    if (this.#byId.size + projects.length > rememberedMax) {
      this.#byId.clear();
      this.#byDatabase.clear();
      this.#unmeasured.clear();
    }
    for (const project of projects) {
      const known: Known = { ...project, minute: 0, peak: 0, measuredAt: Number.NEGATIVE_INFINITY };
      this.#byId.set(project.id, known);
      this.#byDatabase.set(project.databaseName, known);
      this.#unmeasured.add(known);
    }
  }

  /** By how much more is open than was seen before in this minute: so the most of each node adds up to what is kept. */
  *newConnections(minute: number): Iterable<{ readonly projectId: string; readonly more: number }> {
    const open = new Map<Known, number>();
    for (const [databaseName, count] of this.#gauged.connections()) {
      const known = this.#byDatabase.get(databaseName);
      if (known !== undefined) open.set(known, (open.get(known) ?? 0) + count);
    }
    for (const [known, count] of open) {
      if (known.minute !== minute) {
        known.minute = minute;
        known.peak = 0;
      }
      const more = count - known.peak;
      if (more <= 0) continue;
      known.peak = count;
      yield { projectId: known.id, more };
    }
  }

  /** Measures some of the projects that were called since they were measured last. */
  async measureSome(): Promise<{ readonly projectId: string; readonly bytes: number }[]> {
    const now = performance.now();
    const due: Known[] = [];
    for (const known of this.#unmeasured) {
      if (due.length === measuredTogether) break;
      if (now - known.measuredAt < sizeMs) continue;
      due.push(known);
    }
    if (due.length === 0) return [];
    for (const known of due) {
      this.#unmeasured.delete(known);
      known.measuredAt = now;
    }
    const sizes = await this.#gauged.sizesBytes(due);
    return due.flatMap(({ id }, at) => (sizes[at]! > 0 ? [{ projectId: id, bytes: sizes[at]! }] : []));
  }
}
