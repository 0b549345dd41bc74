import { hasNoLivingJob, runSql } from '../../kernel/durability/housekeeping.ts';
import { sendMailTask } from '../../kernel/durability/outbox.ts';
import { domain } from '../../kernel/run/domain.ts';
import { listOutbox } from './list-outbox.ts';
import { sendQueuedMail } from './send-queued-mail.ts';
import { sendTestMail } from './send-test-mail.ts';

const enqueueMailsSql = `select graphile_worker.add_job($1, json_build_object('mailId', id), job_key => id) from mail_outbox m
  where state = 'queued' and created_at > now() - interval '3 days' and ${hasNoLivingJob('m.id')}`;

export const mail = domain('mail', {
  operations: [listOutbox, sendTestMail],
  jobs: [{ task: sendMailTask, run: sendQueuedMail }],
  housekeeping: {
    'enqueue mails': async (job, payload) => {
      if (job.mailer.configured) await runSql(enqueueMailsSql, [sendMailTask])(job, payload);
    },
  },
});
