import { hostname } from 'node:os';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Logger } from 'pino';
import type { Database } from '../db/pool.ts';
import { beatStatement, leaveStatement } from '../resolvers/installation/node-rows.ts';
import type { NodeFacts } from '../resolvers/installation/services.ts';
import type { NodeLoad } from './metrics.ts';

/** How often a node writes its row, in milliseconds. One that misses three counts as gone. */
const beatMs = 10_000;
/** How often the delay of the event loop is looked at, in milliseconds; it is part of what is measured. */
const sampleMs = 20;

export interface HeartbeatOptions {
  readonly db: Pick<Database, 'rows'>;
  readonly log: Logger;
  readonly node: Pick<NodeFacts, 'nodeId' | 'version' | 'startedAt'>;
  /** Where the node listens. */
  readonly url: string;
  readonly load: () => Promise<NodeLoad>;
}

/** Tells of this node in the table of nodes, now and every ten seconds. @returns removes its row, once */
export async function startHeartbeat({ db, log, node, url, load }: HeartbeatOptions): Promise<() => Promise<void>> {
  const { nodeId: id, version, startedAt } = node;
  const delay = monitorEventLoopDelay({ resolution: sampleMs });
  delay.enable();
  let failing = false;
  let beating: Promise<void> = Promise.resolve();

  async function beat(): Promise<void> {
    const { rss, heapUsed } = process.memoryUsage();
    // Nothing was measured yet at the first beat, and the percentile of nothing is no number of milliseconds.
    const lagMs = delay.count === 0 ? 0 : Math.max(0, delay.percentile(99) / 1e6 - sampleMs);
    delay.reset();
    const { sockets, subscriptions, pool } = await load();
    const row = {
      id,
      host: hostname(),
      pid: process.pid,
      version,
      url,
      startedAt,
      lagMs: Math.round(lagMs * 100) / 100,
      rssBytes: BigInt(rss),
      heapBytes: BigInt(heapUsed),
      poolTotal: pool.total,
      poolIdle: pool.idle,
      poolWaiting: pool.waiting,
      sockets,
      subscriptions,
    };
    try {
      await db.rows(beatStatement.with(row));
      failing = false;
    } catch (error) {
      if (!failing) log.warn({ err: error }, 'This node cannot write its row; trying again.');
      failing = true;
    }
  }

  await beat();
  const timer = setInterval(() => {
    beating = beating.then(beat);
  }, beatMs).unref();
  return async () => {
    clearInterval(timer);
    delay.disable();
    // A beat that comes after would bring the row back.
    await beating;
    await db.rows(leaveStatement.with({ id }));
  };
}
