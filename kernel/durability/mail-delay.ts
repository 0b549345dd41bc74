import { sql } from '../../db/drizzle.ts';
import { mailOutbox } from '../../db/schema/platform.ts';
import { computed, statement } from '../../db/sql.ts';
import type { Services } from '../run/context.ts';

/** Whether the mail server turned away the latest mail it was offered, which is tried again later, as all after it are. */
export async function isMailDelayed({ db }: Pick<Services, 'db'>): Promise<boolean> {
  const [latest] = await db.rows(latestStatement.with({}));
  return latest?.delayed === true;
}

const { state, lastError, createdAt, id } = mailOutbox;

// Of the last few: without a mail server there are only such that were never tried.
const latestStatement = statement(
  'mail.delay',
  { row: { delayed: computed<boolean>('boolean', sql`${state} = 'queued'`) }, pipelined: true },
  (_, row) => sql`select ${row}
    from (select * from ${mailOutbox} order by ${createdAt} desc, ${id} desc limit 20) ${mailOutbox}
    where ${state} = 'sent' or ${lastError} is not null order by ${createdAt} desc, ${id} desc limit 1`,
);
