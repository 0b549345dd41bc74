import { join, resolve } from 'node:path';
import { createGuardedFetch } from '../core/guarded-fetch.ts';
import { newId } from '../core/ids.ts';
import { ResponseBackpressure } from '../core/response-backpressure.ts';
import { createTelegram } from '../engines/chat/telegram.ts';
import { createRelays } from '../engines/relay/relay-client.ts';
import { SchemaCaches } from '../engines/rows/schema-caches.ts';
import { RateLimiter } from '../kernel/limits/rate-limit.ts';
import type { ServiceSettings, Services } from '../kernel/run/context.ts';
import type { NodeFacts } from '../resolvers/installation/services.ts';
import { noteLaunch } from '../resolvers/payments/launch.ts';
import { payments } from '../resolvers/payments/payments.ts';
import { createBackups } from './backups.ts';
import type { Config } from './config.ts';
import { startHeartbeat } from './heartbeat.ts';
import { Lifecycle } from './lifecycle.ts';
import { createMetrics } from './metrics.ts';
import { openCommands } from './parts/commands.ts';
import { openEngines } from './parts/engines.ts';
import { openFunctions } from './parts/functions.ts';
import { startJobs, startMirror } from './parts/jobs.ts';
import { startLeased } from './parts/leased.ts';
import { openListener } from './parts/listener.ts';
import { openMailListener } from './parts/mail.ts';
import type { AppOptions, Start } from './parts/part.ts';
import { openStores } from './parts/stores.ts';
import { openWatches } from './parts/watches.ts';
import { localBaseUrl } from './welcome.ts';

export type { AppOptions } from './parts/part.ts';

/** How long a receiver of webhooks may take to answer, in milliseconds. Contract 02, section 6.5. */
const webhookMs = 10_000;

/** How long a step operation is believed to be worked on, in seconds. */
const stepLeaseSeconds = 15;

export interface App {
  /** Where the server listens, without a trailing slash. */
  readonly url: string;
  /** The same by TLS; absent where it does not. */
  readonly secureUrl?: string;
  /** The port on which mail comes in; absent where it does not. */
  readonly mailPort?: number;
  readonly services: Services;
  /** Drains, and closes everything that was opened; takes five seconds at most, whatever hangs. Idempotent. */
  readonly stop: () => Promise<void>;
}

/**
 * Starts the whole gateway, part by part: the databases first, then what rests on them, and the port last, when it can
 * serve. Whatever was opened before a failure is closed again.
 */
export async function startApp(options: AppOptions): Promise<App> {
  const { config, log } = options;
  const metrics = createMetrics();
  const lifecycle = new Lifecycle({ log, drainSeconds: config.drainSeconds });
  const start: Start = { options, lifecycle, metrics };
  const stop = () => lifecycle.stop();
  try {
    const stores = await openStores(start);
    const { db, keys, now, projectDatabases, projectPools, authPools } = stores;
    const engines = openEngines(start, stores);
    await noteLaunch(db);
    const draining = new AbortController();
    const watches = await openWatches(start, stores, draining.signal);
    const settings = settingsOf(config);
    const node = nodeOf(options, now());
    const backups = createBackups({ config, roots: options.roots, db, log });
    lifecycle.onDrain('backup', backups.stop);
    const services: Services = {
      db,
      keys,
      log,
      projectDatabases,
      projectPools,
      authPools,
      ...engines.services,
      ...watches.services,
      payments,
      schemaCaches: new SchemaCaches(projectPools),
      responseBackpressure: new ResponseBackpressure(),
      messageMirror: startMirror(start, () => services),
      functions: openFunctions(start, () => services),
      commands: openCommands(start),
      ...startLeased(start, () => services),
      webhookFetch: createGuardedFetch({
        named: config.webhookOrigins,
        timeoutMs: webhookMs,
        readsBody: false,
      }),
      relays: createRelays({ named: config.webhookOrigins }),
      telegram: openTelegram(config),
      jobLimits: config.jobs,
      rateLimiter: new RateLimiter(),
      settings,
      node,
      backups,
      observe: (operation, code, seconds) => metrics.operation({ operation, code }, seconds),
      now,
      newId: (prefix) => newId(prefix, now().getTime()),
    };
    await startJobs(start, services, {
      mailer: engines.mailer,
      alone: stores.nodeLock.alone,
      draining: draining.signal,
    });
    const { url, secureUrl } = await openListener(start, { services, stores, signals: watches.signals, draining });
    const mailPort = await openMailListener(start, services);
    // The system may have picked the port.
    settings.mailBaseUrl = config.publicBaseUrl ?? localBaseUrl(url);
    if (options.jobs !== false) lifecycle.onClose(await startHeartbeat({ db, log, node, url, load: metrics.load }));
    return {
      url,
      ...(secureUrl === undefined ? {} : { secureUrl }),
      ...(mailPort === undefined ? {} : { mailPort }),
      services,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Half a minute for what chats say, and as long again for the answer. */
const telegramMs = 60_000;

/** The bot that tells notices in chats; its API may lie where the operator says. */
const openTelegram = ({ telegram }: Config) =>
  telegram &&
  createTelegram({
    ...telegram,
    fetch: createGuardedFetch({ named: [new URL(telegram.apiUrl).origin], timeoutMs: telegramMs }),
  });

/** The facts of this process that operations see. */
const nodeOf = ({ config, version }: AppOptions, startedAt: Date): NodeFacts => ({
  nodeId: newId('nod', startedAt.getTime()),
  version,
  startedAt,
  production: config.production,
  database: config.databaseUrl === undefined ? 'embedded' : 'external',
  signals: config.natsUrl === undefined ? 'local' : 'nats',
  dataFolder: resolve(config.dataDir),
});

/** The configuration that operations see. */
function settingsOf(config: Config): { -readonly [Name in keyof ServiceSettings]: ServiceSettings[Name] } {
  return {
    publicBaseUrl: config.publicBaseUrl,
    mailBaseUrl: config.publicBaseUrl ?? `http://localhost:${config.port}`,
    platformDomain: config.platformDomain,
    embeddingOrigins: config.embeddingOrigins,
    archiveDir: config.archiveDir,
    hostAddresses: config.hostAddresses,
    sendsMail: config.smtpUrl !== undefined,
    receivesMail: config.mailListen !== undefined,
    settlementAddress: config.settlementAddress,
    tonSettlementAddress: config.payments.tonSettlementAddress,
    nearAgentsSecret: config.nearAgentsSecret,
    sellerName: config.sellerName,
    governingLaw: config.governingLaw,
    auditDefaultUrl: config.auditDefaultUrl,
    leases: config.leases,
    functionsIsolation: config.functionsIsolation,
    jobRoots: config.jobRoots,
    packages: {
      registry: config.npmRegistry,
      folder: join(resolve(config.dataDir), 'packages'),
      environment: config.connectionEnvironment,
    },
    ciAudience: config.ciAudience,
    tierNetwork: config.tierNetwork,
    proofConfirmations: config.payments.confirmations.base ?? 1,
    adminKey: config.adminKey,
    stepLeaseSeconds,
  };
}
