import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { openDatabase } from '../../db/pool.ts';
import { freePort } from '../../scripts/free-port.ts';
import { natsProgram } from '../../scripts/lane-programs.ts';
import { createFeedHub } from '../../subscriptions/feed-hub.ts';
import { natsSignals } from '../../subscriptions/nats-signals.ts';
import { createControlDatabase } from '../helpers/control-database.ts';
import { startNats } from '../helpers/nats-server.ts';
import { append, createLog, newFeed, testFeed } from '../subscriptions/log-feed.ts';

// `apt-get install nats-server`
const installed = natsProgram() !== undefined;
const log = pino({ level: 'silent' });
/** Longer than any test: whatever arrives came by signal. */
const never = 3_600_000;

describe.skipIf(!installed)('signals over NATS', async () => {
  const control = installed ? await createControlDatabase() : undefined;
  const db = openDatabase({ url: control?.url ?? '' });
  if (installed) await createLog(db);
  const cleanups: (() => unknown)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });
  afterAll(async () => {
    await db.close();
    await control?.drop();
  });

  /** A node with its own connection to NATS and its own hub. */
  function startNode(url: string, backstopMs = never) {
    const signals = natsSignals(url, { log });
    const hub = createFeedHub({ db, signals, log, backstopMs });
    cleanups.push(async () => {
      await hub.close();
      await signals.close();
    });
    return { hub, signals };
  }

  /** Collects positions of a feed on a node. */
  function startFollower({ hub }: ReturnType<typeof startNode>, name: ReturnType<typeof newFeed>) {
    const controller = new AbortController();
    cleanups.push(() => controller.abort());
    const positions: bigint[] = [];
    void (async () => {
      for await (const rows of hub.follow(testFeed(name), 0n, { signal: controller.signal })) {
        positions.push(...rows.map(({ seq }) => seq));
      }
    })();
    return positions;
  }

  const until = async (condition: () => boolean) => {
    while (!condition()) await pause(5);
  };

  /** Signals until the other side hears: the two are connected from then on. */
  async function connected(from: ReturnType<typeof startNode>, to: ReturnType<typeof startNode>) {
    let heard = false;
    const stop = to.signals.onSignal((key) => {
      heard ||= key === 'hello';
    });
    while (!heard) {
      from.signals.publish('hello', 1n);
      await pause(10);
    }
    stop();
  }

  test('two nodes wake each other', async () => {
    const nats = await startNats();
    cleanups.push(() => nats.stop());
    const [here, there] = [startNode(nats.url), startNode(nats.url)];
    await Promise.all([connected(here, there), connected(there, here)]);
    const name = newFeed();
    const followers = [startFollower(here, name), startFollower(there, name)];
    for (let round = 1; round <= 10; round++) {
      const { hub } = round % 2 === 0 ? here : there;
      hub.publish(name, await append(db, name, [`row ${round}`]));
      await until(() => followers.every(({ length }) => length === round));
    }
    for (const positions of followers)
      expect(positions).toEqual(Array.from({ length: 10 }, (_, index) => BigInt(index + 1)));
  });

  test('own signals are heard once, at once, without the detour', async () => {
    const nats = await startNats();
    cleanups.push(() => nats.stop());
    const [here, there] = [startNode(nats.url), startNode(nats.url)];
    await Promise.all([connected(here, there), connected(there, here)]);
    const heard: bigint[] = [];
    here.signals.onSignal((key, head) => key === 'mine' && heard.push(head));
    here.signals.publish('mine', 7n);
    expect(heard).toEqual([7n]);
    // There and back: an echo of the first would have come before the answer.
    const back = new Promise<void>((resolve) => here.signals.onSignal((key) => key === 'answer' && resolve()));
    there.signals.onSignal((key) => key === 'mine' && there.signals.publish('answer', 1n));
    here.signals.publish('mine', 8n);
    await back;
    expect(heard).toEqual([7n, 8n]);
  });

  test('while NATS is away rows are found by looking; when it is back, signals wake again', async () => {
    const port = await freePort();
    const first = await startNats(port);
    const [here, woken, looking] = [startNode(first.url), startNode(first.url), startNode(first.url, 20)];
    await Promise.all([connected(here, woken), connected(here, looking)]);
    const name = newFeed();
    const [byWaking, byLooking] = [startFollower(woken, name), startFollower(looking, name)];
    here.hub.publish(name, await append(db, name, ['with NATS']));
    await until(() => byWaking.length === 1 && byLooking.length === 1);

    await first.stop();
    here.hub.publish(name, await append(db, name, ['without NATS']));
    await until(() => byLooking.length === 2);
    expect(byWaking).toEqual([1n]);

    const second = await startNats(port);
    cleanups.push(() => second.stop());
    await connected(here, woken);
    here.hub.publish(name, await append(db, name, ['with NATS again']));
    await until(() => byWaking.length === 3);
    expect(byWaking).toEqual([1n, 2n, 3n]);
    await until(() => byLooking.length === 3);
  });

  test('a node that starts before NATS connects once it is there', async () => {
    const port = await freePort();
    const [here, there] = [startNode(`nats://127.0.0.1:${port}`), startNode(`nats://127.0.0.1:${port}`)];
    here.signals.publish('too early', 1n);
    await pause(50);
    const nats = await startNats(port);
    cleanups.push(() => nats.stop());
    await connected(here, there);
  });

  test('a user and a password in the address are used', async () => {
    const nats = await startNats(undefined, ['--user', 'gateway', '--pass', '12345']);
    cleanups.push(() => nats.stop());
    const url = nats.url.replace('nats://', 'nats://gateway:12345@');
    const [here, there] = [startNode(url), startNode(url)];
    await connected(here, there);
  });

  test('closing ends everything, with NATS there or not', async () => {
    const nats = await startNats();
    const [here, there] = [startNode(nats.url), startNode(nats.url)];
    await connected(here, there);
    await here.signals.close();
    here.signals.publish('after the end', 1n);
    await nats.stop();
    await there.signals.close();
    const nowhere = startNode(nats.url);
    nowhere.signals.publish('nobody hears', 1n);
    await nowhere.signals.close();
  });

  test('what others write on the subject is ignored', async () => {
    const nats = await startNats();
    cleanups.push(() => nats.stop());
    const [here, there] = [startNode(nats.url), startNode(nats.url)];
    await connected(here, there);
    const heard: string[] = [];
    here.signals.onSignal((key) => heard.push(key));
    const { connect } = await import('@nats-io/transport-node');
    const stranger = await connect({ servers: nats.url });
    for (const text of [
      '',
      'null',
      '[]',
      '{"n":1,"k":"a","h":"1"}',
      '{"n":"x","k":"a","h":"-1"}',
      '{"n":"x","k":"a","h":1}',
    ]) {
      stranger.publish('svc.feeds', text);
    }
    stranger.publish('svc.feeds', '{"n":"x","k":"good","h":"1"}');
    await stranger.drain();
    await until(() => heard.includes('good'));
    expect(heard).toEqual(['good']);
  });
});
