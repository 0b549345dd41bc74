import { sql } from '../../db/drizzle.ts';
import { interval } from '../../db/intervals.ts';
import { mailOutbox } from '../../db/schema/platform.ts';
import { enqueueAgain } from '../../kernel/durability/housekeeping.ts';
import { sendMailTask } from '../../kernel/durability/outbox.ts';
import { domain } from '../../kernel/run/domain.ts';
import { listOutbox } from './list-outbox.ts';
import { sendQueuedMail } from './send-queued-mail.ts';
import { sendTestMail } from './send-test-mail.ts';

const enqueueMails = enqueueAgain(
  'enqueue-mails',
  {
    task: sendMailTask,
    key: mailOutbox.id,
    payload: sql`json_build_object('mailId', ${mailOutbox.id})`,
  },
  sql`from ${mailOutbox}
    where ${mailOutbox.state} = 'queued' and ${mailOutbox.createdAt} > now() - ${interval('3 days')}`,
);

export const mail = domain('mail', {
  operations: [listOutbox, sendTestMail],
  jobs: [{ task: sendMailTask, run: sendQueuedMail }],
  housekeeping: {
    'enqueue mails': async (job, payload) => {
      if (job.mailer.configured) await enqueueMails(job, payload);
    },
  },
});
