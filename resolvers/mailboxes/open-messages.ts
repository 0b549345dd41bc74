import { z } from 'zod';
import { onNamedOrOwnProject } from '../../kernel/access/access.ts';
import type { ChangeRow } from '../../kernel/feeds/changes.ts';
import { type Opened, openFeed } from '../../kernel/feeds/open-feed.ts';
import { cursor, itsProject } from '../../kernel/input/fields.ts';
import { query } from '../../kernel/run/operation.ts';
import { mailboxToRead } from './find-mailbox.ts';
import { mailboxName } from './mailbox.ts';
import { type MessageChange, messageFeed } from './message-feed.ts';
import { mailboxActions } from './shared/actions.ts';

export interface OpenedMailbox extends Opened<ChangeRow<MessageChange>> {
  readonly projectId: string;
}

/** What a subscription begins with: the right to follow the mailbox, and the position of its cursor. */
export const openMailboxMessages = query({
  name: 'email.openMessages',
  command: 'email list --follow',
  sdk: 'followMessages',
  follows: ['mailboxMessages'],
  summary: 'Begin to follow the mail of a mailbox: what comes in, and what becomes of what it sends.',
  access: onNamedOrOwnProject(mailboxActions['project:mail:read']),
  input: z.object({
    project: itsProject,
    mailbox: mailboxName.optional().describe('The mailbox, `mbx_…` or its slug; the only one unless named.'),
    cursor: cursor.optional(),
  }),
  async handler(ctx, { mailbox, cursor: after }): Promise<OpenedMailbox> {
    const { services, org, project } = ctx;
    const { id } = await mailboxToRead(services.db.rows, ctx, mailbox);
    const opened = await openFeed(services, messageFeed(org.id, id), after);
    // Without a cursor, from now on.
    return { ...opened, ...(after === undefined ? { position: opened.head } : {}), projectId: project.id };
  },
  wire: z.object({ reset: z.boolean() }),
  toWire: ({ reset }) => ({ reset }),
});
