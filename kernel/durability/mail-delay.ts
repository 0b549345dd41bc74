import type { Statement } from '../../db/pool.ts';
import type { Services } from '../run/context.ts';

/** Whether the mail server turned away the latest mail it was offered, which is tried again later, as all after it are. */
export async function isMailDelayed({ db }: Pick<Services, 'db'>): Promise<boolean> {
  const [latest] = await db.rows<{ delayed: boolean }>(latestStatement, []);
  return latest?.delayed === true;
}

const latestStatement: Statement = {
  name: 'mail.delay',
  pipelined: true,
  // Of the last few: without a mail server there are only such that were never tried.
  text: `select state = 'queued' as delayed
    from (select state, last_error, created_at, id from mail_outbox order by created_at desc, id desc limit 20) newest
    where state = 'sent' or last_error is not null order by created_at desc, id desc limit 1`,
};
