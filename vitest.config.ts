import { defineConfig } from 'vitest/config';

/** `npm test` needs nothing but npm; what needs more is a lane of its own (`npm run test:lanes`). */
const lanes = process.env.SVC_TEST_LANES === '1';

/** What the lane `two-nodes` runs again, each request on another of two gateways; see scripts/lanes.ts. */
const acrossNodes = ['test/rooms/**/*.test.ts', 'test/faults/idempotency*.test.ts'];
const nodes = process.env.SVC_TEST_NODES !== undefined;

export default defineConfig({
  // As Node itself resolves: with Vite's own `module` condition GraphQL.js would be loaded a second time.
  ssr: { resolve: { conditions: ['node', 'module-sync', 'default'] } },
  test: {
    include: nodes ? acrossNodes : [lanes ? 'test/lanes/**/*.test.ts' : 'test/**/*.test.ts'],
    exclude: lanes ? [] : ['test/lanes/**', 'node_modules/**'],
    globalSetup: 'test/helpers/global-setup.ts',
    // Two files at a time suit the two cores these tests are planned for; each file has a database of its own.
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 30_000,
    coverage: {
      provider: 'v8',
      include: ['resolvers/**', 'subscriptions/**', 'rest-compat/**'],
      reporter: ['text-summary', 'json-summary'],
      thresholds: { lines: 90 },
    },
  },
});
