import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, afterEach, beforeEach, expect } from 'vitest';
import { newId } from '../../core/ids.ts';
import { KeyRing } from '../../core/keys.ts';
import { migrateControlDatabase } from '../../db/migrate.ts';
import { openDatabase } from '../../db/pool.ts';
import { ProjectDatabases } from '../../db/project-databases.ts';
import type { Mailer, MailToSend } from '../../engines/mail/mailer.ts';
import { createLocalStore } from '../../engines/objects/local-store.ts';
import { queueMail } from '../../kernel/durability/outbox.ts';
import { unitOfWork } from '../../kernel/durability/unit-of-work.ts';
import { RateLimiter } from '../../kernel/limits/rate-limit.ts';
import type { Context, Services } from '../../kernel/run/context.ts';
import type { AnyOperation } from '../../kernel/run/operation.ts';
import { createMetrics } from '../../server/metrics.ts';
import { installJobs, startWorkers, type Workers } from '../../server/workers.ts';
import { startOwnPostgres } from '../helpers/own-postgres.ts';
import { until } from '../helpers/until.ts';

/** Workers of one node, on a Postgres of a test file's own; each test begins without jobs, and its workers end with it. */
export async function startWorkersStage(operations: ReadonlyMap<string, AnyOperation> = new Map()) {
  const postgres = await startOwnPostgres();
  const { name: database, url } = await postgres.database();
  await migrateControlDatabase(url);
  await Promise.all([installJobs(url), installJobs(url), installJobs(url)]);
  const db = openDatabase({ url });
  const { pool } = db;
  afterAll(async () => {
    await db.close();
    await postgres.stop();
  });

  const keys = new KeyRing(randomBytes(32));
  const projectDatabases = new ProjectDatabases({ servers: { main: url }, keys, warn: () => {} });
  afterAll(() => projectDatabases.close());

  const services: Services = {
    db,
    keys,
    log: pino({ level: 'silent' }),
    projectDatabases,
    // No operation of these files touches any of these.
    projectPools: undefined as never,
    authPools: undefined as never,
    images: undefined as never,
    epochs: undefined as never,
    noticeDeliveries: undefined as never,
    checkoutWork: undefined as never,
    appVersionWork: undefined as never,
    appForkWork: undefined as never,
    projectArchiveWork: undefined as never,
    rehearsalWork: undefined as never,
    archiveImportWork: undefined as never,
    cards: undefined,
    lightning: undefined,
    telegram: undefined,
    relays: undefined as never,
    channelPublishing: undefined as never,
    faucet: undefined,
    faucetWork: undefined as never,
    passwords: undefined as never,
    identityProviders: undefined as never,
    ciIssuer: undefined as never,
    sqlReader: undefined as never,
    objects: createLocalStore(join(tmpdir(), `svc-workers-${randomBytes(6).toString('hex')}`)),
    functions: undefined as never,
    dns: undefined as never,
    hostProbe: undefined as never,
    certificateAuthority: undefined,
    auditor: undefined as never,
    paymentProcessor: { mode: 'unavailable' } as Services['paymentProcessor'],
    payments: undefined as never,
    chains: undefined as never,
    ai: undefined as never,
    signerKeys: undefined as never,
    signerChains: undefined as never,
    contractCalls: undefined as never,
    jobWork: undefined as never,
    jobCallbackWork: undefined as never,
    jobLimits: undefined as never,
    commands: undefined as never,
    signer: undefined,
    archives: undefined as never,
    schemaCaches: undefined as never,
    responseBackpressure: undefined as never,
    authority: undefined as never,
    messageMirror: undefined as never,
    functionRuns: undefined as never,
    copies: undefined as never,
    branchWork: undefined as never,
    webhookDeliveries: undefined as never,
    webhookFetch: undefined as never,
    gates: undefined as never,
    sites: undefined as never,
    pageCache: undefined as never,
    incidents: undefined as never,
    live: undefined as never,
    node: undefined as never,
    backups: undefined as never,
    feeds: { publish: () => {} } as unknown as Services['feeds'],
    rateLimiter: new RateLimiter(),
    usage: undefined as never,
    traffic: undefined as never,
    settings: {
      publicBaseUrl: undefined,
      mailBaseUrl: 'http://localhost:4000',
      sendsMail: false,
      receivesMail: false,
      functionsIsolation: 'required',
      packages: undefined as never,
      hostAddresses: undefined,
      jobRoots: undefined,
      platformDomain: 'localhost',
      embeddingOrigins: new Map(),
      archiveDir: undefined,
      adminKey: undefined,
      settlementAddress: undefined,
      tonSettlementAddress: undefined,
      sellerName: undefined,
      governingLaw: undefined,
      auditDefaultUrl: 'https://example.com/',
      leases: false,
      ciAudience: undefined,
      tierNetwork: 'base-sepolia',
      proofConfirmations: 1,
      nearAgentsSecret: undefined,
      stepLeaseSeconds: 3600,
    },
    observe: () => {},
    now: () => new Date(),
    newId,
  };

  const context = (idempotencyKey?: string): Context => ({
    services,
    request: { traceId: 'trace', address: '10.0.0.1', baseUrl: '', idempotencyKey, writeApproval: undefined },
    caller: async () => ({ kind: 'admin' }),
    credentials: {},
    chargeAddress: () => undefined,
    signal: new AbortController().signal,
  });

  const sent: MailToSend[] = [];
  const mailerThat = (send: (message: MailToSend) => Promise<void>): Mailer => ({
    configured: true,
    send: async (message) => {
      await send(message);
      return { providerMessageId: null };
    },
    close: () => {},
  });
  const working = mailerThat(async (message) => void sent.push(message));
  const unconfigured: Mailer = { ...mailerThat(() => Promise.reject(new Error('unreachable'))), configured: false };

  let workers: Workers | undefined;
  const stop = () => workers!.stop();
  let metrics = createMetrics({ processMetrics: false });
  async function start(mailer: Mailer = unconfigured) {
    metrics = createMetrics({ processMetrics: false });
    workers = await startWorkers({ url, services, mailer, operations, log: services.log, metrics, pollMs: 50 });
  }
  beforeEach(async () => {
    sent.length = 0;
    await pool.query(
      'truncate step_operations, mail_outbox, idempotency_keys, wallet_nonces, graphile_worker._private_jobs',
    );
  });
  afterEach(async () => {
    await workers?.stop();
    workers = undefined;
  });

  /** Retries wait for seconds; a test need not. */
  const hurry = () => pool.query('update graphile_worker._private_jobs set run_at = now() where locked_at is null');
  /** As if whoever claimed a mail had been silent for so long that it is believed dead. */
  const endLeases = () =>
    pool.query(`update mail_outbox set lease_until = now() - interval '1 second' where state = 'queued'`);
  const one = async <Row extends object>(text: string) => (await pool.query<Row>(text)).rows[0];
  const mailRow = () =>
    one<{ state: string; attempts: number; last_error: string | null; sent_at: Date | null }>(
      'select * from mail_outbox',
    );
  const jobsLeft = async () => (await one<{ n: number }>(`select count(*)::int as n from graphile_worker.jobs`))!.n;
  const jobRuns = async (line: string) => expect(await metrics.render()).toContain(line);

  const message = { orgId: null, to: 'ada@example.com', subject: 'Hi', text: 'Hello' };
  const queue = () => unitOfWork(context(), (work) => queueMail(work, message));
  return {
    postgres,
    database,
    pool,
    db,
    services,
    context,
    sent,
    mailerThat,
    working,
    unconfigured,
    start,
    stop,
    until,
    hurry,
    endLeases,
    one,
    mailRow,
    jobsLeft,
    jobRuns,
    message,
    queue,
  };
}
