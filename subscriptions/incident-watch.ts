import type { Logger } from 'pino';
import { sql } from '../db/drizzle.ts';
import type { Database } from '../db/pool.ts';
import { platformIncidentProjects, platformIncidents } from '../db/schema/incidents.ts';
import { computed, pick, statement } from '../db/sql.ts';
import type { IncidentWatch, KnownIncident } from '../kernel/run/correlation.ts';
import type { Signals } from './signals.ts';

export interface IncidentWatchOptions {
  readonly db: Pick<Database, 'rows'>;
  readonly log: Logger;
  readonly signals: Signals;
  /** How long an incident may go unnoticed when its signal is lost, in milliseconds. @default 5_000 */
  readonly everyMs?: number;
}

/** The watch with what its owner needs besides. */
export interface RunningIncidentWatch extends IncidentWatch {
  /** Looks now. Resolves when a look that began after the call is done, whatever came of it. */
  readonly refresh: () => Promise<void>;
  readonly close: () => void;
}

const signalKey = 'incidents:open';

/** Keeps the few incidents that are open at hand: one look per node when one changes, and now and then. */
export function createIncidentWatch({ db, log, signals, everyMs = 5_000 }: IncidentWatchOptions): RunningIncidentWatch {
  let open: readonly KnownIncident[] = [];
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  let failing = false;
  let closed = false;

  // What changed during a look may have been missed, so that look is followed by another one.
  function refresh(): Promise<void> {
    if (running !== undefined) {
      next ??= running.then(() => {
        next = undefined;
        return refresh();
      });
      return next;
    }
    running = look().finally(() => {
      running = undefined;
    });
    return running;
  }

  async function look(): Promise<void> {
    if (closed) return;
    try {
      open = await db.rows(openStatement.with({}));
      failing = false;
    } catch (error) {
      // What was known stays true until it can be looked at again.
      if (!failing && !closed) log.warn({ err: error }, 'open incidents cannot be looked up; trying again');
      failing = true;
    }
  }

  const stopListening = signals.onSignal((key) => {
    if (key === signalKey) void refresh();
  });
  const timer = setInterval(() => void refresh(), everyMs).unref();
  return {
    open: () => open,
    changed: () => {
      try {
        signals.publish(signalKey, 0n);
      } catch (error) {
        log.warn({ err: error }, 'a signal could not be sent');
      }
    },
    refresh,
    close: () => {
      closed = true;
      clearInterval(timer);
      stopListening();
    },
  };
}

const openStatement = statement(
  'incidents.open',
  {
    row: {
      ...pick(platformIncidents, 'id', 'subsystem', 'scope'),
      projectIds: computed<readonly string[]>(
        'text[]',
        sql`array(select ${platformIncidentProjects.projectId} from ${platformIncidentProjects}
          where ${platformIncidentProjects.incidentId} = ${platformIncidents.id})`,
      ),
    },
  },
  (_, row) => sql`select ${row} from ${platformIncidents} where ${platformIncidents.resolvedAt} is null
    order by ${platformIncidents.scope}, ${platformIncidents.startedAt} desc, ${platformIncidents.id}`,
);
