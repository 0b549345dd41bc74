import type { Logger } from 'pino';
import { ServiceError } from '../../core/errors.ts';
import type { KeyRing } from '../../core/keys.ts';
import type {
  LiveEnd,
  LiveHint,
  LiveIdentity,
  LiveResync,
  LiveSink,
  LiveSubscription,
  ResyncReason,
} from '../../resolvers/live/live-hub.ts';
import { type LivePosition, liveCursor, samePosition } from './live-position.ts';
import type { LiveReading, LiveStore, LiveTable, StoredHint } from './live-store.ts';
import { follow, type LiveFollower, type LiveTail, type LiveView, pageMax, unusableBecause } from './live-tail.ts';
import { HintBatch, tell } from './published-hints.ts';
import type { PublishedHints } from './recent-hints.ts';
import { sees } from './snapshot.ts';

/** Most that waits for a follower that catches up, in bytes. */
const waitingSizeMax = 1_048_576;

/** Whose rows a hint must be about. Contract 01, section 4.5. */
export function viewOf(
  identity: LiveIdentity,
  tables: readonly string[],
  live: ReadonlyMap<string, LiveTable>,
): LiveView {
  const wanted = new Set(tables);
  const names = [...wanted].sort().join(',');
  if (identity.kind === 'service') return { key: `service ${names}`, shows: ({ table }) => wanted.has(table) };
  // All users get the same hints of tables without owners.
  const scoped = [...wanted].some((table) => live.get(table)?.scoped === true);
  if (identity.kind === 'anon' || !scoped)
    return { key: `public ${names}`, shows: ({ table, audience }) => audience === 0 && wanted.has(table) };
  const { userId } = identity;
  return {
    key: `user ${userId} ${names}`,
    shows: ({ table, audience, owner }) => (audience !== 1 || owner === userId) && wanted.has(table),
  };
}

/** @throws TABLE_NOT_LIVE, AUTH_REQUIRED */
export function admitTables(
  identity: LiveIdentity,
  tables: readonly string[],
  live: ReadonlyMap<string, LiveTable>,
): void {
  for (const table of tables)
    if (!live.has(table))
      throw new ServiceError('TABLE_NOT_LIVE', {
        message: `The table ${table} is not live.`,
        details: { table, fix: `Set "live": true on the table ${table} in the expose manifest and apply it.` },
      });
  if (identity.kind !== 'anon') return;
  const owned = tables.find((table) => live.get(table)!.scoped);
  if (owned === undefined) return;
  throw new ServiceError('AUTH_REQUIRED', {
    message: `Rows of ${owned} belong to users: sign one in, or use the service key.`,
    details: { table: owned },
    nextActions: [{ type: 'authenticate', auth: 'access_token', why: 'Send a user’s access token as a bearer.' }],
  });
}

export interface LiveMemberOptions {
  readonly tail: LiveTail;
  readonly store: LiveStore;
  readonly keys: KeyRing;
  readonly log: Logger;
  readonly identity: LiveIdentity;
  readonly tables: readonly string[];
  readonly onClosed: () => void;
}

/** A follower. What comes between its opening and its start, or while it catches up, waits. */
export class LiveMember implements LiveFollower, LiveSubscription {
  readonly view: LiveView;
  readonly identity: LiveIdentity;
  resync: LiveResync | undefined;
  readonly #options: LiveMemberOptions;
  readonly #born: Map<string, string>;
  /** What comes after this comes by way of the tail. */
  readonly #joined: LivePosition;
  #sink: LiveSink | undefined;
  /** Where it is while it is not where the tail is. */
  #behind: LivePosition | undefined;
  #page: LiveReading | undefined;
  /** What lies between its cursor and where it joined, where the tail knows it. */
  #missed: PublishedHints | undefined;
  /** What has come since, until it is where the tail is. */
  #waiting: ((sink: LiveSink) => void)[] | undefined = [];
  #waitingSize = 0;
  #over = false;
  /** The cursor it resumed from, until its first hint. */
  #resumed: string | undefined;

  /** Has the position of the tail, from now on. */
  constructor(options: LiveMemberOptions) {
    const { tail, tables, identity } = options;
    this.#options = options;
    this.identity = identity;
    this.view = viewOf(identity, tables, tail.tables);
    this.#born = new Map(tables.map((table) => [table, bornOf(tail.tables.get(table))]));
    this.#joined = tail.position;
    tail.members.add(this);
  }

  get cursor(): string {
    if (this.#resumed !== undefined) return this.#resumed;
    // What waits has yet to be handed over.
    const here = this.#waiting === undefined ? this.#options.tail.position : this.#joined;
    return this.#cursorOf(this.#behind ?? here);
  }

  /** Begins where a cursor was given out, or says why not. @param asked what the cursor says */
  async resume(cursor: string, asked: LivePosition | undefined): Promise<void> {
    const { tail, store, tables } = this.#options;
    const joined = this.#joined;
    if (asked === undefined) return this.#begins('foreign_epoch', tables, joined);
    if (!samePosition(asked, joined)) {
      // Up to where it joined, and no further: the rest comes by way of the tail.
      const within = asked.within ?? { to: joined.from, told: 0 };
      const known = tail.since(asked);
      const reading = known ?? (await store.read(tail.target.database, { ...asked, within }, pageMax));
      const unusable = unusableBecause(asked, reading);
      if (unusable !== undefined) return this.#begins(unusable, tables, joined);
      // Resumed from there, it would be told the same for ever: what lies behind is fetched with the rest.
      if (tables.some((table) => tail.tables.get(table)?.born.some((xid) => !sees(asked.from, xid)) === true))
        return this.#begins('before_listen', tables, joined);
      this.#resumed = cursor;
      if ('told' in reading) this.#missed = reading;
      else {
        this.#behind = { ...asked, within };
        this.#page = reading;
      }
    }
  }

  start(sink: LiveSink): void {
    this.#sink = sink;
    void this.#catchUp(sink).catch((error: unknown) => {
      if (this.#over) return;
      const { log, tail } = this.#options;
      log.warn({ err: error, project_id: tail.target.projectId }, 'what a follower has missed cannot be read');
      this.#end('closed');
    });
  }

  close(): void {
    if (this.#over) return;
    this.#over = true;
    this.#options.tail.members.delete(this);
    this.#options.onClosed();
  }

  take(batch: HintBatch): void {
    this.#hand((sink) => sink.hints(batch), batch.size);
  }

  restart(reason: ResyncReason, at: LivePosition): void {
    const resync = { reason, tables: this.#options.tables, cursor: this.#cursorOf(at) };
    this.#hand((sink) => sink.resync(resync));
  }

  retable(live: ReadonlyMap<string, LiveTable>): void {
    if (!this.#mayFollow(live)) {
      this.end('manifest_changed');
      return;
    }
    const late = this.#options.tables.filter((table) => this.#born.get(table) !== bornOf(live.get(table)));
    if (late.length === 0) return;
    for (const table of late) this.#born.set(table, bornOf(live.get(table)));
    const resync = { reason: 'before_listen', tables: late, cursor: this.cursor } as const;
    this.#hand((sink) => sink.resync(resync));
  }

  /** Whether its tables are still live, and shown to it as they were. */
  #mayFollow(live: ReadonlyMap<string, LiveTable>): boolean {
    const { tables } = this.#options;
    try {
      admitTables(this.identity, tables, live);
    } catch {
      return false;
    }
    return viewOf(this.identity, tables, live).key === this.view.key;
  }

  end(reason: LiveEnd): void {
    if (this.#over) return;
    // A follower that has not started gets it at its start.
    if (this.#sink === undefined) this.#waiting?.push(() => this.#end(reason));
    else this.#end(reason);
  }

  #end(reason: LiveEnd): void {
    if (this.#over) return;
    this.close();
    this.#sink?.end(reason);
  }

  #hand(what: (sink: LiveSink) => void, size = 0): void {
    if (this.#over) return;
    if (this.#waiting === undefined) return void what(this.#sink!);
    this.#waiting.push(what);
    this.#waitingSize += size;
    if (this.#waitingSize > waitingSizeMax) this.end('too_slow');
  }

  #begins(reason: ResyncReason, tables: readonly string[], at: LivePosition): void {
    this.resync = { reason, tables, cursor: this.#cursorOf(at) };
  }

  #cursorOf(position: LivePosition): string {
    return liveCursor(this.#options.keys, this.#options.tail.target.projectId, position);
  }

  /** Reads what lies between its cursor and where it joined, then hands on what has come meanwhile. */
  async #catchUp(sink: LiveSink): Promise<void> {
    const { tail, store, keys } = this.#options;
    const { projectId, database } = tail.target;
    if (this.#missed !== undefined) {
      const { told, stored } = this.#missed;
      this.#missed = this.#resumed = undefined;
      await this.#tell(sink, told, stored);
    }
    while (this.#behind !== undefined && !this.#over) {
      const before = this.#behind;
      const reading = this.#page ?? (await store.read(database, before, pageMax));
      if (this.#over) return;
      this.#page = undefined;
      this.#resumed = undefined;
      const unusable = unusableBecause(before, reading);
      if (unusable !== undefined) {
        this.#behind = undefined;
        this.restart(unusable, tail.position);
        break;
      }
      const { steps, end } = follow(before, reading);
      this.#behind = end;
      await this.#tell(sink, tell(keys, projectId, reading.hints, steps), reading.hints);
      if (this.#over) return;
      if (end.within !== undefined) continue;
      this.#behind = samePosition(end, this.#joined)
        ? undefined
        : { ...end, within: { to: this.#joined.from, told: 0 } };
    }
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const what of waiting) if (!this.#over) what(sink);
    if (!this.#over) sink.caughtUp?.();
  }

  /** What lies behind is as long as it is: a client takes it as fast as it can. */
  async #tell(sink: LiveSink, told: readonly LiveHint[], stored: readonly StoredHint[]): Promise<void> {
    const shown = told.filter((_, at) => this.view.shows(stored[at]!));
    if (shown.length > 0) await sink.hints(new HintBatch(shown));
  }
}

const bornOf = (table: LiveTable | undefined): string => (table === undefined ? '' : table.born.join(' '));
