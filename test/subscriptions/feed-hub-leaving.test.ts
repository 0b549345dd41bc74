import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { bodies, deafSignals, hubWorld, never, pause } from './hub-world.ts';
import { append, newFeed, testFeed } from './log-feed.ts';

const { db, send, startFollower, startHub } = await hubWorld();

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
