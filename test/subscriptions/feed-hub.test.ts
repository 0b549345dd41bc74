import { getEventListeners } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { pino } from 'pino';
import { afterAll, afterEach, expect, test } from 'vitest';
import { openDatabase } from '../../db/pool.ts';
import type { Feed, FeedName } from '../../resolvers/feeds.ts';
import { createFeedHub, type FeedHubOptions } from '../../subscriptions/feed-hub.ts';
import { follow } from '../../subscriptions/follow.ts';
import { localSignals, type Signals } from '../../subscriptions/signals.ts';
import { createControlDatabase } from '../helpers/control-database.ts';
import { startPgProxy } from '../helpers/pg-proxy.ts';
import { append, createLog, type LogRow, newFeed, testFeed } from './log-feed.ts';

const log = pino({ level: 'silent' });
/** Longer than any test: whatever arrives was not found by looking. */
const never = 3_600_000;

const control = await createControlDatabase();
const statements: string[] = [];
const db = openDatabase({ url: control.url, onStatement: (text) => statements.push(text) });
await createLog(db);
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});
afterAll(async () => {
  await db.close();
  await control.drop();
});

const deafSignals: Signals = { publish: () => {}, onSignal: () => () => {}, close: async () => {} };

function startHub(options: Partial<FeedHubOptions> = {}) {
  const hub = createFeedHub({ db, signals: localSignals(), log, backstopMs: never, ...options });
  cleanups.push(() => hub.close());
  return hub;
}
type Hub = ReturnType<typeof startHub>;

/** Appends and tells, as a unit of work does. */
async function send(hub: Hub, name: FeedName, ...bodies: string[]) {
  const head = await append(db, name, bodies);
  hub.publish(name, head);
  return head;
}

interface Follower {
  readonly rows: LogRow[];
  /** Resolves once the follower has so many rows. */
  has(count: number): Promise<void>;
  stop(): void;
  readonly ended: Promise<void>;
}

function startFollower(hub: Hub, feed: Feed<LogRow>, after = 0n, pageSize?: number): Follower {
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
}

const bodies = (rows: readonly LogRow[]) => rows.map(({ body }) => body);
const positions = (rows: readonly LogRow[]) => rows.map(({ seq }) => Number(seq));
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);
const readsOf = (texts: readonly string[]) => texts.filter((text) => text.includes('from test_log')).length;

test('a follower gets what is there and then what comes', async () => {
  const hub = startHub();
  const name = newFeed();
  await append(db, name, ['one', 'two']);
  const follower = startFollower(hub, testFeed(name), 1n);
  await follower.has(1);
  await send(hub, name, 'three');
  await follower.has(2);
  expect(bodies(follower.rows)).toEqual(['two', 'three']);
});

test('a thousand followers of one feed cost one read per publish', async () => {
  const hub = startHub();
  const name = newFeed();
  await send(hub, name, 'zero');
  const followers = range(1, 1_000).map(() => startFollower(hub, testFeed(name)));
  statements.length = 0;
  await Promise.all(followers.map((follower) => follower.has(1)));
  expect(readsOf(statements)).toBeLessThanOrEqual(1);
  for (const round of range(1, 5)) {
    const head = await append(db, name, [`round ${round}`]);
    statements.length = 0;
    hub.publish(name, head);
    await Promise.all(followers.map((follower) => follower.has(round + 1)));
    expect(statements).toHaveLength(1);
  }
  expect(followers.every(({ rows }) => rows.length === 6)).toBe(true);
  expect(hub.followed()).toBe(1);
});

test('publishing costs nothing when nobody follows', async () => {
  const hub = startHub({ backstopMs: 1 });
  const name = newFeed();
  const head = await append(db, name, ['unheard']);
  statements.length = 0;
  hub.publish(name, head);
  await hub.moved(testFeed(name), 0n, { timeoutMs: never, signal: AbortSignal.abort() });
  await turn();
  expect(statements).toEqual([]);
});

test('one statement looks up the heads of all followed feeds, and none when nobody follows', async () => {
  const hub = startHub({ signals: deafSignals, backstopMs: 5 });
  const names = range(1, 20).map(newFeed);
  const followers = names.map((name) => startFollower(hub, testFeed(name)));
  for (const name of names) await append(db, name, ['found']);
  await Promise.all(followers.map((follower) => follower.has(1)));
  const lookUps = () => statements.filter((text) => text.includes('feed_heads h on') && text.includes('unnest'));
  statements.length = 0;
  while (lookUps().length < 3) await turn();
  // Nothing but look-ups, each for all twenty: a look-up per feed would need sixty.
  expect(statements).toHaveLength(lookUps().length);
  for (const follower of followers) follower.stop();
  await Promise.all(followers.map(({ ended }) => ended));
  expect(hub.followed()).toBe(0);
});

test('a row whose signals were all lost is found by looking', async () => {
  const hub = startHub({ signals: deafSignals, backstopMs: 5 });
  const name = newFeed();
  const follower = startFollower(hub, testFeed(name));
  for (const round of range(1, 5)) {
    await append(db, name, [`row ${round}`]);
    await follower.has(round);
  }
  expect(positions(follower.rows)).toEqual(range(1, 5));
});

test('two nodes over one database wake each other', async () => {
  const signals = localSignals();
  const [here, there] = [startHub({ signals }), startHub({ signals })];
  const name = newFeed();
  const followers = [startFollower(here, testFeed(name)), startFollower(there, testFeed(name))];
  for (const round of range(1, 10)) {
    await send(round % 2 === 0 ? here : there, name, `row ${round}`);
    await Promise.all(followers.map((follower) => follower.has(round)));
  }
  for (const { rows } of followers) expect(positions(rows)).toEqual(range(1, 10));
});

test('a node wakes its own followers even when its signals reach nobody', async () => {
  const hub = startHub({ signals: deafSignals });
  const name = newFeed();
  const follower = startFollower(hub, testFeed(name));
  await send(hub, name, 'one');
  await follower.has(1);
  await send(hub, name, 'two');
  await follower.has(2);
});

test('a page read sees the commits of other nodes, whoever follows', async () => {
  const hub = startHub({ signals: deafSignals });
  const name = newFeed();
  const follower = startFollower(hub, testFeed(name));
  await append(db, name, ['first']);
  expect(bodies((await hub.fetch(testFeed(name), 0n, 10)).rows)).toEqual(['first']);
  // And what one reader has seen, followers need not wait for.
  await follower.has(1);
});

test('what one follower reads while catching up, the others need not wait for', async () => {
  const hub = startHub({ signals: deafSignals, pageMax: 2, ringMax: 2 });
  const name = newFeed();
  await append(db, name, ['one', 'two', 'three', 'four']);
  const live = startFollower(hub, testFeed(name), 4n);
  expect(await hub.moved(testFeed(name), 3n, { timeoutMs: never, signal: new AbortController().signal })).toBe(true);
  await append(db, name, ['five']);
  const late = startFollower(hub, testFeed(name));
  await Promise.all([late.has(5), live.has(1)]);
});

test('a follower far behind is read for at its own pace', async () => {
  const hub = startHub({ pageMax: 5, ringMax: 5 });
  const name = newFeed();
  await append(db, name, range(1, 100).map(String));
  const reads: number[] = [];
  const rows = hub.follow(testFeed(name, reads), 0n, { signal: new AbortController().signal });
  await rows.next();
  // The tail has settled when it can answer; nothing but its look at the head and the first page has been read.
  expect(await hub.moved(testFeed(name), 99n, { timeoutMs: never, signal: new AbortController().signal })).toBe(true);
  expect(reads).toEqual([5, 5]);
  await rows.return();
});

test('a follower that has gone leaves nothing behind', async () => {
  const hub = startHub({ lingerMs: 0 });
  const feed = testFeed(newFeed());
  const controller = new AbortController();
  const { signal } = controller;
  const rows = hub.follow(feed, 0n, { signal });
  const pending = rows.next();
  expect(hub.followed()).toBe(1);
  const moved = hub.moved(feed, 0n, { timeoutMs: never, signal });
  controller.abort();
  expect(await pending).toEqual({ done: true, value: undefined });
  expect(await moved).toBe(false);
  expect(hub.followed()).toBe(0);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('a follower that stopped reading is forgotten when its signal aborts', async () => {
  const hub = startHub();
  const name = newFeed();
  await append(db, name, ['read', 'never read']);
  const controller = new AbortController();
  const rows = hub.follow(testFeed(name), 0n, { signal: controller.signal, pageSize: 1 });
  await rows.next();
  controller.abort();
  expect(hub.followed()).toBe(0);
});

test('returning ends a follower that is waiting', async () => {
  const hub = startHub();
  const controller = new AbortController();
  const rows = hub.follow(testFeed(newFeed()), 0n, { signal: controller.signal });
  const pending = rows.next();
  await rows.return();
  expect((await pending).done).toBe(true);
  expect(hub.followed()).toBe(0);
  expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
});

test('breaking out of the loop ends a follower', async () => {
  const hub = startHub();
  const name = newFeed();
  await append(db, name, ['one']);
  for await (const rows of hub.follow(testFeed(name), 0n, { signal: new AbortController().signal })) {
    expect(bodies(rows)).toEqual(['one']);
    break;
  }
  expect(hub.followed()).toBe(0);
});

test('closing the hub ends its followers quietly', async () => {
  const hub = startHub();
  const feed = testFeed(newFeed());
  const follower = startFollower(hub, feed);
  const moved = hub.moved(feed, 0n, { timeoutMs: never, signal: new AbortController().signal });
  await hub.close();
  await follower.ended;
  expect(await moved).toBe(false);
  expect(hub.followed()).toBe(0);
  expect(await hub.moved(feed, 0n, { timeoutMs: never, signal: new AbortController().signal })).toBe(false);
});

test('waiting tells at once what is there, then what comes, and no more when the time is up', async () => {
  const hub = startHub();
  const name = newFeed();
  const feed = testFeed(name);
  const { signal } = new AbortController();
  expect(await hub.moved(feed, 0n, { timeoutMs: 1, signal })).toBe(false);
  await append(db, name, ['before']);
  expect(await hub.moved(feed, 0n, { timeoutMs: never, signal })).toBe(true);
  const waiting = hub.moved(feed, 1n, { timeoutMs: never, signal });
  await send(hub, name, 'meanwhile');
  expect(await waiting).toBe(true);
  expect(await hub.moved(feed, 2n, { timeoutMs: 1, signal })).toBe(false);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
  expect(hub.followed()).toBe(0);
});

test('nothing is lost between the last follower and the next, even unsignalled', async () => {
  const hub = startHub({ signals: deafSignals });
  const name = newFeed();
  const first = startFollower(hub, testFeed(name));
  await append(db, name, ['one']);
  await hub.fetch(testFeed(name), 0n, 1);
  await first.has(1);
  first.stop();
  await first.ended;
  await append(db, name, ['two']);
  const second = startFollower(hub, testFeed(name), 1n);
  await second.has(1);
  expect(bodies(second.rows)).toEqual(['two']);
});

test('a feed that is followed again is not forgotten with its earlier followers', async () => {
  const hub = startHub({ lingerMs: 1 });
  const name = newFeed();
  const first = startFollower(hub, testFeed(name));
  first.stop();
  const second = startFollower(hub, testFeed(name));
  await pause(20);
  expect(hub.followed()).toBe(1);
  await send(hub, name, 'one');
  await second.has(1);
});

test('a slow follower catches up in pages, in order and without repeats', async () => {
  const hub = startHub({ pageMax: 10, ringMax: 10 });
  const name = newFeed();
  const reads: number[] = [];
  const slow = hub.follow(testFeed(name, reads), 0n, { signal: new AbortController().signal });
  const quick = startFollower(hub, testFeed(name, reads));
  await send(hub, name, 'row 1');
  const seen: LogRow[] = [...((await slow.next()).value ?? [])];
  for (const round of range(2, 100)) await send(hub, name, `row ${round}`);
  await quick.has(100);
  while (seen.length < 100) {
    const { value } = await slow.next();
    expect(value!.length).toBeLessThanOrEqual(10);
    seen.push(...value!);
  }
  await slow.return();
  expect(positions(seen)).toEqual(range(1, 100));
  expect(positions(quick.rows)).toEqual(range(1, 100));
  expect(Math.max(...reads)).toBe(10);
});

test('a signal that promises too much costs a read and nothing else', async () => {
  const hub = startHub();
  const name = newFeed();
  const follower = startFollower(hub, testFeed(name));
  await send(hub, name, 'one');
  await follower.has(1);
  statements.length = 0;
  hub.publish(name, 1_000n);
  expect(await hub.moved(testFeed(name), 1n, { timeoutMs: 20, signal: new AbortController().signal })).toBe(false);
  expect(statements).toHaveLength(1);
  await send(hub, name, 'two');
  await follower.has(2);
  expect(bodies(follower.rows)).toEqual(['one', 'two']);
});

test('a feed that was set back is followed from its earliest row again', async () => {
  const hub = startHub({ backstopMs: 5 });
  const name = newFeed();
  const follower = startFollower(hub, testFeed(name));
  await send(hub, name, 'one', 'two', 'three');
  await follower.has(3);
  await db.pool.query('delete from test_log where org_id = $1 and seq > 1', [name.orgId]);
  await db.pool.query('update feed_heads set position = 1 where org_id = $1', [name.orgId]);
  await follower.has(4);
  await send(hub, name, 'another two');
  await follower.has(5);
  expect(bodies(follower.rows)).toEqual(['one', 'two', 'three', 'one', 'another two']);
});

test('a follower behind retention goes on at the earliest row that is kept', async () => {
  const hub = startHub();
  const name = newFeed();
  await append(db, name, ['one', 'two', 'three']);
  await db.pool.query('delete from test_log where org_id = $1 and seq <= 2', [name.orgId]);
  await db.pool.query('update feed_heads set floor = 2 where org_id = $1', [name.orgId]);
  const follower = startFollower(hub, testFeed(name));
  await follower.has(1);
  expect(bodies(follower.rows)).toEqual(['three']);
});

test('followers outlive an outage of the database and go on by themselves', async () => {
  const route = await startPgProxy(control.url);
  cleanups.push(() => route.close());
  const lines: string[] = [];
  const heard = pino({}, { write: (line: string) => void lines.push(JSON.parse(line).msg) });
  const flaky = openDatabase({ url: route.url, waitMs: 200 });
  cleanups.push(() => flaky.close());
  const hub = startHub({ db: flaky, signals: deafSignals, log: heard, backstopMs: 5 });
  const names = range(1, 5).map(newFeed);
  const followers = names.map((name) => startFollower(hub, testFeed(name)));
  for (const name of names) await append(db, name, ['before']);
  await Promise.all(followers.map((follower) => follower.has(1)));
  route.cut();
  for (const name of names) hub.publish(name, await append(db, name, ['meanwhile']));
  // Somebody who comes while the database is away.
  const late = startFollower(hub, testFeed(names[0]!));
  while (lines.length === 0) await turn();
  route.mend();
  await Promise.all(followers.map((follower) => follower.has(2)));
  await late.has(2);
  for (const name of names) await append(db, name, ['after']);
  await Promise.all(followers.map((follower) => follower.has(3)));
  for (const { rows } of [...followers, late]) expect(bodies(rows).slice(0, 2)).toEqual(['before', 'meanwhile']);
  expect(lines).toEqual([
    'feeds cannot be read from the database; trying again until they can',
    'feeds are read from the database again',
  ]);
});

test('a follower that comes while the database is away starts when it is back', async () => {
  const route = await startPgProxy(control.url);
  cleanups.push(() => route.close());
  const failed: (() => void)[] = [];
  const heard = pino({}, { write: () => failed.shift()?.() });
  const flaky = openDatabase({ url: route.url, waitMs: 200 });
  cleanups.push(() => flaky.close());
  const hub = startHub({ db: flaky, log: heard });
  const name = newFeed();
  await append(db, name, ['one']);
  route.cut();
  const outage = new Promise<void>((resolve) => failed.push(resolve));
  const follower = startFollower(hub, testFeed(name));
  await outage;
  route.mend();
  await follower.has(1);
});

test('an aborted follower ends even while the database is away', async () => {
  const route = await startPgProxy(control.url);
  cleanups.push(() => route.close());
  const flaky = openDatabase({ url: route.url, waitMs: 200 });
  cleanups.push(() => flaky.close());
  route.cut();
  const hub = startHub({ db: flaky });
  const follower = startFollower(hub, testFeed(newFeed()));
  follower.stop();
  await follower.ended;
  expect(hub.followed()).toBe(0);
});

test.each([1, 2, 3, 4])(
  'random writers, nodes, losses and followers: every row once, in order (seed %i)',
  async (seed) => {
    const random = randomNumbers(seed);
    const below = (limit: number) => Math.floor(random() * limit);
    const bus = localSignals();
    // Some signals are lost, some come late; the nodes have rings and pages small enough to run out of.
    const lossy: Signals = {
      ...bus,
      publish: (key, head) => {
        const fate = random();
        if (fate < 0.2) return;
        if (fate < 0.5) setTimeout(() => bus.publish(key, head), below(5));
        else bus.publish(key, head);
      },
    };
    const hubs = range(1, 2).map(() =>
      startHub({ signals: lossy, backstopMs: 10, pageMax: 1 + below(8), ringMax: 1 + below(16), lingerMs: below(10) }),
    );
    const names = range(1, 3).map(newFeed);
    const written = new Map<FeedName, number>(names.map((name) => [name, 0]));
    let writing = true;

    const write = async (writer: number) => {
      for (const round of range(1, 25)) {
        const name = names[below(names.length)]!;
        const rows = range(1, 1 + below(3)).map((row) => `${writer}.${round}.${row}`);
        if (random() < 0.15) {
          await append(db, name, rows, true);
          continue;
        }
        const head = await append(db, name, rows);
        written.set(name, written.get(name)! + rows.length);
        hubs[below(hubs.length)]!.publish(name, head);
        if (random() < 0.3) await pause(below(5));
      }
    };

    const followers: { name: FeedName; after: number; follower: Follower }[] = [];
    const join = async () => {
      while (writing) {
        const name = names[below(names.length)]!;
        const after = below(written.get(name)! + 1);
        const follower = startFollower(hubs[below(hubs.length)]!, testFeed(name), BigInt(after), 1 + below(6));
        followers.push({ name, after, follower });
        await pause(below(10));
        if (random() < 0.5) followers[below(followers.length)]!.follower.stop();
      }
    };

    const joining = [join(), join()];
    await Promise.all(range(1, 8).map(write));
    writing = false;
    await Promise.all(joining);

    const last = names.map((name) => ({ name, after: 0, follower: startFollower(hubs[0]!, testFeed(name)) }));
    for (const { name, after, follower } of [...followers, ...last]) {
      await Promise.race([follower.has(written.get(name)! - after), follower.ended]);
      expect(positions(follower.rows)).toEqual(range(after + 1, after + follower.rows.length));
      follower.stop();
      await follower.ended;
    }
    for (const { name, follower } of last) expect(follower.rows).toHaveLength(written.get(name)!);
    expect(hubs.map((hub) => hub.followed())).toEqual([0, 0]);
  },
);

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Numbers in [0, 1) that a seed repeats (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
