import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { asking, type SiteAnswer } from '../hosting/site.ts';
import { refOf, siteOf } from './deploying.ts';
import { settlesOfDeploy, startKillable } from './killable.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
type Any = any;

const world = await startKillable();
afterAll(() => world.stop());
const { mine, proxy } = world;
let gateway = world.first;

/** How often the gateway is killed. Each boundary once; the rest at boundaries and at moments of chance by turns. */
const kills = Number(process.env.SVC_TEST_KILLS ?? 17);
const seed = Number(process.env.SVC_TEST_SEED ?? Date.now() % 1_000_000);
/** Longest a test may take that starts so many gateways, in milliseconds. */
const startsMs = 60_000 + kills * 20_000;

/** Chance that is the same for one seed (mulberry32). */
function chance(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Moments at which Postgres has carried out a transaction of a deploy, and the gateway does not know of it. */
const boundaries: Readonly<Record<string, () => Promise<unknown>>> = {
  'its content was planned': () => proxy.freezeCommit(/insert into "content_plans"/).answered,
  'its content was made the project’s': () => proxy.freezeCommit(/insert into "content_objects"/).answered,
  'it was planned': () => proxy.freezeCommit(/insert into "deploy_plans"/).answered,
  'it was committed': () => proxy.freezeCommit(/update "deploy_operations"\s+set "target_release_id"/).answered,
  'its migration was run': () => proxy.freezeCommit(/insert into _svc\.migrations/).answered,
  ...Object.fromEntries(
    Array.from({ length: settlesOfDeploy }, (_none, at) => [
      `it wrote for the ${at + 1}. time where it stands`,
      () => world.afterSettles(at + 1),
    ]),
  ),
};

/** What the files of a release say, each of which is served in another way. */
const textsOf = (number: number) => {
  const said = (path: string, times: number) => `release ${number} of ${path}\n`.repeat(times);
  return {
    'index.html': said('index.html', 1),
    'app.js': said('app.js', 200),
    'style.css': said('style.css', 40),
    'large.txt': said('large.txt', 20_000),
    'deep/page.html': said('deep/page.html', 3),
    ...Object.fromEntries(Array.from({ length: 12 }, (_none, at) => [`f${at}.txt`, said(`f${at}.txt`, at + 1)])),
    // The same in all of them.
    'same.bin': 'same'.repeat(600_000),
  };
};
const paths = Object.keys(textsOf(0)) as (keyof ReturnType<typeof textsOf>)[];

/** Readers of the site. They say what was wrong with an answer, and go on. */
function startReaders(count: number, random: () => number) {
  const ask = asking({ url: world.address }, world.host);
  /** The number that the files of a release have. */
  const numbers = new Map<string, number>();
  const wrong: string[] = [];
  let answers = 0;
  let stopped = false;

  function judge(path: keyof ReturnType<typeof textsOf>, { status, headers, text }: SiteAnswer, last: number): number {
    if (status !== 200) {
      // A gateway that is about to serve says so.
      if (status !== 503) wrong.push(`${path}: ${status} ${text.slice(0, 200)}`);
      return last;
    }
    answers += 1;
    const release = String(headers['x-svc-release-id']);
    const generation = Number(headers['x-svc-release-generation']);
    if (generation < last) wrong.push(`${path}: generation ${generation} after ${last}`);
    if (path === 'same.bin') {
      if (text !== textsOf(0)[path]) wrong.push(`${path}: ${text.length} bytes`);
      return generation;
    }
    const number = Number(/^release (\d+)/.exec(text)?.[1]);
    const known = numbers.get(release) ?? number;
    numbers.set(release, known);
    if (number !== known) wrong.push(`${path}: release ${number} under the name of release ${known}`);
    if (text !== textsOf(number)[path]) wrong.push(`${path}: not whole, ${text.length} bytes of release ${number}`);
    if (headers['x-svc-content-sha256'] !== refOf(text).sha256) wrong.push(`${path}: another digest than it says`);
    return generation;
  }

  async function read(): Promise<void> {
    let last = 0;
    while (!stopped) {
      const path = paths[Math.floor(random() * paths.length)]!;
      try {
        last = judge(path, await ask(`/${path}`), last);
        await pause(2);
      } catch {
        // There is no gateway at the moment.
        await pause(20);
      }
    }
  }
  const reading = Promise.all(Array.from({ length: count }, read));
  return {
    wrong,
    answers: () => answers,
    async stop() {
      stopped = true;
      await reading;
    },
  };
}

test('a gateway that is killed at every boundary of a deploy serves whole releases, runs each migration once and loses no object', {
  timeout: startsMs,
}, async () => {
  process.stdout.write(`${kills} kills, seed ${seed}\n`);
  const random = chance(seed);
  await mine.deploySite(textsOf(0));
  const readers = startReaders(4, random);
  const points = Object.entries(boundaries);
  const deployments: { readonly number: number; readonly host: string }[] = [];

  for (let number = 1; number <= kills; number += 1) {
    const at = number - 1;
    const isChance = at >= points.length && at % 2 === 0;
    const [point, reach] = isChance
      ? [`at a moment of chance`, () => pause(random() * 500)]
      : points[at % points.length]!;
    const texts = textsOf(number);
    const reached = reach();
    const deploying = mine.deploy(
      { database: { migrations: [world.entry(number)] }, ...siteOf(texts) },
      Object.values(texts),
    );
    // Awaited below; meanwhile a failure is no crash of the test.
    deploying.catch(() => undefined);
    await reached;
    await world.kill(gateway);
    // Whatever is waited for after the start, it is no lease.
    await world.holdLeases();
    gateway = await world.start();
    const done = await deploying;
    expect([point, done.status, done.error]).toEqual([point, 'ready', null]);
    const { events } = (await mine.read(`/apply/v1/operations/${done.operation_id}/events`)).body as Any;
    expect([point, events.filter(({ type }: Any) => type === 'ready').length]).toEqual([point, 1]);
    expect([point, await world.ledger()]).toEqual([point, Array.from({ length: number }, (_none, one) => one + 1)]);
    const id = String(done.urls.deployment_id).replace(/^dpl_/, '');
    deployments.push({ number, host: `dpl-${id}.sites.localhost` });
  }
  await readers.stop();
  expect(readers.wrong).toEqual([]);
  expect(readers.answers()).toBeGreaterThan(kills);

  // Every release that was ever live is there to its last byte.
  for (const { number, host } of deployments) {
    const ask = asking({ url: world.address }, host);
    for (const path of paths) {
      const { status, text } = await ask(`/${path}`);
      expect([number, path, status, text === textsOf(number)[path]]).toEqual([number, path, 200, true]);
    }
  }
  expect(await world.sql(`select 1 from live_releases where gated_by is not null`)).toEqual([]);
  process.stdout.write(`${kills} kills, ${readers.answers()} answers\n`);
});
