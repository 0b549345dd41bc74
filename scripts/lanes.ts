/**
 * Runs the tests that need a program from outside npm, as far as the programs are there, and names what did not run.
 * With CI=true a missing program is a failure: nothing is skipped silently.
 *
 * Usage: npm run test:lanes [-- nats|two-nodes|browser]
 */
import { spawnSync } from 'node:child_process';
import { delimiter, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildConsole } from './build-console.ts';
import { chromiumProgram, natsProgram } from './lane-programs.ts';

interface Lane {
  readonly files: readonly string[];
  /** What it needs, as people call it. */
  readonly needs: string;
  readonly program: string | undefined;
  readonly install: string;
  readonly env?: Record<string, string>;
}

const nats = {
  needs: 'nats-server',
  program: natsProgram(),
  install: 'apt-get install nats-server, or https://docs.nats.io/running-a-nats-service',
};

const lanes: Readonly<Record<string, Lane>> = {
  nats: { ...nats, files: ['nats', 'nodes', 'soak'].map((name) => `test/lanes/${name}.test.ts`) },
  // Tests of `npm test`, run again with `startService()` starting two gateways on one database behind a balancer that
  // sends each request to the other one. None of them is left out. Not among them, because a node answers for itself:
  // tests of limits that each node counts alone (rate-limits, connection-limits, request-limits) and of what goes on
  // inside one (feed-hub, feed-memory, metrics, remembered-tokens); test/scale/two-nodes.test.ts is for two by itself, and
  // test/lanes/page-nodes.test.ts kills two that are processes.
  'two-nodes': {
    ...nats,
    files: [
      'test/rooms',
      'test/faults/idempotency',
      'test/subscriptions/lost-rights',
      'test/mcp/follow',
      'test/lanes/page-nodes.test.ts',
    ],
    env: { SVC_TEST_NODES: '2' },
  },
  browser: {
    files: [
      ...['browser', 'ceremonies', 'console', 'console-pages', 'console-people', 'console-rooms', 'console-rows'],
      ...['hosted', 'hosted-passkeys', 'notes-example', 'passkeys', 'social-browser'],
    ].map((name) => `test/lanes/${name}.test.ts`),
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

const outcomes: string[] = [];
let failed = false;
for (const [name, { files, needs, program, install, env = {} }] of Object.entries(lanes)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  if (program === undefined) {
    failed ||= process.env.CI === 'true';
    outcomes.push(`Lane ${name} did not run: ${needs} is not installed (${install}).`);
    continue;
  }
  // Once, before several files of the lane might.
  if (name === 'browser') await buildConsole();
  const { status } = spawnSync('vitest', ['run', ...files], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    stdio: 'inherit',
    env: {
      ...process.env,
      SVC_TEST_LANES: '1',
      ...env,
      // Last, for it may be a folder full of other things.
      PATH: [process.env.PATH, dirname(program)].join(delimiter),
    },
  });
  failed ||= status !== 0;
  outcomes.push(`Lane ${name} ${status === 0 ? 'passed' : 'FAILED'}.`);
}
for (const outcome of outcomes) say(outcome);
process.exit(failed ? 1 : 0);
