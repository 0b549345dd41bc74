import { afterAll, beforeAll, expect, test } from 'vitest';
import { startFaultyWorld } from '../helpers/faulty-world.ts';
import type { GatewayProcess } from '../helpers/gateway-process.ts';
import { startHoldingSmtp } from '../helpers/holding-smtp.ts';
import { until } from '../helpers/until.ts';

// The gateway is killed without warning at each step of a page's way, started again, and left to itself: each contact
// gets one mail for each wave. Where the mail server had said yes and the gateway had not noted it yet, the same mail
// is sent once more, by the same name, since nobody can know that it arrived.

const smtp = await startHoldingSmtp();
const { taken } = smtp;

const world = await startFaultyWorld();
const env = { SMTP_URL: `smtp://127.0.0.1:${smtp.port}`, MAIL_FROM: 'svc <no-reply@example.com>' };
let gateway: GatewayProcess;

afterAll(async () => {
  await world.stop();
  await smtp.stop();
});

/** Where the gateway is stopped: a statement that waits in a trigger, until its process is gone. */
interface Step {
  readonly name: string;
  readonly table: string;
  readonly when: string;
}

const taking = { table: 'mail_outbox', when: 'update of attempts' };
const noting = { table: 'mail_outbox', when: 'update of sent_at' };
const writing = { table: 'escalation_pages', when: 'insert' };
const queueing = { table: 'mail_outbox', when: 'insert' };
const trailing = { table: 'audit_events', when: 'insert' };
const telling = { table: 'feed_changes', when: 'insert' };
const attempting = { table: 'escalation_attempts', when: 'insert' };

const whileRaising: readonly Step[] = [
  { name: 'a mail is queued', ...queueing },
  { name: 'the pages are written', ...writing },
  { name: 'the trail is written', ...trailing },
  { name: 'the followers are told', ...telling },
];
const whileSending: readonly Step[] = [{ name: 'a mail is taken from the outbox', ...taking }];
const afterSending: readonly Step[] = [
  { name: 'a mail that the server took is noted as sent', ...noting },
  { name: 'the attempt is noted', ...attempting },
];
const whileClimbing: readonly Step[] = [
  { name: 'the level is raised', table: 'escalations', when: 'update of waves' },
  ...whileRaising,
];

const steps = [...whileRaising, ...whileSending, ...afterSending, ...whileClimbing.slice(0, 1)];
const numberOf = ({ table, when }: Step) => steps.findIndex((step) => step.table === table && step.when === when) + 1;

beforeAll(async () => {
  gateway = await world.start(env);
  await world.sql(`create function wait_here() returns trigger language plpgsql as
    $$ begin perform pg_advisory_xact_lock_shared(4711, tg_argv[0]::int); return new; end $$`);
  for (const [at, { table, when }] of steps.entries()) {
    await world.sql(
      `create trigger step_${at + 1} before ${when} on ${table} for each row execute function wait_here(${at + 1})`,
    );
  }
});

/** Has whatever comes to a step wait there. */
async function stopAt(step: Step) {
  const release = await world.hold('select pg_advisory_xact_lock(4711, $1)', [numberOf(step)]);
  const waiting = () =>
    world.sql<{ pid: number }>(
      `select pid from pg_stat_activity where wait_event = 'advisory' and application_name like 'svc-gateway%'`,
    );
  return {
    reached: () => until(async () => expect(await waiting()).not.toEqual([])),
    /** Kills the gateway with its statements, which Postgres would carry on alone. */
    async kill() {
      const pids = (await waiting()).map(({ pid }) => pid);
      await gateway.kill();
      await world.postgres.admin.query('select pg_terminate_backend(pid) from unnest($1::int[]) as pid', [pids]);
      await release();
    },
  };
}

let orgs = 0;

/** An organization with two contacts on its lowest level and one above. */
async function staffed() {
  const { wallet, orgId } = await world.owner(gateway);
  const names = [`a${++orgs}@example.com`, `b${orgs}@example.com`, `top${orgs}@example.com`];
  for (const [at, email] of names.entries()) {
    const body = { email, level: at < 2 ? 1 : 2 };
    const added = await gateway.call(gateway.as(wallet), 'POST', `/orgs/v1/${orgId}/escalation-contacts`, { body });
    expect(added.status).toBe(201);
  }
  const raise = () =>
    gateway.call<{ escalation_id: string }>(gateway.as(wallet), 'POST', `/orgs/v1/${orgId}/escalations`, {
      body: { reason: 'look', idempotency_key: 'one' },
    });
  return { wallet, orgId, low: names.slice(0, 2), top: names.slice(2), raise };
}

type Staffed = Awaited<ReturnType<typeof staffed>>;

const lapse = async (id: string) => {
  await world.sql(`update escalations set due_at = now() - interval '1 second' where id = $1`, [id]);
  await world.sql(`select graphile_worker.add_job('sweep-escalations', job_key => 'escalation:' || $1::text)`, [id]);
};

/** Waits until nothing more is on its way. */
async function settled({ orgId }: Staffed, waves: number) {
  await until(async () => {
    const [state] = await world.sql(
      `select (select max(waves) from escalations where org_id = $1) as waves,
          (select count(*)::int from mail_outbox where org_id = $1 and state <> 'sent') as unsent,
          (select count(*)::int from graphile_worker.jobs where task_identifier = 'mail.send') as jobs`,
      [orgId],
    );
    expect(state).toEqual({ waves, unsent: 0, jobs: 0 });
  });
}

/** What reached somebody: how many mails, and of how many names. */
const reached = (email: string) => {
  const mails = taken.filter(({ to }) => to === email);
  return { mails: mails.length, names: new Set(mails.map(({ messageId }) => messageId)).size };
};

async function expectPagedOnce({ low, top, orgId }: Staffed, waves: number, mailsMax = 1) {
  for (const email of [...low, ...(waves > 1 ? top : [])]) {
    const { mails, names } = reached(email);
    expect([email, names, mails >= 1 && mails <= mailsMax]).toEqual([email, 1, true]);
  }
  if (waves === 1) for (const email of top) expect(reached(email).mails).toBe(0);
  const pages = await world.sql(
    `select wave, count(*)::int as pages, count(distinct contact_id)::int as contacts,
       count(*) filter (where exists (select from escalation_attempts a where a.mail_id = p.mail_id and a.status = 'delivered'))::int as delivered
     from escalation_pages p where org_id = $1 group by wave order by wave`,
    [orgId],
  );
  const expected = [
    { wave: 1, pages: 2, contacts: 2, delivered: 2 },
    { wave: 2, pages: 1, contacts: 1, delivered: 1 },
  ];
  expect(pages).toEqual(expected.slice(0, waves));
}

test.each(whileRaising)(
  'killed while raising, when $name: nothing is kept, and the same request pages once',
  async (step) => {
    const org = await staffed();
    const stop = await stopAt(step);
    const lost = org.raise().catch((error: unknown) => error);
    await stop.reached();
    await stop.kill();
    expect(await lost).toBeInstanceOf(Error);
    expect(await world.sql('select 1 from escalations where org_id = $1', [org.orgId])).toEqual([]);
    gateway = await world.start(env);
    expect([(await org.raise()).status, (await org.raise()).status]).toEqual([201, 200]);
    await settled(org, 1);
    await expectPagedOnce(org, 1);
  },
);

test.each([...whileSending, ...afterSending])(
  'killed while sending, when $name: each contact gets the page',
  async (step) => {
    const org = await staffed();
    const stop = await stopAt(step);
    expect((await org.raise()).status).toBe(201);
    await stop.reached();
    await stop.kill();
    gateway = await world.start(env);
    await settled(org, 1);
    await expectPagedOnce(org, 1, afterSending.includes(step) ? 2 : 1);
  },
);

test('killed while the mail server has yet to say whether it takes a page: each contact gets it once', async () => {
  const org = await staffed();
  const held = smtp.hold();
  await org.raise();
  await held;
  await gateway.kill();
  smtp.takeAgain();
  gateway = await world.start(env);
  await settled(org, 1);
  await expectPagedOnce(org, 1);
});

test.each(whileClimbing)('killed while climbing, when $name: the next level is paged once', async (step) => {
  const org = await staffed();
  const { escalation_id: id } = (await org.raise()).body;
  await settled(org, 1);
  const stop = await stopAt(step);
  await lapse(id);
  await stop.reached();
  await stop.kill();
  gateway = await world.start(env);
  await settled(org, 2);
  await expectPagedOnce(org, 2);
  const [{ climbs }] = (await world.sql('select climbs from escalations where id = $1', [id])) as [
    { climbs: unknown[] },
  ];
  expect(climbs).toHaveLength(1);
});

test('a deadline that lapses while nothing runs is found at the next start', async () => {
  const org = await staffed();
  const { escalation_id: id } = (await org.raise()).body;
  await settled(org, 1);
  await gateway.kill();
  await world.sql(`update escalations set due_at = now() - interval '1 day' where id = $1`, [id]);
  await world.sql(`delete from graphile_worker._private_jobs where key = 'escalation:' || $1::text`, [id]);
  gateway = await world.start(env);
  await settled(org, 2);
  await expectPagedOnce(org, 2);
});
