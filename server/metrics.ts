import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { Timings } from './timings.ts';

export interface PoolCounts {
  readonly total: number;
  readonly idle: number;
  readonly waiting: number;
}

export interface SocketCounts {
  /** Writes that carried events, so far. */
  readonly eventWrites: number;
  /** What clients have been sent and have not taken yet. */
  readonly waitingBytes: number;
}

/** What a node is busy with. */
export interface NodeLoad {
  readonly sockets: number;
  readonly subscriptions: number;
  readonly pool: PoolCounts;
}

/** What the process counts, for Prometheus. */
export interface Metrics {
  /** Content type of {@link render}. */
  readonly contentType: string;
  /** The page of `/metrics`. */
  readonly render: () => Promise<string>;
  /** @param seen `route` is the pattern of the route table, never the path as it was asked for */
  readonly httpRequest: (seen: { route: string; method: string; status: number }, seconds: number) => void;
  /** @param seen `code` is `OK` or the error's code */
  readonly operation: (seen: { operation: string; code: string }, seconds: number) => void;
  /** @returns what to call, once, when the socket closes */
  readonly socketOpened: () => () => void;
  readonly subscriptionStarted: () => void;
  readonly subscriptionEnded: () => void;
  /** An event was executed: for one subscriber, or once for all who share it. */
  readonly eventExecuted: () => void;
  readonly statementSent: () => void;
  /** @param seen `outcome` of a run of a background job */
  readonly jobRan: (seen: { task: string; outcome: 'ok' | 'failed' }) => void;
  /** What this node is busy with now. */
  readonly load: () => Promise<NodeLoad>;
  /** Asked whenever the page is rendered. */
  readonly watchPool: (count: () => PoolCounts) => void;
  /** Asked whenever the page is rendered. */
  readonly watchFeedFollowers: (count: () => number) => void;
  /** Asked whenever the page is rendered. */
  readonly watchSockets: (count: () => SocketCounts) => void;
}

export interface MetricsOptions {
  /** Memory, event loop and garbage collection of the process. @default true */
  readonly processMetrics?: boolean;
}

/** In seconds, from a cached read to a project being provisioned. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

// A method is whatever a client writes; only known ones become a series.
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** A set of metrics of its own: two in one process do not meet. */
export function createMetrics({ processMetrics = true }: MetricsOptions = {}): Metrics {
  const registry = new Registry();
  const registers = [registry];
  if (processMetrics) collectDefaultMetrics({ register: registry });

  new Counter({
    name: 'http_requests_total',
    help: 'HTTP requests answered.',
    labelNames: ['route', 'method', 'status'] as const,
    registers,
    collect() {
      this.reset();
      for (const { labels, count } of requestSeconds.counts()) this.inc(labels, count);
    },
  });
  const requestSeconds = new Timings(registry, {
    name: 'http_request_duration_seconds',
    help: 'Time from the request to the end of its answer.',
    buckets,
  });
  const outcomes = new Map<string, { readonly labels: { operation: string; code: string }; count: number }>();
  new Counter({
    name: 'operations_total',
    help: 'Operations executed, by outcome.',
    labelNames: ['operation', 'code'] as const,
    registers,
    collect() {
      this.reset();
      for (const { labels, count } of outcomes.values()) this.inc(labels, count);
    },
  });
  const operationSeconds = new Timings(registry, {
    name: 'operation_duration_seconds',
    help: 'Time an operation took.',
    buckets,
  });
  const sockets = new Gauge({ name: 'sockets_open', help: 'WebSockets that are open.', registers });
  const subscriptions = new Gauge({ name: 'subscriptions_open', help: 'Subscriptions that run.', registers });
  const events = new Counter({
    name: 'subscription_events_executed_total',
    help: 'Events executed for subscriptions on sockets; once for all who share one.',
    registers,
  });
  const statements = new Counter({
    name: 'db_statements_total',
    help: 'Statements sent to the control database.',
    registers,
  });
  const jobs = new Counter({
    name: 'jobs_total',
    help: 'Runs of background jobs, by outcome.',
    labelNames: ['task', 'outcome'] as const,
    registers,
  });

  let pool: () => PoolCounts = () => ({ total: 0, idle: 0, waiting: 0 });
  let followers = () => 0;
  let socketCounts = (): SocketCounts => ({ eventWrites: 0, waitingBytes: 0 });
  let writesSeen = 0;
  const asked = (name: string, help: string, count: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(count());
      },
    });
  asked('db_pool_total', 'Connections of the control database pool.', () => pool().total);
  asked('db_pool_idle', 'Connections of the pool that nobody uses.', () => pool().idle);
  asked('db_pool_waiting', 'Requests that wait for a connection.', () => pool().waiting);
  asked('feed_followers', 'Readers that follow a feed on this node.', () => followers());

  asked(
    'sockets_waiting_bytes',
    'Bytes that clients of sockets have not taken yet.',
    () => socketCounts().waitingBytes,
  );
  new Counter({
    name: 'socket_event_writes_total',
    help: 'Writes to sockets that carried events, one or several.',
    registers,
    collect() {
      const { eventWrites } = socketCounts();
      this.inc(eventWrites - writesSeen);
      writesSeen = eventWrites;
    },
  });

  return {
    contentType: registry.contentType,
    render: () => registry.metrics(),
    httpRequest: ({ route, method, status }, seconds) => {
      const known = methods.has(method) ? method : 'OTHER';
      requestSeconds.note(`${status} ${known} ${route}`, seconds, () => ({ route, method: known, status }));
    },
    operation: ({ operation, code }, seconds) => {
      const key = `${code} ${operation}`;
      const outcome = outcomes.get(key);
      if (outcome === undefined) outcomes.set(key, { labels: { operation, code }, count: 1 });
      else outcome.count += 1;
      operationSeconds.note(operation, seconds, () => ({ operation }));
    },
    socketOpened: () => entered(sockets),
    subscriptionStarted: () => subscriptions.inc(),
    subscriptionEnded: () => subscriptions.dec(),
    eventExecuted: () => events.inc(),
    statementSent: () => statements.inc(),
    jobRan: (seen) => jobs.inc(seen),
    load: async () => ({ sockets: await countOf(sockets), subscriptions: await countOf(subscriptions), pool: pool() }),
    watchPool: (count) => {
      pool = count;
    },
    watchFeedFollowers: (count) => {
      followers = count;
    },
    watchSockets: (count) => {
      socketCounts = count;
    },
  };
}

const countOf = async (gauge: Gauge): Promise<number> => (await gauge.get()).values[0]?.value ?? 0;

/** Counts one in; the result counts it out, and only once. */
function entered(gauge: Gauge): () => void {
  gauge.inc();
  let inside = true;
  return () => {
    if (inside) gauge.dec();
    inside = false;
  };
}
