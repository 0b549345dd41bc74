import { columnsOf } from '../../db/columns-of.ts';
import type { Statement } from '../../db/pool.ts';
import { type MailMessage, mailOutbox } from '../../db/schema/platform.ts';
import type { Context } from '../../kernel/run/context.ts';

/** Mails of the outbox by id, in one statement; nobody but the platform admin sees any. */
export async function loadMails(ctx: Context, ids: readonly string[]): Promise<MailMessage[]> {
  const caller = await ctx.caller();
  return ctx.services.db.rows<MailMessage>(mailsStatement, [ids, caller.kind === 'admin']);
}

const mailsStatement: Statement = {
  name: 'mail.by-id',
  text: `select ${columnsOf(mailOutbox, 'm')} from mail_outbox m where $2::boolean and m.id = any($1::text[])`,
};
