import { z } from 'zod';
import { onNamedOrOwnProject } from '../../kernel/access/access.ts';
import { itsProject } from '../../kernel/input/fields.ts';
import { query } from '../../kernel/run/operation.ts';
import { mailboxToRead } from './find-mailbox.ts';
import { type Mailbox, MailboxWire, mailboxName, mailboxToWire, shownMailbox } from './mailbox.ts';
import { mailboxActions } from './shared/actions.ts';

/** `GET /mailboxes/v1/:mailbox_id`. Contract 02, section 6.2. */
export const getMailbox = query({
  name: 'email.getMailbox',
  tool: 'get_mailbox',
  command: 'email info',
  summary: 'A mailbox of a project, and whether it sends and receives.',
  access: onNamedOrOwnProject(mailboxActions['project:mail:read']),
  input: z.object({
    project: itsProject,
    mailbox: mailboxName.optional().describe('The mailbox, `mbx_…` or its slug; the only one unless named.'),
  }),
  handler: async (ctx, { mailbox }): Promise<Mailbox> =>
    shownMailbox(ctx, await mailboxToRead(ctx.services.db.rows, ctx, mailbox)),
  wire: MailboxWire,
  toWire: mailboxToWire,
});
