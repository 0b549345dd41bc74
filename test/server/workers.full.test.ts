import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { anyone } from '../../kernel/access/access.ts';
import { execute } from '../../kernel/run/execute.ts';
import { stepMutation } from '../../kernel/run/operation.ts';
import { sweepAbandoned } from '../../server/housekeeping.ts';
import { startWorkersStage } from './workers-stage.ts';

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

const {
  postgres,
  database,
  pool,
  db,
  context,
  sent,
  mailerThat,
  working,
  start,
  stop,
  until,
  hurry,
  endLeases,
  one,
  mailRow,
  jobsLeft,
  jobRuns,
  queue,
} = await startWorkersStage(new Map([[makeThing.name, makeThing]]));
beforeEach(() => {
  did.length = effects.length = 0;
});

const step = () =>
  one<{ id: string; state: string; attempts: number; last_error: string | null }>('select * from step_operations');

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

/** Breaks the connection by which the end of a job waits to be written. */
const breakWaiting = () =>
  until(async () => {
    const cut = await postgres.admin.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = $1 and wait_event_type = 'Lock' and application_name = 'svc-gateway workers'`,
      [database],
    );
    expect(cut.rows).toHaveLength(1);
  });

test('workers that gave up over the end of a job that could not be written run again, whatever they wrote meanwhile', async () => {
  const ends: ((error?: Error) => void)[] = [];
  await start(
    mailerThat(async (mail) => {
      sent.push(mail);
      const held = new Promise<void>((resolve, reject) => {
        ends.push((error) => (error === undefined ? resolve() : reject(error)));
      });
      if (sent.length <= 3) await held;
    }),
  );
  await until(async () => expect(await jobsLeft()).toBe(0));
  for (let nth = 0; nth < 3; nth++) await queue();
  await until(() => expect(ends).toHaveLength(2));
  const locked = await pool.connect();
  await locked.query('begin; select from graphile_worker._private_jobs where locked_at is not null for update');
  ends[0]!();
  await until(() => expect(ends).toHaveLength(3));
  await breakWaiting();
  await locked.query('rollback');
  locked.release();
  ends[2]!();
  await until(async () => expect(await jobsLeft()).toBe(2));
  ends[1]!(new Error('The server hung up.'));
  await queue();
  await until(() => expect(sent).toHaveLength(4));
});

/** A mailer whose first mail is under way until it is let go. */
function heldMail() {
  const { promise: held, resolve: end } = Promise.withResolvers<void>();
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const mailer = mailerThat(() => {
    begin();
    return held;
  });
  return { mailer, begun, end };
}

test('a job that does not end does not keep the server from stopping, and goes back to the queue', async () => {
  const mail = heldMail();
  await start(mail.mailer);
  await queue();
  await mail.begun;
  await stop();
  expect(await one('select locked_by, attempts from graphile_worker.jobs')).toEqual({ locked_by: null, attempts: 1 });
  mail.end();
});

test('a job whose end could not be written while the server stops goes back to the queue', async () => {
  const mail = heldMail();
  await start(mail.mailer);
  await until(async () => expect(await jobsLeft()).toBe(0));
  await queue();
  await mail.begun;
  const locked = await pool.connect();
  await locked.query('begin; select from graphile_worker._private_jobs for update');
  const stopped = stop();
  mail.end();
  await breakWaiting();
  await locked.query('rollback');
  locked.release();
  await stopped;
  expect(await one('select locked_by, attempts from graphile_worker.jobs')).toEqual({ locked_by: null, attempts: 1 });
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
  await stop();
  await locked.query('rollback');
  locked.release();
});
