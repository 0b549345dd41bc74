/**
 * Runs the tests that need a program from outside npm, as far as the programs are there, and names what did not run.
 * With CI=true a missing program is a failure: nothing is skipped silently.
 *
 * Usage: npm run test:lanes [-- nats|two-nodes|around|browser]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { delimiter, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildConsole } from './build-console.ts';
import { caddyProgram, chromiumProgram, natsProgram, nginxProgram, tiniProgram } from './lane-programs.ts';

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

const nats = {
  needs: 'nats-server',
  program: natsProgram(),
  install: 'apt-get install nats-server, or https://docs.nats.io/running-a-nats-service',
};

const natsLane = ['nats', 'nodes', 'soak'].map((name) => `test/lanes/${name}.test.ts`);
const pageNodes = 'test/lanes/page-nodes.test.ts';
const aroundIt = ['test/lanes/proxies.test.ts', 'test/lanes/supervisors.test.ts'];

/** Files of `test/lanes` that belong to no other lane. */
const lanesBut = (others: readonly string[]) =>
  readdirSync(new URL('../test/lanes', import.meta.url))
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `test/lanes/${name}`)
    .filter((name) => !others.includes(name));

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
  browser: {
    files: lanesBut([...natsLane, pageNodes, ...aroundIt]),
    needs: 'Chromium',
    program: chromiumProgram(),
    install: 'apt-get install chromium, or any Chrome',
  },
};

const say = (line: string) => process.stdout.write(`${line}\n`);
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => lanes[name] === undefined);
if (unknown.length > 0) {
  say(`There is no lane ${unknown.join(', ')}; there are ${Object.keys(lanes).join(', ')}.`);
  process.exit(1);
}

const root = fileURLToPath(new URL('..', import.meta.url));

/** @returns whether all of a lane passed, and what it said where that was not shown at once */
async function runLane({ files, program, env = {} }: Lane, stdio: 'inherit' | 'pipe') {
  const child = spawn('vitest', ['run', ...files], {
    cwd: root,
    stdio: ['ignore', stdio, stdio],
    env: {
      ...process.env,
      SVC_TEST_LANES: '1',
      ...env,
      // Last, for it may be a folder full of other things.
      PATH: [process.env.PATH, dirname(program!)].join(delimiter),
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

const outcomes: string[] = [];
const failed: string[] = [];
/** What lanes said that ran beside others. */
const later: string[] = [];
const running: Promise<void>[] = [];
for (const [name, lane] of Object.entries(lanes)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  if (lane.program === undefined) {
    if (process.env.CI === 'true') failed.push(name);
    outcomes.push(`Lane ${name} did not run: ${lane.needs} is not installed (${lane.install}).`);
    continue;
  }
  // Once, before several files of the lane might.
  if (name === 'browser') await buildConsole();
  const aside = lane.mostlyWaits === true && wanted.length === 0;
  const run = runLane(lane, aside ? 'pipe' : 'inherit').then(({ passed, said }) => {
    if (!passed) failed.push(name);
    later.push(said);
    outcomes.push(`Lane ${name} ${passed ? 'passed' : 'FAILED'}.`);
  });
  running.push(run);
  if (!aside) await run;
}
await Promise.all(running);
for (const said of later) process.stdout.write(said);
for (const outcome of outcomes) say(outcome);
process.exit(failed.length > 0 ? 1 : 0);
