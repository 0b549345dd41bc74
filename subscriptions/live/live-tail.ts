import type { Logger } from 'pino';
import type { KeyRing } from '../../core/keys.ts';
import type { ProjectTarget } from '../../kernel/access/project-target.ts';
import type { LiveEnd, LiveHint, LiveIdentity, ResyncReason } from '../../resolvers/live/live-hub.ts';
import { type LivePosition, samePosition } from './live-position.ts';
import { behindMax, type LiveReading, type LiveStore, type LiveTable, type StoredHint } from './live-store.ts';
import { HintBatch, tell } from './published-hints.ts';
import { type PublishedHints, RecentHints } from './recent-hints.ts';
import { covers, oldestUnseen } from './snapshot.ts';

/** Most hints that are read at once. */
export const pageMax = 1_000;

/** How long a failed read is left alone, in milliseconds. */
const retryMs = 500;

/** Longest rest after a batch, in milliseconds: what comes meanwhile is read together. */
const restMsMax = 16;

/** Which hints a follower gets. Those with equal ones are given the same batches. */
export interface LiveView {
  /** Names the view among all of its project. */
  readonly key: string;
  readonly shows: (hint: StoredHint) => boolean;
}

/** A follower from where the tail is. */
export interface LiveFollower {
  readonly identity: LiveIdentity;
  readonly view: LiveView;
  take(batch: HintBatch): void;
  /** What lies before the position may have been missed. */
  restart(reason: ResyncReason, at: LivePosition): void;
  /** The tables have changed: whether they may still be followed. */
  retable(tables: ReadonlyMap<string, LiveTable>): void;
  end(reason: LiveEnd): void;
}

interface Waiter {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export interface LiveTailOptions {
  readonly target: ProjectTarget;
  readonly store: LiveStore;
  readonly keys: KeyRing;
  readonly log: Logger;
}

/** Reads a project's hints once for all who follow them on this node. */
export class LiveTail {
  readonly target: ProjectTarget;
  readonly members = new Set<LiveFollower>();
  /** Whether hints were read since the last question. */
  active = true;
  /** Rows that were ever inserted into the database, when the server was asked last. */
  inserted: bigint | undefined;
  /** The epoch of feeds at that time. */
  epoch: string | undefined;
  readonly #options: LiveTailOptions;
  readonly #recent = new RecentHints();
  #position: LivePosition | undefined;
  #pruned: LiveReading['pruned'];
  #tables: ReadonlyMap<string, LiveTable> = new Map();
  #ddlVersion: string | undefined;
  #wanted = false;
  #running = false;
  /** Those who wait for the read that is under way. */
  #reading: Waiter[] | undefined;
  #failing = false;
  #closed = false;
  #waiting: Waiter[] = [];
  #endRest = () => {};

  constructor(options: LiveTailOptions) {
    this.target = options.target;
    this.#options = options;
  }

  /** Where all members are. Only once it has been read. */
  get position(): LivePosition {
    return this.#position!;
  }

  /** Tables that are live, as of the position. */
  get tables(): ReadonlyMap<string, LiveTable> {
    return this.#tables;
  }

  /**
   * What lies between a position and where all members are, and what a reading would say of it; undefined when only the
   * database knows.
   */
  since(position: LivePosition): (PublishedHints & Said) | undefined {
    const { epoch, from } = this.position;
    const found = this.#recent.since(position);
    return found === undefined ? undefined : { ...found, epoch, now: from, pruned: this.#pruned, behind: 0 };
  }

  /** Whether what comes after a position is known here. */
  isAfter(position: LivePosition): boolean {
    if (this.#failing || this.#position === undefined || this.#position.within !== undefined) return false;
    return samePosition(position, this.#position) || this.#recent.since(position) !== undefined;
  }

  /** Reads soon. */
  wake(): void {
    this.#wanted = true;
    if (!this.#running && !this.#closed) void this.#run();
  }

  /** Resolves when a read that began after the call has been handed on. @throws what the read failed with */
  advance(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#endRest();
      this.wake();
    });
  }

  /** Resolves when everything it knows by now has been handed on. @throws what the read failed with */
  async settled(): Promise<void> {
    const waiting = this.#wanted ? this.#waiting : this.#reading;
    if (waiting !== undefined) await new Promise<void>((resolve, reject) => waiting.push({ resolve, reject }));
  }

  close(): void {
    this.#closed = true;
    this.#endRest();
    for (const member of [...this.members]) member.end('closed');
    for (const { reject } of this.#waiting.splice(0)) reject(new Error('The gateway stops.'));
  }

  async #run(): Promise<void> {
    this.#running = true;
    while (this.#wanted && !this.#closed) {
      this.#wanted = false;
      const waiting = this.#waiting.splice(0);
      this.#reading = waiting;
      const startedAt = performance.now();
      let pause: number;
      try {
        await this.#read();
        this.#failing = false;
        for (const { resolve } of waiting) resolve();
        const spent = performance.now() - startedAt;
        pause = this.members.size === 0 ? 0 : Math.min(Math.max(spent, 2), restMsMax);
      } catch (error) {
        for (const { reject } of waiting) reject(error);
        if (!this.#failing && !this.#closed)
          this.#options.log.warn(
            { err: error, project_id: this.target.projectId },
            'live hints cannot be read; trying again until they can',
          );
        this.#failing = true;
        // What was missed is found by its snapshot.
        if (this.members.size > 0) this.#wanted = true;
        pause = retryMs;
      }
      this.#reading = undefined;
      if (pause > 0 && this.#waiting.length === 0) await this.#rest(pause);
    }
    this.#running = false;
  }

  /** What comes meanwhile is read together; but a client that waits to be let in does not wait for this. */
  #rest(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms).unref();
      this.#endRest = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async #read(): Promise<void> {
    const { store } = this.#options;
    const { database } = this.target;
    for (;;) {
      const before = this.#position;
      const reading = await store.read(database, before, pageMax);
      if (reading.ddlVersion !== this.#ddlVersion) {
        this.#tables = await store.tables(database);
        this.#ddlVersion = reading.ddlVersion;
        for (const member of [...this.members]) member.retable(this.#tables);
      }
      this.#pruned = reading.pruned;
      const unusable = before === undefined ? undefined : unusableBecause(before, reading);
      if (before === undefined || unusable !== undefined) {
        this.#recent.clear();
        this.#position = { epoch: reading.epoch, from: reading.now };
        if (unusable !== undefined) for (const member of [...this.members]) member.restart(unusable, this.#position);
        return;
      }
      if (reading.hints.length > 0) this.active = true;
      const { steps, end } = follow(before, reading);
      // A follower that asks for its position from within a batch is after it.
      this.#position = end;
      const told = tell(this.#options.keys, this.target.projectId, reading.hints, steps);
      if (!samePosition(before, end)) this.#recent.add({ before, steps, stored: reading.hints, told });
      this.#deliver(reading.hints, told);
      // Hints between two snapshots are handed on; later ones are read next.
      if (end.within === undefined && before.within === undefined) return;
      if (this.#closed) return;
    }
  }

  #deliver(hints: readonly StoredHint[], told: readonly LiveHint[]): void {
    if (hints.length === 0) return;
    const batches = new Map<string, HintBatch>();
    for (const member of [...this.members]) {
      let batch = batches.get(member.view.key);
      if (batch === undefined) {
        batch = new HintBatch(told.filter((_, at) => member.view.shows(hints[at]!)));
        batches.set(member.view.key, batch);
      }
      if (batch.hints.length > 0) member.take(batch);
    }
  }
}

/** What is said of a database beside its hints. */
type Said = Pick<LiveReading, 'epoch' | 'now' | 'pruned' | 'behind'>;

/** Why a position is of no use in a database, if it is not. */
export function unusableBecause(position: LivePosition, reading: Said): ResyncReason | undefined {
  if (position.epoch !== reading.epoch || !covers(reading.now, position.within?.to ?? position.from))
    return 'foreign_epoch';
  if (reading.behind > behindMax) return 'cursor_expired';
  const { pruned } = reading;
  if (pruned === undefined || covers(position.from, pruned.to)) return undefined;
  // Older than that, and yet it may have seen all that is gone: nothing was written between.
  return pruned.latest < oldestUnseen(position.from) ? undefined : 'cursor_expired';
}

/** Where a reader is after each hint of a page, and after all of it. */
export function follow(
  before: LivePosition,
  { epoch, now, hints, behind }: LiveReading,
): { readonly steps: readonly LivePosition[]; readonly end: LivePosition } {
  const to = before.within?.to ?? now;
  const told = before.within?.told ?? 0;
  const steps: LivePosition[] = hints.map((_, at) => ({
    epoch,
    from: before.from,
    within: { to, told: told + at + 1 },
  }));
  if (told + hints.length < behind) return { steps, end: steps.at(-1)! };
  const end = { epoch, from: to };
  if (steps.length > 0) steps[steps.length - 1] = end;
  return { steps, end };
}
