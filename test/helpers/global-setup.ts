import { rm } from 'node:fs/promises';
import type { TestProject } from 'vitest/node';
import { startEmbeddedPostgres } from '../../db/embedded/start.ts';
import { ensureDatabase } from '../../db/ensure-database.ts';
import { migrateControlDatabase } from '../../db/migrate.ts';
import { natsProgram } from '../../scripts/lane-programs.ts';
import { installJobs } from '../../server/workers.ts';
import { buildPrograms, type Programs } from './build-programs.ts';
import { memoryFolder } from './memory-folder.ts';
import { type NatsServer, startNats } from './nats-server.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Superuser URL of the run's Postgres server. */
    readonly postgresUrl: string;
    /** NATS between the nodes of a service that has several; nobody answers there where the run has none. */
    readonly natsUrl: string;
    /** What tests start as processes. */
    readonly programs: Programs;
  }
}

/** The migrated control database that every file's own is cloned from. */
export const templateDatabase = 'control_template';

/** The port for things to be thrown away: no NATS server listens there. */
const nobody = 'nats://127.0.0.1:9';

/** What is lost with the machine may be lost, and nobody comes back to a database to find it swept. */
const thrownAway = {
  max_connections: '400',
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  // Its folder may be in memory.
  max_wal_size: '1GB',
  checkpoint_timeout: '1h',
  autovacuum: 'off',
  jit: 'off',
};

/** One Postgres server and one build of the programs for the whole run, in temporary folders. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const building = buildPrograms();
  // Awaited below; until then it is nobody's unheard failure.
  building.catch(() => undefined);
  const dataDir = await memoryFolder('svc-test-');
  const postgres = await startEmbeddedPostgres({ dataDir, settings: thrownAway });
  const template = await ensureDatabase(postgres.url, templateDatabase);
  await migrateControlDatabase(template);
  await installJobs(template);
  project.provide('postgresUrl', postgres.url);
  let nats: NatsServer | undefined;
  if (process.env.SVC_TEST_NODES !== undefined && natsProgram() !== undefined) nats = await startNats();
  project.provide('natsUrl', nats?.url ?? nobody);
  const { remove, ...programs } = await building;
  project.provide('programs', programs);
  return async () => {
    await nats?.stop();
    await postgres.stop();
    await remove();
    for (const folder of [postgres.dataDir, dataDir]) await rm(folder, { recursive: true, force: true });
  };
}
