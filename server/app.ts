import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { HeldAnswers } from '../core/held-answers.ts';
import { newId } from '../core/ids.ts';
import { KeyRing } from '../core/keys.ts';
import { migrateControlDatabase } from '../db/migrate.ts';
import { acquireNodeLock } from '../db/node-lock.ts';
import { type NoticeHook, openDatabase, type StatementHook } from '../db/pool.ts';
import { ProjectDatabases } from '../db/project-databases.ts';
import { ProjectPools } from '../db/project-pools.ts';
import { restoreEpoch } from '../db/restore-epoch.ts';
import { checkRootFingerprint } from '../db/root-fingerprint.ts';
import { createArchives } from '../engines/bundles/archives.ts';
import { jsonFile } from '../engines/bundles/bundle-file.ts';
import { gatewayVersion } from '../engines/bundles/gateway-version.ts';
import { createChains } from '../engines/chains/chains.ts';
import { createSigner, type Signer } from '../engines/licences/signer.ts';
import { derivedSigningKeys } from '../engines/licences/signing-keys.ts';
import { createMailer } from '../engines/mail.ts';
import { createPasswordHasher } from '../engines/passwords/hasher.ts';
import { createSqlReader } from '../engines/reading/sql-reader.ts';
import { SchemaCaches } from '../engines/rows/schema-caches.ts';
import { createIdentityProviders } from '../engines/sign-in/identity-providers.ts';
import { createAuditor } from '../engines/site-audit/auditor.ts';
import type { TrialNetwork } from '../engines/site-audit/fetch/document.ts';
import { ownToken } from '../engines/site-audit/robots/user-agents.ts';
import { createPaymentProcessor } from '../engines/x402/payment-processor.ts';
import { standingProjects } from '../kernel/access/project-target.ts';
import { RateLimiter } from '../kernel/limits/rate-limit.ts';
import { createUsageCounter } from '../kernel/limits/usage-counter.ts';
import type { ServiceSettings, Services } from '../kernel/run/context.ts';
import { operations } from '../resolvers/index.ts';
import { keepLeaseMode } from '../resolvers/orgs/shared/lease-mode.ts';
import { noteLaunch } from '../resolvers/payments/launch.ts';
import { payments } from '../resolvers/payments/payments.ts';
import { createSenderTurns } from '../resolvers/payments/sender-turns.ts';
import { settlementAddress } from '../resolvers/payments/shared/settlement-address.ts';
import { startMessageMirror } from '../resolvers/rooms/start-message-mirror.ts';
import { authRoutes } from '../rest-compat/auth/routes.ts';
import { confirmPages } from '../rest-compat/confirm-pages.ts';
import { RestRoutes } from '../rest-compat/handle.ts';
import { routes } from '../rest-compat/routes.ts';
import { ceremonyRoutes } from '../rest-compat/sessions/routes.ts';
import { Engine } from '../schema/engine/engine.ts';
import { ProjectSchemas } from '../schema/project/project-schemas.ts';
import { schema } from '../schema/schema.ts';
import { createGraphQLServer } from '../schema/yoga.ts';
import { createAuthorityWatch } from '../subscriptions/authority.ts';
import { createFeedHub } from '../subscriptions/feed-hub.ts';
import { createIncidentWatch } from '../subscriptions/incident-watch.ts';
import { createLiveHub } from '../subscriptions/live/live-hub.ts';
import { natsSignals } from '../subscriptions/nats-signals.ts';
import { localSignals } from '../subscriptions/signals.ts';
import type { Config } from './config.ts';
import { ConnectionLimit } from './connection-limit.ts';
import { createHealth } from './health.ts';
import { sweepAbandoned } from './housekeeping.ts';
import { createHttpServer } from './http.ts';
import { createMetrics } from './metrics.ts';
import { describeApi } from './openapi.ts';
import { attachSockets } from './sockets.ts';
import { tenantNames } from './tenant-name.ts';
import { localBaseUrl } from './welcome.ts';
import { installJobs, jobContext, startWorkers } from './workers.ts';

/** Nobody's wallet. */
const zeroAddress = '0x0000000000000000000000000000000000000000';

/** How long a step operation is believed to be worked on, in seconds. */
const stepLeaseSeconds = 15;

/** Longest a statement to the control database may take, in milliseconds; none should take a thousandth of it. */
const statementMs = 20_000;

/** Longest a statement to a project server may take, in milliseconds: making a database copies files. */
const projectStatementMs = 60_000;

/** Longest wait for requests that are under way, in milliseconds. */
const drainMs = 3_500;

/** Longest wait for requests, jobs and whatever else is under way, in milliseconds; each has less than that for itself. */
const drainedMs = 4_200;

/** Longest the closing of everything else may take together, in milliseconds; a statement without an answer may hang. */
const closeMs = 1_000;

export interface AppOptions {
  readonly config: Config;
  /** The control database. */
  readonly databaseUrl: string;
  /** Root secrets, current first. */
  readonly roots: readonly Buffer[];
  readonly version: string;
  readonly log: Logger;
  /** Told of every statement to the control database; for tests that count them. */
  readonly onStatement?: StatementHook;
  /** Told what the control database says beside its answers; for tests that look at plans. */
  readonly onNotice?: NoticeHook;
  /** How long a request waits for a connection to the control database, in milliseconds. @default 5_000 */
  readonly waitMs?: number | undefined;
  /** Sites that audits find on this machine; for tests alone, and no setting leads here. */
  readonly auditTrial?: TrialNetwork | undefined;
  /** Whether background jobs run here; not in tests that count what requests send. @default true */
  readonly jobs?: boolean;
}

export interface App {
  /** Where the server listens, without a trailing slash. */
  readonly url: string;
  readonly services: Services;
  /** Drains, and closes everything that was opened; takes five seconds at most, whatever hangs. Idempotent. */
  readonly stop: () => Promise<void>;
}

/**
 * Wires the whole gateway and starts it: database first, then what stands on it, and the port last, when it can serve.
 * Whatever was opened before a failure is closed again.
 */
export async function startApp(options: AppOptions): Promise<App> {
  const { config, databaseUrl, roots, version, log } = options;
  /** Lets what is under way come to its end; each knows its own patience. */
  const drains = new Map<string, () => Promise<void>>();
  const undo: (() => unknown)[] = [];
  const closeCleanly = async (close: () => unknown) => {
    try {
      await close();
    } catch (error) {
      log.warn({ err: error }, 'Something did not close cleanly.');
    }
  };
  const stop = runOnce(async () => {
    const drained = [...drains].map(async ([name, drain]) => {
      await closeCleanly(drain);
      drains.delete(name);
    });
    await Promise.race([
      Promise.all(drained),
      sleep(config.drainSeconds * 1000 + drainedMs, undefined, { ref: false }),
    ]);
    if (drains.size > 0) log.warn({ parts: [...drains.keys()] }, 'Parts of the gateway did not end in time.');
    const closed = (async () => {
      for (const close of undo.reverse()) await closeCleanly(close);
    })();
    if ((await Promise.race([closed, sleep(closeMs, 'late', { ref: false })])) === 'late')
      log.warn('What is still open is left to the end of the process.');
  });
  try {
    const metrics = createMetrics();
    const nodeLock = await acquireNodeLock({ url: databaseUrl, shared: config.natsUrl !== undefined, log });
    undo.push(nodeLock.release);
    await migrateControlDatabase(databaseUrl);
    await installJobs(databaseUrl);

    const onStatement = (text: string) => {
      metrics.statementSent();
      options.onStatement?.(text);
    };
    const onIdleError = (error: Error) => log.warn({ err: error }, 'An idle database connection broke.');
    const { onNotice } = options;
    const { waitMs } = options;
    const pool = { max: 20, statementMs, ...(waitMs === undefined ? {} : { waitMs }) };
    const db = openDatabase({ url: databaseUrl, ...pool, onStatement, onIdleError, onNotice });
    undo.push(db.close);
    metrics.watchPool(() => ({ total: db.pool.totalCount, idle: db.pool.idleCount, waiting: db.pool.waitingCount }));

    const ring = new KeyRing(...roots);
    await checkRootFingerprint(db, ring);
    const keys = ring.sinceRestore(await restoreEpoch(db));
    const warn = (message: string, facts: Record<string, unknown>) => log.warn(facts, message);
    const projectDatabases = new ProjectDatabases({
      servers: config.projectDatabaseUrls ?? { main: databaseUrl },
      keys,
      statementMs: projectStatementMs,
      onStatement,
      onIdleError,
      warn,
    });
    undo.push(() => projectDatabases.close());
    await projectDatabases.bootstrap();

    const projectPools = new ProjectPools({ databases: projectDatabases, onStatement, warn });
    undo.push(() => projectPools.close());

    const authPools = new ProjectPools({
      databases: projectDatabases.authLogins,
      perProject: 4,
      max: 30,
      batchMs: 10_000,
      onStatement,
      warn,
    });
    undo.push(() => authPools.close());
    const passwords = createPasswordHasher();
    undo.push(passwords.close);
    const sqlReader = createSqlReader();
    undo.push(sqlReader.close);
    const contact = config.publicBaseUrl === undefined ? '' : ` (+${config.publicBaseUrl})`;
    const auditor = createAuditor({ userAgent: `${ownToken}/${version}${contact}`, trial: options.auditTrial });
    undo.push(auditor.close);

    const rest = new RestRoutes([...routes, ...authRoutes, ...ceremonyRoutes, ...confirmPages]);
    const signer = licenceSigner(config, keys);
    const archives = createArchives({
      root: fileURLToPath(new URL('..', import.meta.url)),
      version: gatewayVersion,
      made: async () => [
        jsonFile('jwks.json', { keys: (await signer)?.published ?? [] }),
        // Of any installation: whoever runs it is paid at a wallet of their own.
        jsonFile('openapi.json', JSON.parse(describeApi(rest, { baseUrl: undefined, payTo: zeroAddress }))),
      ],
    });
    undo.push(archives.close);
    await noteLaunch(db);
    const paymentProcessor = createPaymentProcessor({
      settlerKey: config.payments.settlerKey,
      facilitatorUrl: config.payments.facilitatorUrl,
      rpcUrls: config.payments.rpcUrls,
      confirmations: config.payments.confirmations,
      turns: createSenderTurns(db),
    });

    const signals = config.natsUrl === undefined ? localSignals() : natsSignals(config.natsUrl, { log });
    undo.push(signals.close);
    const draining = new AbortController();
    const feeds = createFeedHub({ db, signals, log, draining: draining.signal });
    undo.push(feeds.close);
    metrics.watchFeedFollowers(feeds.followed);
    // A right that has ended is noticed within five seconds, also when the signal is lost: the look itself takes time.
    const authority = createAuthorityWatch({ db, log, signals, everyMs: 4_000 });
    undo.push(authority.close);
    const incidents = createIncidentWatch({ db, log, signals });
    undo.push(incidents.close);
    await incidents.refresh();

    const now = () => new Date();
    const live = createLiveHub({
      db,
      keys,
      log,
      signals,
      databases: projectDatabases,
      pools: authPools,
      standing: (projectIds) => standingProjects({ db }, projectIds),
      now,
    });
    undo.push(live.close);

    // Closed once nothing is served any more, and before the database.
    const usage = createUsageCounter({ db, log });
    undo.push(usage.close);

    const settings: { -readonly [Name in keyof ServiceSettings]: ServiceSettings[Name] } = {
      publicBaseUrl: config.publicBaseUrl,
      mailBaseUrl: config.publicBaseUrl ?? `http://localhost:${config.port}`,
      platformDomain: config.platformDomain,
      sendsMail: config.smtpUrl !== undefined,
      settlementAddress: config.settlementAddress,
      tonSettlementAddress: config.payments.tonSettlementAddress,
      nearAgentsSecret: config.nearAgentsSecret,
      sellerName: config.sellerName,
      governingLaw: config.governingLaw,
      auditDefaultUrl: config.auditDefaultUrl,
      leases: config.leases,
      tierNetwork: config.tierNetwork,
      proofConfirmations: config.payments.confirmations.base ?? 1,
      adminKey: config.adminKey,
      stepLeaseSeconds,
    };
    const services: Services = {
      db,
      keys,
      log,
      projectDatabases,
      projectPools,
      authPools,
      passwords,
      identityProviders: createIdentityProviders({ settings: config.oidcProviders }),
      sqlReader,
      auditor,
      chains: createChains({ ...config.payments, log }),
      signer,
      archives,
      paymentProcessor,
      payments,
      schemaCaches: new SchemaCaches(projectPools),
      heldAnswers: new HeldAnswers(),
      feeds,
      messageMirror: { wake: () => mirror?.wake() },
      authority,
      incidents,
      live,
      rateLimiter: new RateLimiter(),
      usage,
      settings,
      observe: (operation, code, seconds) => metrics.operation({ operation, code }, seconds),
      now,
      newId,
    };

    const mirror = options.jobs === false ? undefined : startMessageMirror((signal) => jobContext(services, signal));
    if (mirror !== undefined) drains.set('message mirror', mirror.stop);

    // Before the job that moves organizations whose lease has ended.
    const pinned = await keepLeaseMode(jobContext(services, draining.signal));
    if (pinned > 0) log.info({ organizations: pinned }, 'Leases are off: organizations no longer expire.');

    // Nobody else works on this database, so whatever seems to be worked on was left behind by a crash.
    if (nodeLock.alone) await sweepAbandoned(db);
    const mailer = createMailer({ smtpUrl: config.smtpUrl, from: config.mailFrom, log });
    undo.push(mailer.close);
    const byName = new Map(operations.map((operation) => [operation.name as string, operation]));
    if (options.jobs !== false) {
      const workers = await startWorkers({ url: databaseUrl, services, mailer, operations: byName, log, metrics });
      drains.set('workers', workers.stop);
    }

    const engine = new Engine(schema, { introspection: !config.production });
    const projectSchemas = new ProjectSchemas(services, { introspection: !config.production });
    const health = createHealth({
      databaseUrl,
      nodeLock,
      version,
      payTo: () => settlementAddress(services),
      paymentProcessor,
    });
    undo.push(health.close);
    const { trustedProxies } = config;
    const connections = new ConnectionLimit(config.connectionsPerAddress);
    const tenantName = tenantNames(config);
    const server = createHttpServer({
      services,
      rest,
      engine,
      graphql: createGraphQLServer({ engine, graphiql: !config.production, log }),
      projectGraphQL: { schemas: projectSchemas, server: createGraphQLServer({ engine, graphiql: false, log }) },
      health,
      metrics,
      connections,
      trustedProxies,
      tenantName,
      host: config.host,
      guardMetrics: config.production,
      throwAwayKeys: !config.production,
      version,
      mcpOrigins: config.mcpOrigins,
      signals,
      draining: draining.signal,
    });
    const sockets = attachSockets(server, {
      services,
      engine,
      projectSchemas,
      metrics,
      connections,
      trustedProxies,
      tenantName,
      host: config.host,
    });
    server.listen(config.port, config.host);
    await Promise.race([once(server, 'listening'), once(server, 'error').then(([error]) => Promise.reject(error))]);
    drains.set('connections', async () => {
      health.drain();
      // Still open, and ready no more: whoever sends requests here has time to look elsewhere.
      await sleep(config.drainSeconds * 1000);
      const closed = new Promise((resolve) => server.close(resolve));
      draining.abort();
      const patience = setTimeout(() => server.closeAllConnections(), drainMs);
      await sockets.close();
      server.closeIdleConnections();
      await closed;
      clearTimeout(patience);
    });
    const { address, port, family } = server.address() as AddressInfo;
    const url = `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
    // The system may have picked the port.
    settings.mailBaseUrl = config.publicBaseUrl ?? localBaseUrl(url);
    return { url, services, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** A key of the installation's own is for development: it would be lost with the root secret, and licences with it. */
function licenceSigner({ production, licenceKeys }: Config, keys: KeyRing): Promise<Signer> | undefined {
  if (production && licenceKeys === undefined) return undefined;
  return createSigner(licenceKeys ?? derivedSigningKeys(keys));
}

/** Runs once; later calls get the first one's promise. */
function runOnce(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => {
    running ??= run();
    return running;
  };
}
