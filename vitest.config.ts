import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { LongestFirst } from './test/helpers/longest-first.ts';

/** `npm test` needs nothing but npm; what needs more is a lane of its own (`npm run test:lanes`). */
const lanes = process.env.SVC_TEST_LANES === '1';

/** The lane `two-nodes`, where each request goes to another of two gateways; see scripts/lanes.ts. */
const acrossNodes = [
  'test/rooms/**/*.test.ts',
  'test/faults/idempotency*.test.ts',
  'test/subscriptions/lost-rights.test.ts',
  'test/mcp/follow.test.ts',
  'test/lanes/page-nodes.test.ts',
];
const nodes = process.env.SVC_TEST_NODES !== undefined;

const include = nodes ? acrossNodes : [lanes ? 'test/lanes/**/*.test.ts' : 'test/**/*.test.ts'];
const exclude = lanes ? ['**/node_modules/**'] : ['test/lanes/**', 'node_modules/**'];
const ownModules = 'test/**/*.own-modules.test.ts';
const globalSetup = 'test/helpers/global-setup.ts';
const setupFiles = 'test/helpers/each-file.ts';

const project = (name: string, test: TestProjectInlineConfiguration['test']) => ({
  extends: true as const,
  test: { ...test, name },
});

export default defineConfig({
  // As Node itself resolves: with Vite's own `module` condition GraphQL.js would be loaded a second time.
  ssr: { resolve: { conditions: ['node', 'module-sync', 'default'] } },
  test: {
    // Three files at a time suit the two cores these tests are planned for, since many wait for a process or a clock; each
    // file has a database of its own.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    projects: [
      // Files of one worker share its modules: to load them anew for each took a quarter of the run.
      project('shared modules', {
        include,
        exclude: [...exclude, ownModules],
        isolate: false,
        globalSetup,
        setupFiles,
      }),
      // Files that count on modules nobody has loaded or used before, or that replace some; none of them needs Postgres.
      project('own modules', { include: nodes || lanes ? [] : [ownModules], exclude, isolate: true }),
    ],
    testTimeout: 60_000,
    // What is waited for is there at once on a machine that has nothing else to do; how soon is no test's matter.
    expect: { poll: { timeout: 20_000 } },
    hookTimeout: 60_000,
    teardownTimeout: 30_000,
    coverage: {
      provider: 'v8',
      include: ['kernel/**', 'resolvers/**', 'subscriptions/**', 'rest-compat/**', 'agents/**'],
      reporter: ['text-summary', 'json-summary'],
      thresholds: { lines: 90 },
    },
  },
});
