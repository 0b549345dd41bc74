import type { Logger } from 'pino';
import { isUuid } from '../core/ids.ts';
import { textFault } from '../core/text.ts';
import type { Database } from '../db/pool.ts';
import type { AuthorityEntry, AuthorityLoss, AuthorityWatch } from '../kernel/access/authority-watch.ts';
import { columnsOfEntries, lostStatement } from './lost-rights.ts';
import { localSignals, type Signals } from './signals.ts';

/** The watch with what its owner needs besides. */
export interface RunningAuthorityWatch extends AuthorityWatch {
  /** Looks now. Resolves when a look that began after the call is done, whatever came of it. */
  recheck(): Promise<void>;
  close(): void;
}

export interface AuthorityWatchOptions {
  readonly db: Database;
  readonly log: Logger;
  /** Carries the news of changes between nodes. @default within this watch alone */
  readonly signals?: Signals;
  /** How long a lost right may go unnoticed, in milliseconds. @default 5_000 */
  readonly everyMs?: number;
}

/** Keys of these signals; the rest is the id of an organization or a principal. */
const signalPrefix = 'authority:';

/** All that rest on the same right. */
interface Group {
  readonly key: string;
  readonly entry: AuthorityEntry;
  readonly watchers: Set<Watcher>;
}

interface Watcher {
  readonly expiresAt: Date | null;
  readonly lose: (reason: AuthorityLoss) => void;
  readonly stop: () => void;
}

/**
 * Ends what no longer has a right to go on: one statement per node and interval, however many watch. What has expired
 * is decided by the database's clock, as everything else: this node's only says when it may be worth a look.
 */
export function createAuthorityWatch({
  db,
  log,
  signals = localSignals(),
  everyMs = 5_000,
}: AuthorityWatchOptions): RunningAuthorityWatch {
  const groups = new Map<string, Group>();
  let timer: NodeJS.Timeout | undefined;
  /** When the timer rings, on the monotonic clock. */
  let ringsAt = 0;
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  let failing = false;
  let closed = false;
  const stopListening = signals.onSignal((key) => {
    if (!key.startsWith(signalPrefix)) return;
    const id = key.slice(signalPrefix.length);
    for (const { entry } of groups.values()) {
      if (entry.orgId === id || entry.principalId === id) return void recheck();
    }
  });

  /** Has a look taken after some time, or after the usual one if that is shorter. */
  function schedule(afterMs: number): void {
    if (closed || groups.size === 0) return;
    const ms = Math.min(Math.max(afterMs, 0), everyMs);
    const at = performance.now() + ms;
    if (timer !== undefined && ringsAt <= at) return;
    clearTimeout(timer);
    ringsAt = at;
    timer = setTimeout(() => {
      timer = undefined;
      void recheck().then(() => schedule(everyMs));
    }, ms).unref();
  }

  function recheck(): Promise<void> {
    // A look that is underway may have missed what the caller knows of; all who come meanwhile share the one after it.
    if (running !== undefined) {
      next ??= running.then(() => {
        next = undefined;
        return recheck();
      });
      return next;
    }
    running = look().finally(() => {
      running = undefined;
    });
    return running;
  }

  async function look(): Promise<void> {
    // Who joins while the statement runs is looked at next time: the answer may be older than their right.
    const watched = [...groups.values()].map(({ entry, watchers }) => ({ entry, watchers: [...watchers] }));
    if (watched.length === 0 || closed) return;
    try {
      const lost = await db.rows(lostStatement.with(columnsOfEntries(watched.map(({ entry }) => entry))));
      if (failing) log.info('the rights of open subscriptions are checked again');
      failing = false;
      for (const { index } of lost)
        if (index !== null) for (const watcher of watched[index]!.watchers) watcher.lose('revoked');
      const now = lost[0]!.now.getTime();
      let next = Number.POSITIVE_INFINITY;
      for (const watcher of watched.flatMap(({ watchers }) => watchers)) {
        const left = watcher.expiresAt === null ? Number.POSITIVE_INFINITY : watcher.expiresAt.getTime() - now;
        if (left <= 0) watcher.lose('expired');
        else next = Math.min(next, left);
      }
      schedule(next);
    } catch (error) {
      // An outage is no reason to throw everybody out. Who comes back would not be let in before it is over.
      if (!failing) log.warn({ err: error }, 'the rights of open subscriptions cannot be checked; trying again');
      failing = true;
    }
  }

  return {
    watch: (entry, onLost) => {
      requireStorable(entry);
      const key = JSON.stringify(columnsOfEntries([entry]));
      const group = groups.get(key) ?? { key, entry, watchers: new Set() };
      groups.set(key, group);
      const stop = () => {
        group.watchers.delete(watcher);
        if (group.watchers.size === 0 && groups.get(group.key) === group) groups.delete(group.key);
        if (groups.size > 0) return;
        clearTimeout(timer);
        timer = undefined;
      };
      const lose = (reason: AuthorityLoss) => {
        if (!group.watchers.has(watcher)) return;
        stop();
        try {
          onLost(reason);
        } catch (error) {
          log.error({ err: error }, 'a subscription that lost its right could not be ended');
        }
      };
      const { expiresAt } = entry;
      const watcher: Watcher = { expiresAt, lose, stop };
      group.watchers.add(watcher);
      schedule(expiresAt === null ? everyMs : expiresAt.getTime() - Date.now());
      return stop;
    },
    holds: async (entry) => {
      requireStorable(entry);
      const [looked] = await db.rows(lostStatement.with(columnsOfEntries([entry])));
      const { index, now } = looked!;
      return index === null && (entry.expiresAt === null || entry.expiresAt > now);
    },
    changed: (id) => {
      try {
        signals.publish(signalPrefix + id, 0n);
      } catch (error) {
        // The change is committed, and the next look finds it.
        log.warn({ err: error }, 'a signal could not be sent');
      }
    },
    recheck,
    close: () => {
      closed = true;
      stopListening();
      clearTimeout(timer);
      for (const { watchers } of groups.values()) for (const { stop } of watchers) stop();
    },
  };
}

/** In a batch, one value that no column can hold would fail the check for everybody. */
function requireStorable({ orgId, delegateId, roomKey = '', inProject }: AuthorityEntry): void {
  const texts = [roomKey, inProject?.id ?? ''];
  if (!isUuid(orgId) || (delegateId !== null && !isUuid(delegateId)) || texts.some((text) => textFault(text))) {
    throw new TypeError('This names nothing that a database could hold.');
  }
}
