import { z } from 'zod';
import { onNamedOrOwnProject } from '../../kernel/access/access.ts';
import { itsProject } from '../../kernel/input/fields.ts';
import { query } from '../../kernel/run/operation.ts';
import { mailboxesOf } from './find-mailbox.ts';

import { listOf, type MailboxList, MailboxListWire, mailboxListToWire } from './mailbox-list.ts';
import { mailboxActions } from './shared/actions.ts';

/** `GET /mailboxes/v1`. Contract 02, section 6.2. */
export const listMailboxes = query({
  name: 'email.listMailboxes',
  tool: 'list_mailboxes',
  command: 'email mailboxes',
  summary: 'The mailboxes of a project, newest first, and what mail goes through.',
  access: onNamedOrOwnProject(mailboxActions['project:mail:read']),
  input: z.object({ project: itsProject }),
  handler: async (ctx): Promise<MailboxList> => listOf(ctx, await mailboxesOf(ctx.services.db.rows, ctx)),
  wire: MailboxListWire,
  toWire: mailboxListToWire,
});
