import { pino } from 'pino';
import { expect } from 'vitest';
import type { Feed, FeedName } from '../../kernel/feeds/feeds.ts';
import { createFeedHub, type FeedHubOptions } from '../../subscriptions/feed-hub.ts';
import { follow } from '../../subscriptions/follow.ts';
import { localSignals, type Signals } from '../../subscriptions/signals.ts';
import { append, type LogRow, openLog } from './log-feed.ts';

/** Longer than any test: whatever arrives was not found by looking. */
export const never = 3_600_000;

export const deafSignals: Signals = { publish: () => {}, onSignal: () => () => {}, close: async () => {} };

export interface Follower {
  readonly rows: LogRow[];
  /** Resolves once the follower has so many rows. */
  has(count: number): Promise<void>;
  stop(): void;
  readonly ended: Promise<void>;
}

/** Hubs of a test file’s own over a log of its own. */
export async function hubWorld() {
  const { control, db, statements, cleanups } = await openLog();
  const log = pino({ level: 'silent' });

  function startHub(options: Partial<FeedHubOptions> = {}) {
    const hub = createFeedHub({ db, signals: localSignals(), log, backstopMs: never, ...options });
    cleanups.push(() => hub.close());
    return hub;
  }
  type Hub = ReturnType<typeof startHub>;

  return {
    control,
    db,
    /** What the hubs have asked the database for. */
    statements,
    cleanups,
    startHub,

    /** Appends and tells, as a unit of work does. */
    async send(hub: Hub, name: FeedName, ...bodies: string[]) {
      const head = await append(db, name, bodies);
      hub.publish(name, head);
      return head;
    },

    startFollower(hub: Hub, feed: Feed<LogRow>, after = 0n, pageSize?: number): Follower {
      const controller = new AbortController();
      const rows: LogRow[] = [];
      let wake = () => {};
      const run = async () => {
        for await (const batch of follow({ feeds: hub }, feed, { after, signal: controller.signal, pageSize })) {
          expect(batch.length).toBeGreaterThan(0);
          rows.push(...batch);
          wake();
        }
      };
      const ended = run();
      cleanups.push(() => controller.abort());
      return {
        rows,
        has: async (count) => {
          while (rows.length < count) await new Promise<void>((resolve) => (wake = resolve));
        },
        stop: () => controller.abort(),
        ended,
      };
    },
  };
}

export const bodies = (rows: readonly LogRow[]) => rows.map(({ body }) => body);
export const positions = (rows: readonly LogRow[]) => rows.map(({ seq }) => Number(seq));
export const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);
export const readsOf = (texts: readonly string[]) => texts.filter((text) => text.includes('from test_log')).length;
export const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
