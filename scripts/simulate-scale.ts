/**
 * Grows an installation to 100,000 organizations and 1,000,000 projects, and says at each size how large the tables are
 * and what hot requests cost the control database: pages looked at, time in Postgres, plans. See docs/scale.md.
 *
 * Usage: npm run simulate [-- --steps 1,10,100 --organizations 1000 --times 30]
 */
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { pino } from 'pino';
import { startEmbeddedPostgres } from '../db/embedded/start.ts';
import { ensureDatabase } from '../db/ensure-database.ts';
import { migrateControlDatabase } from '../db/migrate.ts';
import { templateName } from '../db/project-template.ts';
import { type App, type AppOptions, startApp } from '../server/app.ts';
import { readConfig } from '../server/config.ts';
import { installJobs } from '../server/workers.ts';
import { costOfBackstops } from './scale/backstops.ts';
import { capturePlans, explainEverything, explainNothing } from './scale/captured-plans.ts';
import { fill, projectsPerOrg, type Size } from './scale/fill.ts';
import { bigTables, type Cost, costOf, tableSizes, timeOf } from './scale/measure.ts';
import { reportOf } from './scale/report.ts';
import { hotRequests } from './scale/requests.ts';
import type { Step } from './scale/step.ts';

/** A table of more rows must not be read from end to end to answer a client. */
const bigTableRows = 5_000;

const { values: options } = parseArgs({
  options: {
    /** Organizations at size 1; projects are ten times as many. */
    organizations: { type: 'string', default: '1000' },
    /** Sizes one after the other, as multiples of the first. */
    steps: { type: 'string', default: '1,10,100' },
    /** How often each request is measured. */
    times: { type: 'string', default: '30' },
  },
});
const times = Number(options.times);
const sizes = options.steps.split(',').map(
  (step): Size => ({
    organizations: Number(options.organizations) * Number(step),
    bigRoomMessages: 10_000 * Number(step),
    bigRoomPresences: 200 * Number(step),
  }),
);

const startedAt = performance.now();
const say = (what: string) =>
  void process.stderr.write(`${((performance.now() - startedAt) / 1000).toFixed(0).padStart(4)} s  ${what}\n`);

const folder = await mkdtemp(join(tmpdir(), 'svc-scale-'));
// Postgres runs as another user when this runs as root, and has to get in.
await chmod(folder, 0o755);
const postgres = await startEmbeddedPostgres({
  dataDir: folder,
  settings: {
    shared_buffers: '1GB',
    // The rows are worth nothing tomorrow; statistics are taken when the filling says so, and at no other time.
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
    max_wal_size: '512MB',
    autovacuum: 'off',
    maintenance_work_mem: '256MB',
  },
});
let clearing: Promise<void> | undefined;
const clear = () =>
  (clearing ??= (async () => {
    await postgres.stop();
    for (const path of [postgres.dataDir, folder]) await rm(path, { recursive: true, force: true, maxRetries: 5 });
  })());
for (const event of ['SIGINT', 'SIGTERM']) process.once(event, () => void clear().finally(() => process.exit(1)));

const databaseName = 'svc';
const root = randomBytes(32);

/** Lets a gateway serve the database while `run` runs. */
async function withGateway<Result>(
  databaseUrl: string,
  run: (app: App) => Promise<Result>,
  hooks: Pick<AppOptions, 'onNotice' | 'jobs'> = {},
): Promise<Result> {
  const app = await startApp({
    ...hooks,
    config: readConfig({ PORT: '0', DATABASE_URL: databaseUrl }),
    databaseUrl,
    roots: [root],
    version: 'simulation',
    log: pino({ level: 'silent' }),
  });
  try {
    return await run(app);
  } finally {
    await app.stop();
  }
}

async function measure(databaseUrl: string, client: pg.Client, size: Size): Promise<Step> {
  const tables = await tableSizes(client);
  const big = bigTables(tables, bigTableRows);
  const { rows } = await client.query<{ bytes: number }>(
    'select pg_database_size(current_database())::float8 as bytes',
  );
  say('asking, with plans');
  await explainEverything(client, databaseName);
  const plans = capturePlans();
  const { costs, backstops } = await withGateway(
    databaseUrl,
    async ({ url, services }) => {
      const found: Cost[] = [];
      for (const request of hotRequests({ url, services, size }))
        found.push(await costOf(request, { plans, big, times }));
      return { costs: found, backstops: await costOfBackstops(services, plans, size) };
    },
    // Housekeeping and sweeps would come in between.
    { onNotice: plans.hear, jobs: false },
  );
  await explainNothing(client, databaseName);
  say('asking, by the clock');
  const { clocked, connections } = await withGateway(databaseUrl, async ({ url, services }) => {
    const requests = hotRequests({ url, services, size });
    const found: number[] = [];
    for (const request of requests) found.push(await timeOf(request, times));
    const crowd = requests.flatMap((request) => Array.from({ length: 10 }, () => request.ask()));
    await Promise.all(crowd);
    const { rows: names } = await client.query<{ name: string; count: number }>(
      `select application_name as name, count(*)::int as count from pg_stat_activity
       where application_name like 'svc-gateway%' group by 1 order by 1`,
    );
    return { clocked: found, connections: names };
  });
  for (const { name, seqScans } of costs) {
    for (const scan of seqScans)
      if (big.has(scan.split(':')[0]!)) say(`${name} READS A TABLE FROM END TO END: ${scan}`);
  }
  const { rows: template } = await client.query<{ bytes: number }>('select pg_database_size($1)::float8 as bytes', [
    templateName,
  ]);
  return {
    size,
    tables,
    connections,
    emptyProjectBytes: template[0]!.bytes,
    databaseBytes: rows[0]!.bytes,
    costs: costs.map((cost, index) => ({ ...cost, requestMs: clocked[index]! })),
    backstops,
  };
}

try {
  const databaseUrl = await ensureDatabase(postgres.url, databaseName);
  await migrateControlDatabase(databaseUrl);
  await installJobs(databaseUrl);
  const client = new pg.Client({ connectionString: databaseUrl });
  // Ends with the server when something fails: what failed is what is told.
  client.on('error', () => undefined);
  await client.connect();
  const steps: Step[] = [];
  let from: Size = { organizations: 0, bigRoomMessages: 0, bigRoomPresences: 0 };
  for (const to of sizes) {
    say(`${to.organizations} organizations, ${to.organizations * projectsPerOrg} projects`);
    await fill(client, { from, to, say });
    steps.push(await measure(databaseUrl, client, to));
    // Measuring has sent some messages.
    const [head] = (
      await client.query<{ position: string }>(
        `select position from feed_heads where kind = 'room' and feed_id = 'big'`,
      )
    ).rows;
    from = { ...to, bigRoomMessages: Number(head!.position) };
  }
  await client.end();
  process.stdout.write(reportOf(steps));
} finally {
  await clear();
}
