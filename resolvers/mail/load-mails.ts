import { sql } from '../../db/drizzle.ts';
import { type MailMessage, mailOutbox } from '../../db/schema/platform.ts';
import { allOf, statement, typed } from '../../db/sql.ts';
import type { Context } from '../../kernel/run/context.ts';

/** Mails of the outbox by id, in one statement; nobody but the platform admin sees any. */
export async function loadMails(ctx: Context, ids: readonly string[]): Promise<MailMessage[]> {
  const caller = await ctx.caller();
  return ctx.services.db.rows(mailsStatement.with({ ids, everything: caller.kind === 'admin' }));
}

const mailsStatement = statement(
  'mail.by-id',
  {
    params: { ids: typed<readonly string[]>('text[]'), everything: typed<boolean>('boolean') },
    row: allOf(mailOutbox),
  },
  ({ ids, everything }, row) => sql`select ${row} from ${mailOutbox}
    where ${everything}::boolean and ${mailOutbox.id} = any(${ids}::text[])`,
);
