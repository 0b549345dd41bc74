import { rm } from 'node:fs/promises';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../db/embedded/start.ts';
import { memoryFolder } from './memory-folder.ts';

/**
 * A Postgres server of a test file's own, for tests that break connections or look at the whole server.
 *
 * @param further settings of the server
 */
export async function startOwnPostgres(further: Readonly<Record<string, string>> = {}) {
  const dataDir = await memoryFolder('svc-own-postgres-');
  const server = await startEmbeddedPostgres({
    dataDir,
    settings: { fsync: 'off', max_wal_size: '256MB', ...further },
  });
  const admin = new pg.Client({ connectionString: server.url });
  await admin.connect();
  let count = 0;
  return {
    /** Outside of every database that {@link database} makes. */
    admin,
    /** A new, empty database. */
    async database(): Promise<{ readonly name: string; readonly url: string }> {
      const name = `own_${++count}`;
      await admin.query(`create database ${name}`);
      const url = new URL(server.url);
      url.pathname = `/${name}`;
      return { name, url: url.href };
    },
    async stop(): Promise<void> {
      await admin.end();
      await server.stop();
      // As root the server of a closed checkout lives in a folder of its own elsewhere.
      for (const folder of [server.dataDir, dataDir]) await rm(folder, { recursive: true, force: true });
    },
  };
}
