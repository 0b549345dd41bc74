/**
 * Runs the tests that need a program from outside npm, as far as the programs are there, and names what did not run.
 * With CI=true a missing program is a failure: nothing is skipped silently. Where SVC_LANES_UNTIL is set, in seconds since
 * the epoch, tests that have not begun by then are skipped.
 *
 * Usage: npm run test:lanes [-- nats|two-nodes|around|domains|s3|astro|browser|console]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { delimiter, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildConsole } from './build-console.ts';
import {
  caddyProgram,
  chromiumProgram,
  installedAstro,
  memcachedProgram,
  natsProgram,
  nginxProgram,
  nsdProgram,
  pebbleProgram,
  swiftProgram,
  tiniProgram,
} from './lane-programs.ts';

interface Lane {
  readonly files: readonly string[];
  /** What it needs, as people call it. */
  readonly needs: string;
  readonly program: string | undefined;
  readonly install: string;
  readonly env?: Record<string, string>;
  /** Whether there is time for another lane beside it; what it says comes when it has ended. */
  readonly mostlyWaits?: boolean;
}

const wanted = process.argv.slice(2);
const wants = (name: string) => wanted.length === 0 || wanted.includes(name);

const nats = {
  needs: 'nats-server',
  program: natsProgram(),
  install: 'apt-get install nats-server, or https://docs.nats.io/running-a-nats-service',
};

const browser = {
  needs: 'Chromium',
  program: chromiumProgram(),
  install: 'apt-get install chromium-headless-shell, or any Chrome',
};

const natsLane = ['nats', 'nodes', 'soak'].map((name) => `test/lanes/${name}.test.ts`);
const pageNodes = 'test/lanes/page-nodes.test.ts';
const domainFiles = ['test/lanes/domains.test.ts'];
const aroundIt = ['test/lanes/proxies.test.ts', 'test/lanes/supervisors.test.ts'];

const objectsFile = 'test/lanes/s3.test.ts';
const astroFile = 'test/lanes/astro.test.ts';

const ownFiles = readdirSync(new URL('../test/lanes', import.meta.url))
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => `test/lanes/${name}`);
const consoleFiles = ownFiles.filter((path) => path.includes('/console'));

/** Files of `test/lanes` that belong to no other lane. */
const filesBut = (others: readonly string[]) => ownFiles.filter((path) => !others.includes(path));

const lanes: Readonly<Record<string, Lane>> = {
  nats: { ...nats, files: natsLane, mostlyWaits: true },
  // Tests of `npm test`, run again with `startService()` starting two gateways on one database behind a balancer that
  // sends each request to the other one. None of them is left out. Not among them, because a node answers for itself:
  // tests of limits that each node counts alone (rate-limits, connection-limits, request-limits) and of what goes on
  // inside one (feed-hub, feed-memory, metrics, remembered-tokens); test/scale/two-nodes.test.ts is for two by itself, and
  // test/lanes/page-nodes.test.ts kills two that are processes.
  'two-nodes': {
    ...nats,
    files: ['test/rooms', 'test/faults/idempotency', 'test/subscriptions/lost-rights', 'test/mcp/follow', pageNodes],
    env: { SVC_TEST_NODES: '2' },
  },
  // What runs around a gateway: proxies with the files of docs/running, and supervisors.
  around: {
    files: aroundIt,
    needs: 'nginx, Caddy and tini',
    program: nginxProgram() && caddyProgram() && tiniProgram(),
    install: 'apt-get install nginx caddy tini',
    mostlyWaits: true,
  },
  // Own domains with a real name server, and certificates of a real authority for tests.
  domains: {
    files: domainFiles,
    needs: 'NSD and Pebble',
    program: nsdProgram() && pebbleProgram(),
    install: 'apt-get install nsd pebble',
  },
  // Objects in another S3 server than that of `npm test`.
  s3: {
    files: [objectsFile],
    needs: 'OpenStack Swift',
    program: memcachedProgram() && swiftProgram(),
    install: 'apt-get install swift-proxy swift-account swift-container swift-object memcached',
    mostlyWaits: true,
  },
  // A site of a generator that is larger than all that this project installs for itself.
  astro: {
    files: [astroFile],
    needs: 'Astro',
    program: wants('astro') ? installedAstro() : undefined,
    install: 'npm ci in test/lanes/astro, which takes the registry of npm',
  },
  browser: {
    ...browser,
    files: filesBut([...natsLane, pageNodes, ...aroundIt, ...domainFiles, objectsFile, astroFile, ...consoleFiles]),
  },
  // Every page of the console, by mouse and by keyboard.
  console: { ...browser, files: consoleFiles },
};

const say = (line: string) => process.stdout.write(`${line}\n`);
const unknown = wanted.filter((name) => lanes[name] === undefined);
if (unknown.length > 0) {
  say(`There is no lane ${unknown.join(', ')}; there are ${Object.keys(lanes).join(', ')}.`);
  process.exit(1);
}

const root = fileURLToPath(new URL('..', import.meta.url));

/** Lanes that one run of vitest can hold: to start one takes as long as some lanes. */
interface Run {
  readonly lanes: Record<string, Lane>;
  /** Beside the others; what it says comes when it has ended. */
  readonly aside: boolean;
}

/** @returns whether all of it passed, and what it said where that was not shown at once */
async function run({ lanes: some, aside }: Run) {
  const those = Object.values(some);
  const stdio = aside ? 'pipe' : 'inherit';
  const child = spawn('vitest', ['run', ...those.flatMap(({ files }) => files)], {
    cwd: root,
    stdio: ['ignore', stdio, stdio],
    env: {
      ...process.env,
      SVC_TEST_LANES: '1',
      ...those[0]!.env,
      // Last, for they may be folders full of other things.
      PATH: [process.env.PATH, ...those.map(({ program }) => dirname(program!))].join(delimiter),
    },
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (part) => {
      said += part;
    });
  const [status] = await once(child, 'close');
  return { passed: status === 0, said };
}

const failed: string[] = [];
/** What is to be said at the end. */
const last: string[] = [];
const runs: Run[] = [];
for (const [name, lane] of Object.entries(lanes)) {
  if (!wants(name)) continue;
  if (lane.program === undefined) {
    if (process.env.CI === 'true') failed.push(name);
    last.push(`Lane ${name} did not run: ${lane.needs} is not installed (${lane.install}).`);
    continue;
  }
  const aside = lane.mostlyWaits === true && wanted.length === 0;
  const fitting = runs.find((one) => one.aside === aside && Object.values(one.lanes)[0]!.env === lane.env);
  if (fitting !== undefined) fitting.lanes[name] = lane;
  else runs.push({ lanes: { [name]: lane }, aside });
}
// Once, before several files of a lane might.
if (runs.some((one) => Object.values(one.lanes).some(({ needs }) => needs === browser.needs))) await buildConsole();
const ending: Promise<void>[] = [];
for (const one of runs) {
  const names = Object.keys(one.lanes);
  const ended = run(one).then(({ passed, said }) => {
    if (!passed) failed.push(...names);
    process.stdout.write(said);
    last.push(`${names.length === 1 ? 'Lane' : 'Lanes'} ${names.join(', ')} ${passed ? 'passed' : 'FAILED'}.`);
  });
  ending.push(ended);
  if (!one.aside) await ended;
}
await Promise.all(ending);
for (const line of last) say(line);
if (Date.now() > Number(process.env.SVC_LANES_UNTIL ?? Infinity) * 1000)
  say('The lanes took too long: tests that had not begun in time are counted as skipped.');
process.exit(failed.length > 0 ? 1 : 0);
