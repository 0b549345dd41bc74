import type { Logger } from 'pino';
import type { Database } from '../../db/pool.ts';
import { type CountedBatches, countedBatches } from '../durability/counted-batches.ts';
import { addTraffic, type CountedMinute } from './add-traffic.ts';
import { type Gauged, Gauges } from './gauges.ts';
import { bucketOf, emptyHistogram } from './latency.ts';
import { isFull, type Line, LineAllowance, type ServedRequest } from './request-lines.ts';

/**
 * Counts the requests of projects and keeps the latest: in memory, and about once a second in the database. A process that
 * is killed loses its last second.
 */
export interface Traffic {
  /** Notes a request. Never waits, never throws. */
  note(request: ServedRequest): void;
  /** Resolves when what was noted here before is written, or when it cannot be written now. Never throws. */
  flush(): Promise<void>;
  /** Writes what is left. */
  close(): Promise<void>;
}

export interface TrafficOptions extends Gauged {
  readonly db: Pick<Database, 'rows'>;
  readonly log: Logger;
  readonly now: () => Date;
  /** How long a request may go unwritten, in milliseconds. @default 1_000 */
  readonly everyMs?: number;
  /** How often connections and sizes are looked at beside that, in milliseconds. @default 10_000 */
  readonly gaugeMs?: number;
}

/** Projects that wait to be written; more are not counted. What clients merely name takes few of the places. */
const projectsMax = 100_000;
const namedMax = 1_000;

/** Minutes of one project that wait to be written, while nothing can be; more are not counted. */
const minutesMax = 5;

interface Counts {
  readonly minutes: readonly CountedMinute[];
  readonly lines: readonly Line[];
}

const minuteMs = 60_000;

export function createTraffic(options: TrafficOptions): Traffic {
  const { db, log, now, everyMs = 1_000, gaugeMs = 10_000 } = options;
  let waiting = new Map<string, CountedMinute[]>();
  let lines: Line[] = [];
  let named = 0;
  let uncounted = 0;
  const allowance = new LineAllowance();
  const gauges = new Gauges(options);

  function minuteOf(projectId: string, at: number, isKnown: boolean): CountedMinute | undefined {
    let minutes = waiting.get(projectId);
    if (minutes === undefined) {
      if (waiting.size >= projectsMax || (!isKnown && named >= namedMax)) return undefined;
      if (!isKnown) named += 1;
      minutes = [];
      waiting.set(projectId, minutes);
    }
    const startsAt = at - (at % minuteMs);
    const last = minutes.at(-1);
    if (last?.startsAt === startsAt) return last;
    if (minutes.length >= minutesMax) return undefined;
    const minute = emptyMinute(projectId, startsAt);
    minutes.push(minute);
    return minute;
  }

  function note(request: ServedRequest): void {
    const { projectId, isKnown, status, ms } = request;
    const at = Math.floor(now().getTime());
    const minute = minuteOf(projectId, at, isKnown);
    if (minute === undefined) {
      uncounted += 1;
      return;
    }
    minute.requests += 1;
    if (status >= 500) minute.serverErrors += 1;
    else if (status >= 400) minute.clientErrors += 1;
    minute.latency[bucketOf(ms)]! += 1;
    if (!isFull(lines) && allowance.mayAdd(request, at)) lines.push({ ...request, at });
    else minute.unlogged += 1;
    batches.schedule();
  }

  /** Adds what is open now, as far as it is more than was seen in this minute before. */
  function look(): void {
    const at = Math.floor(now().getTime());
    for (const { projectId, more } of gauges.newConnections(at - (at % minuteMs))) {
      const minute = minuteOf(projectId, at, true);
      if (minute !== undefined) minute.connections += more;
    }
  }

  function take(): Counts | undefined {
    if (uncounted > 0) log.error({ uncounted }, 'Requests of projects were not counted: too many wait to be written.');
    uncounted = 0;
    look();
    if (waiting.size === 0) return undefined;
    const taken = { minutes: [...waiting.values()].flat(), lines };
    waiting = new Map();
    lines = [];
    named = 0;
    return taken;
  }

  const batches: CountedBatches<Counts> = countedBatches<Counts>({
    log,
    what: 'Requests of projects',
    everyMs,
    waits: () => waiting.size > 0,
    take,
    write: async (batch) => {
      const asked = new Set(batch.counts.minutes.map(({ projectId }) => projectId).filter((id) => !gauges.knows(id)));
      gauges.learn(await addTraffic(db, { ...batch, asked: [...asked] }));
    },
  });

  /** Sizes change slowly, and measuring looks at every file. */
  async function measure(): Promise<void> {
    const sizes = await gauges.measureSome();
    const at = Math.floor(now().getTime());
    for (const { projectId, bytes } of sizes) {
      const minute = minuteOf(projectId, at, true);
      if (minute !== undefined) minute.storageBytes = bytes;
    }
    batches.schedule();
  }

  const timer = setInterval(() => {
    look();
    measure().catch((error: unknown) => log.debug({ err: error }, 'Databases of projects cannot be measured.'));
  }, gaugeMs).unref();

  return {
    note,
    flush: batches.flush,
    async close() {
      clearInterval(timer);
      const unwritten = await batches.close();
      const minutes = [...(unwritten?.minutes ?? []), ...[...waiting.values()].flat()];
      const left = minutes.reduce((sum, { requests }) => sum + requests, uncounted);
      if (left > 0) log.error({ uncounted: left }, 'Requests of projects were not written before the server stopped.');
    },
  };
}

const emptyMinute = (projectId: string, startsAt: number): CountedMinute => ({
  projectId,
  startsAt,
  requests: 0,
  clientErrors: 0,
  serverErrors: 0,
  latency: emptyHistogram(),
  connections: 0,
  storageBytes: undefined,
  unlogged: 0,
});
