import { createHash, randomBytes } from 'node:crypto';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';
import { afterAll, afterEach, expect, inject, onTestFinished, test } from 'vitest';
import { ensureDatabase } from '../../db/ensure-database.ts';
import { migrateControlDatabase } from '../../db/migrate.ts';
import { withClient } from '../../db/with-client.ts';
import { dumpSchema } from '../../engines/copies/dump-schema.ts';
import { killGateways, startGateway, temporaryFolder, tryGateway } from '../helpers/gateway-process.ts';
import { knownMigrations } from '../helpers/known-migrations.ts';

interface Migration {
  readonly tag: string;
  readonly when: number;
  readonly sql: string;
}

const fixture: { readonly migrations: string } = JSON.parse(
  await readFile(new URL('./fixtures/unreleased-migrations.json', import.meta.url), 'utf8'),
);
/** The migrations before the first release, which `db/migrations` sums up in one. */
const unreleased: readonly Migration[] = JSON.parse(
  brotliDecompressSync(Buffer.from(fixture.migrations, 'base64')).toString(),
);

const serverUrl = inject('postgresUrl');
const folder = await temporaryFolder();
afterEach(() => killGateways());
afterAll(() => folder.remove());

async function emptyDatabase(): Promise<string> {
  const name = `squash_${randomBytes(6).toString('hex')}`;
  onTestFinished(async () => {
    await killGateways();
    await withClient(serverUrl, (client) => client.query(`drop database if exists ${name} with (force)`));
  });
  return ensureDatabase(serverUrl, name);
}

/** A database as the first so many of the unreleased migrations leave it, recorded as drizzle's migrator does. */
async function databaseAt(count: number): Promise<string> {
  const url = await emptyDatabase();
  await withClient(url, async (client) => {
    await client.query(
      'create schema drizzle; create table drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)',
    );
    for (const { sql, when } of unreleased.slice(0, count)) {
      for (const statement of sql.split('--> statement-breakpoint')) await client.query(statement);
      await client.query('insert into drizzle.__drizzle_migrations (hash, created_at) values ($1, $2)', [
        createHash('sha256').update(sql).digest('hex'),
        when,
      ]);
    }
  });
  return url;
}

/** What the real pg_dump says of all definitions, and the rows that are there, table by table. */
const contents = (url: string) =>
  withClient(url, async (client) => {
    await client.query('begin isolation level repeatable read');
    const snapshot = (await client.query<{ id: string }>('select pg_export_snapshot() as id')).rows[0]!.id;
    const dump = { url, snapshot, lockMs: 10_000 } as const;
    const before = await dumpSchema({ ...dump, section: 'pre-data' });
    const after = await dumpSchema({ ...dump, section: 'post-data' });
    const tables = await client.query<{ name: string }>(
      `select format('%I', relname) as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`,
    );
    const rows: Record<string, unknown[]> = {};
    for (const { name } of tables.rows) {
      const found = await client.query(`select t::text as row from ${name} t order by 1`);
      rows[name] = found.rows;
    }
    return { before, after, rows };
  });

const recorded = (url: string) =>
  withClient(
    url,
    async (client) => (await client.query('select * from drizzle.__drizzle_migrations order by id')).rows,
  );

test('the one migration makes what the unreleased ones made, to the byte', async () => {
  const [chain, fresh] = [await databaseAt(unreleased.length), await emptyDatabase()];
  // It makes the partitions of events in both, and passes over the first migration in the one that has it.
  const known = await knownMigrations();
  expect([await migrateControlDatabase(chain), await migrateControlDatabase(fresh)]).toEqual([known - 1, known]);
  const expected = await contents(chain);
  expect(expected.before).toContain('refuse_ledger_change');
  expect(expected.after).toContain('ledger_entries_append_only');
  expect(await contents(fresh)).toEqual(expected);
});

test('a database with all unreleased migrations starts, gets those that came later and keeps its rows', async () => {
  const databaseUrl = await databaseAt(unreleased.length);
  await withClient(databaseUrl, (client) =>
    client.query(`insert into principals (id, type, display_name) values ('kept', 'human', 'Kept')`),
  );
  const before = await recorded(databaseUrl);
  const gateway = await startGateway({ databaseUrl, dataDir: folder.path });
  expect((await gateway.call({ headers: async () => ({}) }, 'GET', '/readyz')).status).toBe(200);
  expect(await gateway.stop()).toBe(0);
  const after = await recorded(databaseUrl);
  expect(after.slice(0, before.length)).toEqual(before);
  expect(after).toHaveLength(before.length + (await knownMigrations()) - 1);
  const kept = await withClient(databaseUrl, (client) =>
    client.query(`select type, display_name from principals where id = 'kept'`),
  );
  expect(kept.rows).toEqual([{ type: 'human', display_name: 'Kept' }]);
});

test('a migration that comes after them applies once', async () => {
  const url = await databaseAt(unreleased.length);
  const next = join(folder.path, 'next');
  await cp(fileURLToPath(new URL('../../db/migrations', import.meta.url)), next, { recursive: true });
  const journalFile = join(next, 'meta/_journal.json');
  const journal = JSON.parse(await readFile(journalFile, 'utf8'));
  const { idx, when } = journal.entries.at(-1);
  journal.entries.push({ idx: idx + 1, version: '7', when: when + 1, tag: 'next', breakpoints: true });
  await writeFile(journalFile, JSON.stringify(journal));
  await writeFile(join(next, 'next.sql'), 'create table "comes_after" ("id" text primary key);');
  const known = journal.entries.length - 1;
  expect(await migrateControlDatabase(url, next)).toBe(known);
  expect(await migrateControlDatabase(url, next)).toBe(0);
  const made = await withClient(url, (client) =>
    client.query(`select to_regclass('comes_after') is not null as there`),
  );
  expect(made.rows).toEqual([{ there: true }]);
});

test.each([1, unreleased.length - 1])('a database at unreleased migration %i is refused, unchanged', async (count) => {
  const databaseUrl = await databaseAt(count);
  const before = await contents(databaseUrl);
  const { code, stderr } = (await tryGateway({ databaseUrl, dataDir: folder.path })) as {
    code: number;
    stderr: string;
  };
  expect(code).toBe(1);
  expect(stderr).toBe(
    'svc: This control database is too old for this version: make a backup, start commit 3cacc3c of the gateway on it once, then start this version again.\n',
  );
  expect(await contents(databaseUrl)).toEqual(before);
});
