import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { Feed, FeedName } from '../../kernel/feeds/feeds.ts';
import { createFeedHub, type FeedHubOptions } from '../../subscriptions/feed-hub.ts';
import { localSignals } from '../../subscriptions/signals.ts';
import { append, type LogRow, newFeed, openLog, testFeed } from './log-feed.ts';

const never = 3_600_000;
const { db, cleanups } = await openLog();

function startHub(options: Partial<FeedHubOptions> = {}) {
  const log = pino({ level: 'silent' });
  const hub = createFeedHub({ db, signals: localSignals(), log, backstopMs: never, ...options });
  cleanups.push(() => hub.close());
  return hub;
}
type Hub = ReturnType<typeof startHub>;

async function send(hub: Hub, name: FeedName, ...bodies: string[]) {
  hub.publish(name, await append(db, name, bodies));
}

/** Takes so many rows of a follower that stays where it is afterwards. */
function reader(hub: Hub, feed: Feed<LogRow>, after = 0n, pageSize = 500) {
  const controller = new AbortController();
  const batches = hub.follow(feed, after, { signal: controller.signal, pageSize });
  cleanups.push(() => controller.abort());
  return {
    stop: () => controller.abort(),
    async take(count: number): Promise<bigint[]> {
      const taken: bigint[] = [];
      while (taken.length < count) taken.push(...(await batches.next()).value!.map(({ seq }) => seq));
      return taken;
    },
  };
}

const upTo = (last: number, from = 1) => Array.from({ length: last - from + 1 }, (_, index) => BigInt(from + index));
const kilobyte = 'x'.repeat(1_000);
const rows = (count: number) => Array<string>(count).fill(kilobyte);

test('whoever only waits is told where the feed stands, and no row is read or kept for it', async () => {
  const hub = startHub();
  const name = newFeed();
  await append(db, name, rows(20));
  const reads: number[] = [];
  const feed = testFeed(name, reads);
  const { signal } = new AbortController();
  expect(await hub.moved(feed, 3n, { timeoutMs: never, signal })).toBe(true);
  const waiting = hub.moved(feed, 20n, { timeoutMs: never, signal });
  await send(hub, name, kilobyte);
  expect(await waiting).toBe(true);
  expect(new Set(reads)).toEqual(new Set([0]));
  expect(hub.keptBytes()).toBe(0);
});

test('a follower that joins those who wait misses nothing, from wherever it comes', async () => {
  const hub = startHub();
  const name = newFeed();
  await append(db, name, rows(5));
  const { signal } = new AbortController();
  const waiting = hub.moved(testFeed(name), 5n, { timeoutMs: never, signal });
  const [early, late] = [reader(hub, testFeed(name)), reader(hub, testFeed(name), 5n)];
  expect(await early.take(5)).toEqual(upTo(5));
  await send(hub, name, ...rows(2));
  expect(await waiting).toBe(true);
  expect([await early.take(2), await late.take(2)]).toEqual([upTo(7, 6), upTo(7, 6)]);
});

test('a feed keeps no more than its bytes, and a follower that is behind them still gets every row once', async () => {
  const hub = startHub({ ringBytesMax: 5_000 });
  const name = newFeed();
  const [fast, slow] = [reader(hub, testFeed(name)), reader(hub, testFeed(name), 0n, 3)];
  await send(hub, name, kilobyte);
  expect([await fast.take(1), await slow.take(1)]).toEqual([[1n], [1n]]);
  for (let round = 0; round < 5; round++) {
    await send(hub, name, ...rows(4));
    await fast.take(4);
    expect(hub.keptBytes()).toBeLessThanOrEqual(5_000);
  }
  expect(hub.keptBytes()).toBe(5_000);
  expect(await slow.take(20)).toEqual(upTo(21, 2));
});

test('a row that is larger than what may be kept reaches everybody all the same', async () => {
  const hub = startHub({ ringBytesMax: 500 });
  const name = newFeed();
  const readers = [reader(hub, testFeed(name)), reader(hub, testFeed(name))];
  await send(hub, name, kilobyte);
  for (const one of readers) expect(await one.take(1)).toEqual([1n]);
  await send(hub, name, kilobyte, 'small');
  for (const one of readers) expect(await one.take(2)).toEqual([2n, 3n]);
  expect(hub.keptBytes()).toBe(5);
});

test('all feeds together keep no more than the node’s bytes; those that nobody follows go first', async () => {
  const hub = startHub({ ringBytesMax: 4_000, bytesMax: 10_000, lingerMs: never });
  const left = newFeed();
  const gone = reader(hub, testFeed(left));
  await send(hub, left, ...rows(4));
  await gone.take(4);
  gone.stop();
  expect([hub.followed(), hub.keptBytes()]).toEqual([0, 4_000]);
  const names = Array.from({ length: 4 }, newFeed);
  const readers = names.map((name) => reader(hub, testFeed(name)));
  for (const [index, name] of names.entries()) {
    await send(hub, name, ...rows(4));
    expect(await readers[index]!.take(4)).toEqual(upTo(4));
    expect(hub.keptBytes()).toBeLessThanOrEqual(10_000);
    // The first two fit in besides: what lingered has made room for them.
    if (index === 1) expect(hub.keptBytes()).toBe(8_000);
  }
  // Whose rows had to go reads them again, and goes on.
  const again = reader(hub, testFeed(names[0]!));
  expect(await again.take(4)).toEqual(upTo(4));
  for (const [index, name] of names.entries()) {
    await send(hub, name, kilobyte);
    expect(await readers[index]!.take(1)).toEqual([5n]);
  }
});

test('what was kept for a feed is given back when its time is over', async () => {
  const hub = startHub({ lingerMs: 0 });
  const name = newFeed();
  const one = reader(hub, testFeed(name));
  await send(hub, name, ...rows(3));
  await one.take(3);
  expect(hub.keptBytes()).toBe(3_000);
  one.stop();
  await expect.poll(() => hub.keptBytes()).toBe(0);
});
