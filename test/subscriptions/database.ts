import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../../db/embedded/start.ts';
import { migrateControlDatabase } from '../../db/migrate.ts';

/** A Postgres of its own for one test file, with the control database's tables. */
export async function startTestDatabase() {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-subscriptions-'));
  const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };
  const server = await startEmbeddedPostgres({ dataDir, settings });
  await migrateControlDatabase(server.url);
  return {
    url: server.url,
    stop: async () => {
      await server.stop();
      await rm(server.dataDir, { recursive: true, force: true });
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
