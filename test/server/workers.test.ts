import { randomBytes, randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { newId } from '../../core/ids.ts';
import { KeyRing } from '../../core/keys.ts';
import { migrateControlDatabase } from '../../db/migrate.ts';
import { openDatabase } from '../../db/pool.ts';
import { MailError, type Mailer, type MailToSend } from '../../engines/mail.ts';
import { anyone } from '../../resolvers/access.ts';
import type { Context, Services } from '../../resolvers/context.ts';
import { execute } from '../../resolvers/execute.ts';
import { sweepAbandoned } from '../../resolvers/housekeeping.ts';
import { queueMail } from '../../resolvers/mail/outbox.ts';
import { sendQueuedMail } from '../../resolvers/mail/send-queued-mail.ts';
import { type AnyOperation, stepMutation } from '../../resolvers/operation.ts';
import { RateLimiter } from '../../resolvers/rate-limit.ts';
import { unitOfWork } from '../../resolvers/unit-of-work.ts';
import { createMetrics } from '../../server/metrics.ts';
import { installJobs, startWorkers, type Workers } from '../../server/workers.ts';
import { startOwnPostgres } from '../helpers/own-postgres.ts';

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

const services: Services = {
  db,
  keys: new KeyRing(randomBytes(32)),
  log: pino({ level: 'silent' }),
  // The operations of this file touch none of these.
  projectDatabases: undefined as never,
  projectPools: undefined as never,
  authPools: undefined as never,
  passwords: undefined as never,
  identityProviders: undefined as never,
  sqlReader: undefined as never,
  auditor: undefined as never,
  cashier: { mode: 'unavailable' } as Services['cashier'],
  chains: undefined as never,
  signer: undefined,
  archives: undefined as never,
  schemaCaches: undefined as never,
  heldAnswers: undefined as never,
  authority: undefined as never,
  messageMirror: undefined as never,
  incidents: undefined as never,
  live: undefined as never,
  feeds: { publish: () => {} } as unknown as Services['feeds'],
  rateLimiter: new RateLimiter(),
  usage: undefined as never,
  settings: {
    publicBaseUrl: undefined,
    platformDomain: 'localhost',
    adminKey: undefined,
    settlementAddress: undefined,
    tonSettlementAddress: undefined,
    sellerName: undefined,
    governingLaw: undefined,
    auditDefaultUrl: 'https://example.com/',
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

/** What the step operation below did, in order, and how its next effects behave. */
const did: string[] = [];
const effects: (() => Promise<void>)[] = [];

const makeThing = stepMutation({
  name: 'things.make',
  summary: 'Makes a thing that no transaction can hold.',
  access: anyone<{ thing: string }>(),
  input: z.object({ thing: z.string() }),
  wire: z.object({ thing: z.string() }),
  toWire: (made: { thing: string }) => made,
  steps: {
    begin: async (_work, { thing }) => ({
      ref: { thing },
      orgId: randomUUID(),
      audit: { action: 'thing.made', object: { kind: 'thing', id: thing } },
    }),
    effect: async (_ctx, { thing }) => {
      did.push(`effect ${thing}`);
      await effects.shift()?.();
    },
    settle: async (_work, { thing }) => {
      did.push(`settle ${thing}`);
      return { thing: thing! };
    },
    undo: async (_ctx, { thing }) => {
      did.push(`undo ${thing}`);
      await effects.shift()?.();
    },
  },
});
const operations = new Map<string, AnyOperation>([[makeThing.name, makeThing]]);

const sent: MailToSend[] = [];
const mailerThat = (send: (message: MailToSend) => Promise<void>): Mailer => ({
  configured: true,
  send,
  close: () => {},
});
const working = mailerThat(async (message) => void sent.push(message));
const unconfigured: Mailer = { ...mailerThat(() => Promise.reject(new Error('unreachable'))), configured: false };

let workers: Workers | undefined;
let metrics = createMetrics({ processMetrics: false });
async function start(mailer: Mailer = unconfigured) {
  metrics = createMetrics({ processMetrics: false });
  workers = await startWorkers({ url, services, mailer, operations, log: services.log, metrics, pollMs: 50 });
}
beforeEach(async () => {
  did.length = effects.length = sent.length = 0;
  await pool.query(
    'truncate step_operations, mail_outbox, idempotency_keys, wallet_nonces, graphile_worker._private_jobs',
  );
});
afterEach(async () => {
  await workers?.stop();
  workers = undefined;
});

const until = (check: () => unknown) => vi.waitFor(check, { timeout: 30_000, interval: 25 });
/** Retries wait for seconds; a test need not. */
const hurry = () => pool.query('update graphile_worker._private_jobs set run_at = now() where locked_at is null');
/** As if whoever claimed a mail had been silent for so long that it is believed dead. */
const endLeases = () =>
  pool.query(`update mail_outbox set lease_until = now() - interval '1 second' where state = 'queued'`);
const one = async <Row extends object>(text: string) => (await pool.query<Row>(text)).rows[0];
const step = () =>
  one<{ id: string; state: string; attempts: number; last_error: string | null }>('select * from step_operations');
const mailRow = () =>
  one<{ state: string; attempts: number; last_error: string | null; sent_at: Date | null }>(
    'select * from mail_outbox',
  );
const jobsLeft = async () => (await one<{ n: number }>(`select count(*)::int as n from graphile_worker.jobs`))!.n;
const jobRuns = async (line: string) => expect(await metrics.render()).toContain(line);

/** Begins a step operation in a process that dies during its effect. */
async function crashDuringEffect(thing: string, key?: string) {
  const reached = new Promise<void>((resolve) => {
    effects.push(() => {
      resolve();
      return new Promise(() => {});
    });
  });
  void execute(makeThing, context(key), { thing });
  await reached;
}

test('a step operation that a crash cut short is finished at once after the restart, and its key replays', async () => {
  await crashDuringEffect('kite', 'key-1');
  expect(await sweepAbandoned(db)).toBe(1);
  await start();
  await until(async () => expect(await step()).toMatchObject({ state: 'done' }));
  expect(did).toEqual(['effect kite', 'effect kite', 'settle kite']);
  expect(await execute(makeThing, context('key-1'), { thing: 'kite' })).toEqual({ thing: 'kite' });
  expect(did.filter((what) => what.startsWith('effect'))).toHaveLength(2);
  await until(async () => expect(await jobsLeft()).toBe(0));
});

test('a job that a killed worker held runs after the restart', async () => {
  await crashDuringEffect('kite');
  await pool.query(`update graphile_worker._private_jobs set locked_at = now(), locked_by = 'dead', run_at = now()`);
  await sweepAbandoned(db);
  await start();
  await until(async () => expect(await step()).toMatchObject({ state: 'done' }));
});

test('a step operation that another process works on is left to it', async () => {
  await crashDuringEffect('kite');
  await hurry();
  await start();
  await until(() => jobRuns('jobs_total{task="steps.reap",outcome="ok"} 1'));
  const { id } = (await step())!;
  const again = await pool.query('select run_at > now() as later from graphile_worker.jobs where key = $1', [id]);
  expect(again.rows).toEqual([{ later: true }]);
  expect(did).toEqual(['effect kite']);
  expect(await step()).toMatchObject({ state: 'running', attempts: 1 });
});

test('a step operation that fails is tried again, and the reason kept', async () => {
  await crashDuringEffect('kite');
  effects.push(() => Promise.reject(new Error('no wind')));
  await sweepAbandoned(db);
  await start();
  await until(async () => expect(await step()).toMatchObject({ state: 'running', last_error: 'no wind' }));
  await until(async () => {
    await hurry();
    expect(await step()).toMatchObject({ state: 'done', last_error: null });
  });
  expect(did).toEqual(['effect kite', 'effect kite', 'effect kite', 'settle kite']);
});

test('what is kept of a failure holds no password, whether a caller or a worker met it', async () => {
  const refused = () => Promise.reject(new Error('no way to postgres://svc:hunter2@db.internal/svc'));
  const kept = { state: 'running', last_error: 'no way to postgres://svc:[redacted]@db.internal/svc' };
  effects.push(refused);
  await expect(execute(makeThing, context(), { thing: 'kite' })).rejects.toThrow();
  expect(await step()).toMatchObject({ ...kept, attempts: 1 });
  effects.push(refused);
  await pool.query(`update step_operations set last_error = null`);
  await sweepAbandoned(db);
  await start();
  await until(async () => expect(await step()).toMatchObject({ ...kept, attempts: 2 }));
});

test('a step operation that keeps failing is undone, also when undoing fails at first', async () => {
  await crashDuringEffect('kite');
  await pool.query('update step_operations set attempts = 5');
  effects.push(() => Promise.reject(new Error('stuck in a tree')));
  await sweepAbandoned(db);
  await start();
  await until(async () => {
    await hurry();
    expect(await step()).toMatchObject({ state: 'undone' });
  });
  expect(did).toEqual(['effect kite', 'undo kite', 'undo kite']);
});

test('a step operation that cannot be undone either is left to the operator, once', async () => {
  await crashDuringEffect('kite');
  await pool.query('update step_operations set attempts = 14');
  effects.push(() => Promise.reject(new Error('stuck in a tree')));
  await sweepAbandoned(db);
  await start();
  await until(async () => expect(await step()).toMatchObject({ state: 'stuck', last_error: 'stuck in a tree' }));
  await until(async () => expect(await jobsLeft()).toBe(0));
});

const message = { orgId: null, to: 'ada@example.com', subject: 'Hi', text: 'Hello' };
const queue = () =>
  unitOfWork(
    context(),
    (work) => queueMail(work, message),
    async () => {},
  );

test('a mail is sent once its change is committed, and never when the change fails', async () => {
  await start(working);
  const failing = unitOfWork(
    context(),
    async (work) => {
      await queueMail(work, message);
      throw new Error('changed my mind');
    },
    async () => {},
  );
  await expect(failing).rejects.toThrow('changed my mind');
  const id = await queue();
  await until(async () =>
    expect(await mailRow()).toMatchObject({ id, state: 'sent', attempts: 1, sent_at: expect.any(Date) }),
  );
  expect(sent).toEqual([{ to: 'ada@example.com', subject: 'Hi', text: 'Hello', id }]);
});

/** A mailer whose mail server answers only when it is told to. */
function slowMailer() {
  const { promise, resolve } = Promise.withResolvers<void>();
  const mailer = mailerThat(async (mail) => {
    sent.push(mail);
    await promise;
  });
  return { mailer, release: resolve };
}

test('while the mail server answers, no transaction and no row lock is held', async () => {
  const { mailer, release } = slowMailer();
  await queue();
  await start(mailer);
  await until(() => expect(sent).toHaveLength(1));
  await pool.query('select 1 from mail_outbox for update nowait');
  // Other jobs have transactions of their own, which end by themselves.
  const open = `select count(*)::int as n from pg_stat_activity
    where datname = current_database() and state like 'idle in transaction%'`;
  await until(async () => expect(await one(open)).toEqual({ n: 0 }));
  release();
  await until(async () => expect(await mailRow()).toMatchObject({ state: 'sent', attempts: 1 }));
});

test('a mail whose worker died is sent by another once its claim has run out, and what comes late changes nothing', async () => {
  const { mailer, release } = slowMailer();
  const mailId = await queue();
  const job = { ctx: context(), mailer, operations, log: services.log, addJob: async () => {} };
  const late = sendQueuedMail(job, { mailId });
  await until(() => expect(sent).toHaveLength(1));
  await start(working);
  // It is left alone as long as it may still be on its way.
  await until(async () =>
    expect(await one('select run_at > now() as later from graphile_worker.jobs')).toEqual({ later: true }),
  );
  expect(sent).toHaveLength(1);
  await endLeases();
  await hurry();
  await until(async () => expect(await mailRow()).toMatchObject({ state: 'sent', attempts: 2 }));
  const settled = await mailRow();
  release();
  await late;
  expect(await mailRow()).toEqual(settled);
  expect(sent).toHaveLength(2);
});

test('a node that starts alone sends what a killed one had claimed, without waiting for the claim', async () => {
  await queue();
  await pool.query(`update mail_outbox set lease_until = now() + interval '5 minutes', attempts = 1`);
  await sweepAbandoned(db);
  await start(working);
  await until(async () => expect(await mailRow()).toMatchObject({ state: 'sent', attempts: 2 }));
});

test('two workers that hold a job for the same mail send it once', async () => {
  const id = await queue();
  await pool.query(`select graphile_worker.add_job('mail.send', json_build_object('mailId', $1::text))`, [id]);
  const { mailer, release } = slowMailer();
  await start(mailer);
  // The second job finds the row taken and ends while the first is still at the mail server.
  await until(() => jobRuns('jobs_total{task="mail.send",outcome="ok"} 1'));
  expect(await mailRow()).toMatchObject({ state: 'queued' });
  release();
  await until(async () => expect(await mailRow()).toMatchObject({ state: 'sent' }));
  await until(async () => {
    await hurry();
    expect(await jobsLeft()).toBe(0);
  });
  expect(sent).toHaveLength(1);
});

test('a mail that the server refuses is tried again ten times, then given up with the reason', async () => {
  await queue();
  await start(mailerThat(() => Promise.reject(new MailError('The mail server cannot be reached.'))));
  await until(async () => {
    await hurry();
    expect(await mailRow()).toMatchObject({
      state: 'failed',
      attempts: 10,
      last_error: 'The mail server cannot be reached.',
    });
  });
  await until(async () => expect(await jobsLeft()).toBe(0));
});

test('without a mail server mail stays queued, and is sent when there is one', async () => {
  await queue();
  await start(unconfigured);
  await until(async () => expect(await jobsLeft()).toBe(0));
  expect(await mailRow()).toMatchObject({ state: 'queued', attempts: 0 });
  await workers!.stop();
  await start(working);
  await until(async () => expect(await mailRow()).toMatchObject({ state: 'sent' }));
});

test('housekeeping removes what has expired, in batches, and nothing else', async () => {
  await pool.query(
    `insert into wallet_nonces (address, nonce, expires_at) select 'a', i::text, now() + (case when i > 2500 then '1 hour' else '-1 hour' end)::interval from generate_series(1, 2503) i`,
  );
  await pool.query(
    `insert into idempotency_keys (scope, operation, key, digest, lease_token, lease_until, expires_at)
     select 's', 'o', hours::text, '', '', now(), now() + make_interval(hours => hours) from unnest(array[-1, 1]) hours`,
  );
  await pool.query(
    `insert into step_operations (id, org_id, operation, ref, state, lease_until, created_at)
     select state || days, gen_random_uuid(), 'o', '{}', state,
       now() + case when state in ('done', 'undone') then make_interval(days => -days, secs => 15) else '1 hour' end,
       now() - make_interval(days => days)
     from unnest(array['done', 'undone', 'stuck', 'running']) state, unnest(array[6, 8]) days`,
  );
  await start();
  await until(() => jobRuns('jobs_total{task="housekeeping",outcome="ok"} 1'));
  const ids = async (text: string) => (await pool.query<{ id: string }>(text)).rows.map(({ id }) => id);
  expect(await ids('select nonce as id from wallet_nonces order by 1')).toEqual(['2501', '2502', '2503']);
  expect(await ids('select key as id from idempotency_keys')).toEqual(['1']);
  expect(await ids('select id from step_operations order by 1')).toEqual([
    'done6',
    'running6',
    'running8',
    'stuck6',
    'stuck8',
    'undone6',
  ]);
});

test('a step operation whose job a vanished node holds is picked up by the others', async () => {
  await crashDuringEffect('kite');
  await pool.query(`update step_operations set lease_until = now() - interval '2 minutes'`);
  await pool.query(
    `update graphile_worker._private_jobs set locked_by = 'vanished', run_at = now(), locked_at = now() - interval '11 minutes'`,
  );
  await start();
  await until(async () => expect(await step()).toMatchObject({ state: 'done' }));
});

test('workers outlive an outage of the database, and a job that ended during it runs again', async () => {
  const ends: (() => void)[] = [];
  await start(
    mailerThat(async (mail) => {
      sent.push(mail);
      if (sent.length === 1) await new Promise<void>((resolve) => void ends.push(resolve));
    }),
  );
  await queue();
  await until(() => expect(ends).toHaveLength(1));
  await postgres.admin.query(`alter database ${database} allow_connections false`);
  await postgres.admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [database]);
  ends[0]!();
  await until(() => jobRuns('jobs_total{task="mail.send",outcome="failed"} 1'));
  await postgres.admin.query(`alter database ${database} allow_connections true`);
  await until(async () => {
    await endLeases();
    await hurry();
    expect(await mailRow()).toMatchObject({ state: 'sent' });
  });
});

test('workers that gave up run again', async () => {
  await start(working);
  // The library stops when a newer version changes its tables.
  await until(async () => {
    await pool.query(`select pg_notify('worker:migrate', '{"breaking": true}')`);
    expect(process.exitCode).toBe(57);
  });
  process.exitCode = undefined;
  await queue();
  await until(async () => expect(await mailRow()).toMatchObject({ state: 'sent' }));
});

test('a job that does not end does not keep the server from stopping, and goes back to the queue', async () => {
  let end = () => {};
  let begun = false;
  await start(
    mailerThat(async () => {
      begun = true;
      await new Promise<void>((resolve) => {
        end = resolve;
      });
    }),
  );
  await queue();
  await until(() => expect(begun).toBe(true));
  await workers!.stop();
  expect(await one('select locked_by, attempts from graphile_worker.jobs')).toEqual({ locked_by: null, attempts: 1 });
  end();
});

test('workers that wait for the database to begin again do not keep the server from stopping', async () => {
  await start(working);
  await until(async () => expect(await jobsLeft()).toBe(0));
  const locked = await pool.connect();
  await until(async () => {
    await pool.query(`select pg_notify('worker:migrate', '{"breaking": true}')`);
    expect(process.exitCode).toBe(57);
  });
  process.exitCode = undefined;
  await locked.query('begin; lock table graphile_worker._private_jobs');
  const waiting = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and query ~ 'force_unlock_workers'`;
  await until(async () => expect((await pool.query(waiting)).rows).toHaveLength(1));
  await workers!.stop();
  await locked.query('rollback');
  locked.release();
});
