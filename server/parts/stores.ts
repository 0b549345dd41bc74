import { KeyRing } from '../../core/keys.ts';
import { createDatabaseClock } from '../../db/database-clock.ts';
import { FeedEpoch } from '../../db/feed-epoch.ts';
import { migrateControlDatabase } from '../../db/migrate.ts';
import { acquireNodeLock } from '../../db/node-lock.ts';
import { createPool, openDatabase } from '../../db/pool.ts';
import { ProjectDatabases } from '../../db/project-databases.ts';
import { ProjectPools } from '../../db/project-pools.ts';
import { checkRootFingerprint } from '../../db/root-fingerprint.ts';
import { createIdleConnections } from '../idle-connections.ts';
import { installJobs } from '../workers.ts';
import type { Start } from './part.ts';

/** Longest a statement to the control database may take, in milliseconds; none should take a thousandth of it. */
const statementMs = 20_000;

/** Longest a statement to a project server may take, in milliseconds: making a database copies files. */
const projectStatementMs = 60_000;

/** How long the database is given to answer a look at its health or its clock, in milliseconds. */
const lookMs = 2_000;

export type Stores = Awaited<ReturnType<typeof openStores>>;

/**
 * The databases, the keys that are derived from the root secret, and the clock: the control database is this node's and
 * of this version, and so is every project server, once this resolves.
 *
 * @throws NodeLockError, DatabaseVersionError, RootMismatchError
 */
export async function openStores({ options, lifecycle, metrics }: Start) {
  const { config, databaseUrl, roots, log, onNotice, waitMs } = options;
  const nodeLock = await acquireNodeLock({ url: databaseUrl, shared: config.natsUrl !== undefined, log });
  lifecycle.onClose(nodeLock.release);
  await migrateControlDatabase(databaseUrl);
  await installJobs(databaseUrl);

  const warn = (message: string, facts: Record<string, unknown>) => log.warn(facts, message);
  const onStatement = (text: string) => {
    metrics.statementSent();
    options.onStatement?.(text);
  };
  const onIdleError = createIdleConnections({ warn, isStopping: () => lifecycle.isStopping });
  const watchPool = createPool({
    url: databaseUrl,
    max: 1,
    waitMs: lookMs,
    statementMs: lookMs,
    name: 'svc-gateway health',
  });
  lifecycle.onClose(() => watchPool.end());
  const clock = await createDatabaseClock({ pool: watchPool, warn });
  lifecycle.onClose(clock.close);

  const keys = new KeyRing(...roots);
  const feedEpoch = new FeedEpoch(keys);
  const db = openDatabase({
    url: databaseUrl,
    check: feedEpoch,
    max: 20,
    statementMs,
    ...(waitMs === undefined ? {} : { waitMs }),
    onStatement,
    onIdleError: (error) => onIdleError('control', error),
    onNotice,
  });
  lifecycle.onClose(db.close);
  metrics.watchPool(() => ({ total: db.pool.totalCount, idle: db.pool.idleCount, waiting: db.pool.waitingCount }));

  await checkRootFingerprint(db, keys);
  await feedEpoch.begin(watchPool);
  const projectDatabases = new ProjectDatabases({
    servers: config.projectDatabaseUrls ?? { main: databaseUrl },
    keys,
    statementMs: projectStatementMs,
    onStatement,
    onIdleError: (error, server) => onIdleError(`projects on ${server}`, error),
    warn,
  });
  lifecycle.onClose(() => projectDatabases.close());
  await projectDatabases.bootstrap();

  const projectPools = new ProjectPools({ databases: projectDatabases, onStatement, warn });
  lifecycle.onClose(() => projectPools.close());
  const authPools = new ProjectPools({
    databases: projectDatabases.authLogins,
    perProject: 4,
    max: 30,
    batchMs: 10_000,
    onStatement,
    warn,
  });
  lifecycle.onClose(() => authPools.close());

  return { nodeLock, watchPool, now: clock.now, db, keys, feedEpoch, projectDatabases, projectPools, authPools };
}
