import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { mailboxMessages } from '../../db/schema/mailboxes.ts';
import { pick, type RowOf, statement } from '../../db/sql.ts';
import { onNamedOrOwnProject } from '../../kernel/access/access.ts';
import { itsProject } from '../../kernel/input/fields.ts';
import { query } from '../../kernel/run/operation.ts';
import { mailboxToRead } from './find-mailbox.ts';
import { findMessage, type WholeMessage } from './find-message.ts';
import { mailboxName } from './mailbox.ts';
import { messageShape, messageToWire } from './message.ts';
import { mailboxActions } from './shared/actions.ts';

const replyColumns = pick(mailboxMessages, 'id', 'fromAddress', 'bodyText', 'receivedAt', 'createdAt');

/** A message with its text, and those that answered it. */
export interface ReadMessage extends WholeMessage {
  readonly replies: readonly RowOf<typeof replyColumns>[];
}

/** `GET /mailboxes/v1/:mailbox_id/messages/:message_id`. Contract 02, section 6.4. */
export const getMailboxMessage = query({
  name: 'email.get',
  tool: 'get_email',
  command: 'email get',
  summary: 'A mail of a mailbox with its text, and the mails that answered it.',
  access: onNamedOrOwnProject(mailboxActions['project:mail:read']),
  input: z.object({
    project: itsProject,
    mailbox: mailboxName.optional().describe('The mailbox, `mbx_…` or its slug; the only one unless named.'),
    message: z.string().min(1).max(256).describe('The message, `msg_…`.'),
  }),
  async handler(ctx, { mailbox, message: id }): Promise<ReadMessage> {
    const { rows } = ctx.services.db;
    const message = await findMessage(rows, (await mailboxToRead(rows, ctx, mailbox)).id, id);
    return { ...message, replies: await rows(repliesStatement.with({ inReplyToId: message.id })) };
  },
  wire: z
    .object({
      ...messageShape,
      body_text: z.string(),
      body_html: z.string().nullable(),
      variables: z.record(z.string(), z.string()).nullable(),
      updated_at: z.iso.datetime(),
      replies: z.array(z.object({ id: z.string(), from: z.string(), body: z.string(), received_at: z.iso.datetime() })),
    })
    .meta({ id: 'MailboxMessageDetail' }),
  toWire: ({ replies, ...message }) => ({
    ...messageToWire(message),
    body_text: message.bodyText,
    body_html: message.bodyHtml,
    variables: message.variables === null ? null : { ...message.variables },
    updated_at: message.updatedAt.toISOString(),
    replies: replies.map(({ id, fromAddress, bodyText, receivedAt, createdAt }) => ({
      id,
      from: fromAddress,
      body: bodyText,
      received_at: (receivedAt ?? createdAt).toISOString(),
    })),
  }),
});

// The newest hundred; what programs answer is no reply.
const repliesStatement = statement(
  'mailboxes.replies',
  { params: { inReplyToId: mailboxMessages.id }, row: replyColumns },
  ({ inReplyToId }, row) => sql`select ${row} from ${mailboxMessages}
    where ${mailboxMessages.inReplyToId} = ${inReplyToId} and ${mailboxMessages.direction} = 'inbound'
    and not ${mailboxMessages.isAutomatic}
    order by ${mailboxMessages.createdAt} desc limit 100`,
);
