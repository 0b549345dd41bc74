import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { LongestFirst } from './test/helpers/longest-first.ts';

/** The lane `two-nodes`, where each request goes to another of two gateways; see scripts/tests/lanes.ts. */
const acrossNodes = [
  'test/rooms/**/*.test.ts',
  'test/faults/idempotency*.test.ts',
  'test/subscriptions/lost-rights.full.test.ts',
  'test/mcp/follow.full.test.ts',
  'test/lanes/page-nodes.test.ts',
];
const nodes = process.env.SVC_TEST_NODES !== undefined;

/** The name of a file says what it belongs to; CONTRIBUTING.md has the table. */
const full = 'test/**/*.full.test.ts';
const walks = 'test/**/*.walk.test.ts';
const ownModules = 'test/**/*.own-modules.test.ts';
const smoke = 'test/smoke/**/*.test.ts';
const lanes = 'test/lanes/**/*.test.ts';
const installed = '**/node_modules/**';

/**
 * Files of one worker share its modules, as Node itself loads them: to load them anew for each took a quarter of a run,
 * and what Vite makes of them runs slower than what is served.
 */
const sharedModules = {
  isolate: false,
  setupFiles: 'test/helpers/each-file.ts',
  experimental: { viteModuleRunner: false },
};

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
    // One Postgres server and one build of the programs, whichever projects run.
    globalSetup: 'test/helpers/global-setup.ts',
    projects: [
      project('gate', {
        ...sharedModules,
        include: ['test/**/*.test.ts'],
        exclude: [full, walks, ownModules, smoke, lanes, installed],
      }),
      // Walks over all there is, by samples in `npm test`, and whole in `npm run test:all`.
      project('samples', {
        ...sharedModules,
        include: [walks],
        exclude: [installed],
        provide: { wholeWalks: false },
      }),
      project('full', {
        ...sharedModules,
        include: [full, walks],
        exclude: [lanes, installed],
        provide: { wholeWalks: true },
      }),
      // Files that count on modules nobody has loaded or used before, or that replace some; none of them needs Postgres.
      project('own modules', { isolate: true, include: [ownModules], exclude: [installed] }),
      // Files that need a program from outside npm.
      project('smoke', { ...sharedModules, include: [smoke], exclude: [installed] }),
      project('lanes', { ...sharedModules, include: nodes ? acrossNodes : [lanes], exclude: [installed] }),
    ],
    testTimeout: 300_000,
    // What is waited for is there at once on a machine that has nothing else to do; how soon is no test's matter.
    expect: { poll: { timeout: 60_000 } },
    hookTimeout: 300_000,
    teardownTimeout: 30_000,
    coverage: {
      provider: 'v8',
      include: ['kernel/**', 'resolvers/**', 'subscriptions/**', 'rest-compat/**', 'agents/**'],
      reporter: ['text-summary', 'json-summary'],
      thresholds: { lines: 90 },
    },
  },
});
