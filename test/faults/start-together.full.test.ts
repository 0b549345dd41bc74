import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, afterEach, expect, inject, onTestFinished, test } from 'vitest';
import { ensureDatabase } from '../../db/ensure-database.ts';
import {
  type GatewayProcess,
  killGateways,
  type Refusal,
  startGateway,
  temporaryFolder,
  tryGateway,
} from '../helpers/gateway-process.ts';
import { knownMigrations } from '../helpers/known-migrations.ts';

const serverUrl = inject('postgresUrl');
const folder = await temporaryFolder();
afterEach(() => killGateways());
afterAll(() => folder.remove());

async function withClient<Result>(url: string, run: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await run(client);
  } finally {
    await client.end();
  }
}

/** A database with nothing in it, for one test. */
async function emptyDatabase(): Promise<string> {
  const name = `empty_${randomBytes(6).toString('hex')}`;
  onTestFinished(async () => {
    await killGateways();
    await withClient(serverUrl, (client) => client.query(`drop database if exists ${name} with (force)`));
  });
  return ensureDatabase(serverUrl, name);
}

const count = async (url: string, table: string) =>
  withClient(
    url,
    async (client) => (await client.query(`select count(*)::int as n from ${table}`)).rows[0].n as number,
  );

test('of three gateways that start at once on an empty database one serves, the others name NATS_URL', async () => {
  const databaseUrl = await emptyDatabase();
  const outcomes = await Promise.all([1, 2, 3].map(() => tryGateway({ databaseUrl, dataDir: folder.path })));
  const serving = outcomes.filter((one): one is GatewayProcess => 'url' in one);
  const refused = outcomes.filter((one): one is Refusal => !('url' in one));
  expect([serving.length, refused.length]).toEqual([1, 2]);
  for (const { code, stderr } of refused) {
    expect(code).toBe(1);
    expect(stderr).toMatch(/^svc: Another gateway serves this database; [^\n]*NATS_URL[^\n]*\.\n$/);
  }
  expect(await count(databaseUrl, 'drizzle.__drizzle_migrations')).toBe(await knownMigrations());
  expect((await serving[0]!.call({ headers: async () => ({}) }, 'GET', '/readyz')).status).toBe(200);
  // Its place is free again once it is gone, however it went.
  await serving[0]!.kill();
  expect(await (await startGateway({ databaseUrl, dataDir: folder.path })).stop()).toBe(0);
});

test('three processes that make the tables at once make each of them once', async () => {
  const databaseUrl = await emptyDatabase();
  const install = fileURLToPath(new URL('./fixtures/install-database.ts', import.meta.url));
  const run = promisify(execFile);
  const said = await Promise.all([1, 2, 3].map(() => run(process.execPath, [install, databaseUrl])));
  const known = await knownMigrations();
  expect(said.map(({ stdout }) => Number(stdout)).sort((left, right) => left - right)).toEqual([0, 0, known]);
  expect(said.map(({ stderr }) => stderr)).toEqual(['', '', '']);
  expect(await count(databaseUrl, 'drizzle.__drizzle_migrations')).toBe(known);
  expect(await count(databaseUrl, 'graphile_worker.migrations')).toBeGreaterThan(0);
});
