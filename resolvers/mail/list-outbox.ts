import { z } from 'zod';
import { columnsOf } from '../../db/columns-of.ts';
import type { Statement } from '../../db/pool.ts';
import { type MailMessage, mailOutbox } from '../../db/schema/platform.ts';
import { platformAdmin } from '../access.ts';
import { cursor, pageLimit } from '../fields.ts';
import { type ListPage, newestFirst, pageToWire } from '../list-page.ts';
import { query } from '../operation.ts';
import { MailWire, mailToWire } from './wire.ts';

/** `GET /mail/v1/admin/outbox`: what went out, what waits and what failed. */
export const listOutbox = query({
  name: 'mail.listOutbox',
  summary: 'Mail on its way out, newest first.',
  access: platformAdmin(),
  input: z.object({ limit: pageLimit, after: cursor.optional() }),
  async handler({ services }, { limit, after }): Promise<ListPage<MailMessage>> {
    const list = newestFirst(services.keys, 'mail-outbox');
    const values = [...list.positionOf(after), limit + 1];
    return list.pageOf(await services.db.rows<MailMessage>(outboxStatement, values), limit);
  },
  wire: z.object({ mails: z.array(MailWire), has_more: z.boolean(), next_cursor: z.string().nullable() }),
  toWire: (page) => ({ mails: page.rows.map(({ row }) => mailToWire(row)), ...pageToWire(page) }),
});

const outboxStatement: Statement = {
  name: 'mail.list',
  text: `select ${columnsOf(mailOutbox, 'm')} from mail_outbox m
    where $1::timestamptz is null or (m.created_at, m.id) < ($1, $2)
    order by m.created_at desc, m.id desc limit $3`,
};
