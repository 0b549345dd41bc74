import { z } from 'zod';
import { columnsOf } from '../../db/columns-of.ts';
import { type MailMessage, mailOutbox } from '../../db/schema/platform.ts';
import { platformAdmin } from '../../kernel/access/access.ts';
import { bothWays, type ListPage, listWindow, newestFirst, pageToWire } from '../../kernel/input/list-page.ts';
import { query } from '../../kernel/run/operation.ts';
import { MailWire, mailToWire } from './wire.ts';

/** `GET /mail/v1/admin/outbox`: what went out, what waits and what failed. */
export const listOutbox = query({
  name: 'mail.listOutbox',
  tool: 'admin_list_outbox',
  command: 'admin outbox',
  summary: 'Mail on its way out, newest first.',
  access: platformAdmin(),
  input: z.object(listWindow),
  async handler({ services }, window): Promise<ListPage<MailMessage>> {
    const list = newestFirst(services.keys, 'mail-outbox');
    const values = [...list.positionOf(window), window.limit + 1];
    return list.pageOf(await services.db.rows<MailMessage>(list.statementOf(window, outboxStatements), values), window);
  },
  wire: z.object({ mails: z.array(MailWire), has_more: z.boolean(), next_cursor: z.string().nullable() }),
  toWire: (page) => ({ mails: page.rows.map(({ row }) => mailToWire(row)), ...pageToWire(page) }),
});

const outboxStatements = bothWays((way) => ({
  name: `mail.list-${way.name}`,
  text: `select ${columnsOf(mailOutbox, 'm')} from mail_outbox m
    where ${way.beyond('m', 1)}
    ${way.order('m')} limit $3`,
}));
