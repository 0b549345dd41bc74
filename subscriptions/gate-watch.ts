import type { Logger } from 'pino';
import { sql } from '../db/drizzle.ts';
import type { Database } from '../db/pool.ts';
import { liveReleases } from '../db/schema/releases.ts';
import { pick, statement } from '../db/sql.ts';
import type { Gates } from '../kernel/access/gates.ts';
import type { Signals } from './signals.ts';

export interface GateWatchOptions {
  readonly db: Pick<Database, 'rows'>;
  readonly log: Logger;
  readonly signals: Signals;
  /** How long a gate may go unnoticed when its signal is lost, in milliseconds. @default 5_000 */
  readonly everyMs?: number;
}

/** The watch with what its owner needs besides. */
export interface RunningGateWatch extends Gates {
  /** Looks now. Resolves when that is done, whatever came of it. */
  readonly refresh: () => Promise<void>;
  readonly close: () => void;
}

const signalKey = 'releases:gates';

/** Keeps the few gates that are closed at hand: one look per node when one changes, and now and then. */
export function createGateWatch({ db, log, signals, everyMs = 5_000 }: GateWatchOptions): RunningGateWatch {
  let closed: ReadonlySet<string> = new Set();
  let looks = 0;
  let failing = false;
  let ended = false;

  async function refresh(): Promise<void> {
    const look = ++looks;
    try {
      const rows = await db.rows(closedStatement.with({}));
      // A look that began later knows better.
      if (look === looks) closed = new Set(rows.map(({ projectId }) => projectId));
      failing = false;
    } catch (error) {
      if (!failing && !ended) log.warn({ err: error }, 'closed gates cannot be looked up; trying again');
      failing = true;
    }
  }

  const stopListening = signals.onSignal((key) => {
    if (key === signalKey) void refresh();
  });
  const timer = setInterval(() => void refresh(), everyMs).unref();
  return {
    isClosed: (projectId) => closed.has(projectId),
    changed: () => {
      try {
        signals.publish(signalKey, 0n);
      } catch (error) {
        log.warn({ err: error }, 'a signal could not be sent');
      }
    },
    refresh,
    close: () => {
      ended = true;
      clearInterval(timer);
      stopListening();
    },
  };
}

const closedStatement = statement(
  'releases.closed-gates',
  { row: pick(liveReleases, 'projectId') },
  (_none, row) => sql`select ${row} from ${liveReleases} where ${liveReleases.gatedBy} is not null`,
);
