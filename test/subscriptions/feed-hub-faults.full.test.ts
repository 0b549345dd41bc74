import { setImmediate as turn } from 'node:timers/promises';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { openDatabase } from '../../db/pool.ts';
import type { FeedName } from '../../kernel/feeds/feeds.ts';
import { localSignals, type Signals } from '../../subscriptions/signals.ts';
import { startPgProxy } from '../helpers/pg-proxy.ts';
import { bodies, deafSignals, type Follower, hubWorld, pause, positions, range } from './hub-world.ts';
import { append, newFeed, testFeed } from './log-feed.ts';

const { cleanups, control, db, send, startFollower, startHub } = await hubWorld();

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
  const flaky = openDatabase({ url: route.url, waitMs: 20_000 });
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
