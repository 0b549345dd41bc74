import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { type MailMessage, mailOutbox } from '../../db/schema/platform.ts';
import { allOf, statement, typed } from '../../db/sql.ts';
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
  input: z.object({
    ...listWindow,
    state: z.enum(['queued', 'sent', 'failed']).optional().describe('Only mail in this state.'),
  }),
  async handler({ services }, { state = null, ...window }): Promise<ListPage<MailMessage>> {
    const list = newestFirst(services.keys, 'mail-outbox');
    const asked = { ...list.positionOf(window), state, limit: window.limit + 1 };
    return list.pageOf(await services.db.rows(list.statementOf(window, outboxStatements).with(asked)), window);
  },
  wire: z.object({ mails: z.array(MailWire), has_more: z.boolean(), next_cursor: z.string().nullable() }),
  toWire: (page) => ({ mails: page.rows.map(({ row }) => mailToWire(row)), ...pageToWire(page) }),
});

const outboxStatements = bothWays(mailOutbox, (way) =>
  statement(
    `mail.list-${way.name}`,
    {
      params: { ...way.params, state: typed<string | null>('text'), limit: typed<number>('bigint') },
      row: allOf(mailOutbox),
    },
    ({ state, limit, ...position }, row) => sql`select ${row} from ${mailOutbox}
      where ${way.beyond(position)} and coalesce(${mailOutbox.state} = ${state}::text, true) ${way.order} limit ${limit}`,
  ),
);
