import { getEventListeners } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { localSignals } from '../../subscriptions/signals.ts';
import { bodies, deafSignals, hubWorld, never, positions, range, readsOf } from './hub-world.ts';
import { append, type LogRow, newFeed, testFeed } from './log-feed.ts';

const { db, send, startFollower, startHub, statements } = await hubWorld();

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
  const lookUps = () =>
    statements.filter((text) => text.includes('left join "feed_heads" on') && text.includes('unnest'));
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
