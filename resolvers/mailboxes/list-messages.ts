import { z } from 'zod';
import { requestIdOf } from '../../core/tracing.ts';
import { sql } from '../../db/drizzle.ts';
import { mailboxMessages } from '../../db/schema/mailboxes.ts';
import { pick, statement, typed } from '../../db/sql.ts';
import { onNamedOrOwnProject } from '../../kernel/access/access.ts';
import { itsProject } from '../../kernel/input/fields.ts';
import { bothWays, type ListPage, listWindow, newestFirst, pageToWire } from '../../kernel/input/list-page.ts';
import { query } from '../../kernel/run/operation.ts';
import { soughtRequest } from '../../kernel/run/request-id.ts';
import { mailboxToRead } from './find-mailbox.ts';
import { mailboxName } from './mailbox.ts';
import { type MailboxMessage, MailboxMessageWire, messageColumns, messageToWire } from './message.ts';
import { mailboxActions } from './shared/actions.ts';

/** `GET /mailboxes/v1/:mailbox_id/messages`. Contract 02, section 6.4. */
export const listMailboxMessages = query({
  name: 'email.list',
  tool: 'list_emails',
  command: 'email list',
  summary: 'The mail of a mailbox, in and out, newest first.',
  access: onNamedOrOwnProject(mailboxActions['project:mail:read']),
  input: z.object({
    project: itsProject,
    mailbox: mailboxName.optional().describe('The mailbox, `mbx_…` or its slug; the only one unless named.'),
    direction: z.enum(['inbound', 'outbound']).optional().describe('Only mail of this direction.'),
    request_id: soughtRequest.describe(
      'Only what this request sent: `trc_…` or `req_…`, or the run or job of a function, `fnrun_…` or `job_…`.',
    ),
    ...listWindow,
  }),
  async handler(
    ctx,
    { mailbox, direction = null, request_id, project: _named, ...window },
  ): Promise<ListPage<MailboxMessage>> {
    const { db, keys } = ctx.services;
    const { id } = await mailboxToRead(db.rows, ctx, mailbox);
    const list = newestFirst(keys, `mailbox:${id}`);
    const asked = {
      mailboxId: id,
      direction,
      requestId: request_id === undefined ? null : requestIdOf(request_id),
      ...list.positionOf(window),
      limit: window.limit + 1,
    };
    return list.pageOf(await db.rows(list.statementOf(window, listStatements).with(asked)), window);
  },
  wire: z.object({
    messages: z.array(MailboxMessageWire),
    has_more: z.boolean(),
    next_cursor: z.string().nullable(),
  }),
  toWire: (page) => ({ messages: page.rows.map(({ row }) => messageToWire(row)), ...pageToWire(page) }),
});

const listStatements = bothWays(mailboxMessages, (way) =>
  statement(
    `mailboxes.list-messages-${way.name}`,
    {
      params: {
        ...pick(mailboxMessages, 'mailboxId'),
        direction: typed<string | null>('text'),
        requestId: typed<string | null>('text'),
        ...way.params,
        limit: typed<number>('bigint'),
      },
      row: messageColumns,
    },
    ({ mailboxId, direction, requestId, limit, ...given }, row) => sql`select ${row} from ${mailboxMessages}
      where ${mailboxMessages.mailboxId} = ${mailboxId} and ${way.beyond(given)}
        and coalesce(${mailboxMessages.direction} = ${direction}::text, true)
        and (${requestId}::text is null or ${mailboxMessages.requestId} = ${requestId}) ${way.order} limit ${limit}`,
  ),
);
