import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { capturePlans, explainEverything } from '../../scripts/scale/captured-plans.ts';
import { fill, type Size } from '../../scripts/scale/fill.ts';
import { bigTables, costOf, tableSizes } from '../../scripts/scale/measure.ts';
import { hotRequests } from '../../scripts/scale/requests.ts';
import { startApp } from '../../server/app.ts';
import { readConfig } from '../../server/config.ts';
import { createControlDatabase } from '../helpers/control-database.ts';

// Plans depend on sizes and statistics: these are large enough that reading a table from end to end would be the worse
// plan. `npm run simulate` does the same with a million projects.
const size: Size = { organizations: 1_000, bigRoomMessages: 5_000, bigRoomPresences: 2_000 };
/** A table of fewer rows is a handful of pages, which nobody minds reading. */
const bigTableRows = 2_000;

const control = await createControlDatabase();
const admin = new pg.Client({ connectionString: control.url });
await admin.connect();
await fill(admin, { from: { organizations: 0, bigRoomMessages: 0, bigRoomPresences: 0 }, to: size });
const big = bigTables(await tableSizes(admin), bigTableRows);
await explainEverything(admin, control.name);
const plans = capturePlans();
const app = await startApp({
  onNotice: plans.hear,
  config: readConfig({ PORT: '0', DATABASE_URL: control.url }),
  databaseUrl: control.url,
  roots: [randomBytes(32)],
  version: '0.0.0-test',
  log: pino({ level: 'silent' }),
  jobs: false,
});
beforeAll(() => expect(big.size).toBeGreaterThanOrEqual(10));
afterAll(async () => {
  await app.stop();
  await admin.end();
  await control.drop();
});

test.each(
  hotRequests({ url: app.url, services: app.services, size }).map((request) => [request.name, request] as const),
)('%s: reads no big table from end to end, and no more rows than its answer needs', async (_name, request) => {
  const cost = await costOf(request, { plans, big, times: 5 });
  expect(cost.statements).toBeGreaterThan(0);
  expect(cost.seqScans).toEqual([]);
  // Twice what was counted: by a few rows it depends on the time of day and on what was asked before, whereas what grows
  // with the data reads thousands here.
  expect(cost.rowsRead).toBeLessThanOrEqual(2 * request.rowsMax);
});
