import { expect, test } from 'vitest';
import { MailError } from '../../engines/mail/mailer.ts';
import { queueMail } from '../../kernel/durability/outbox.ts';
import { unitOfWork } from '../../kernel/durability/unit-of-work.ts';
import { sendQueuedMail } from '../../resolvers/mail/send-queued-mail.ts';
import { sweepAbandoned } from '../../server/housekeeping.ts';
import { startWorkersStage } from './workers-stage.ts';

const {
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
} = await startWorkersStage();

test('a mail is sent once its change is committed, and never when the change fails', async () => {
  await start(working);
  const failing = unitOfWork(context(), async (work) => {
    await queueMail(work, message);
    throw new Error('changed my mind');
  });
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
  const job = { ctx: context(), mailer, operations: new Map(), log: services.log, addJob: async () => {} };
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
  await stop();
  await start(working);
  await until(async () => expect(await mailRow()).toMatchObject({ state: 'sent' }));
});
