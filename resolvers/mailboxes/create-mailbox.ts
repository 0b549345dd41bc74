import { z } from 'zod';
import { onNamedOrOwnProject } from '../../kernel/access/access.ts';
import { itsProject } from '../../kernel/input/fields.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { lockProjectFor } from '../projects/shared/lock-project.ts';
import { type Mailbox, MailboxWire, mailboxToWire, shownMailbox } from './mailbox.ts';
import { mailboxActions } from './shared/actions.ts';
import { mailboxSlug, openMailbox } from './shared/open-mailbox.ts';

/** `POST /mailboxes/v1`. Contract 02, section 6.2. */
export const createMailbox = mutation({
  name: 'email.createMailbox',
  tool: 'create_mailbox',
  command: 'email create',
  summary: 'Make a mailbox of a project. The first one sends what names none.',
  access: onNamedOrOwnProject(mailboxActions['project:mail:write']),
  lifecycle: 'owned',
  input: z.object({
    project: itsProject,
    slug: mailboxSlug.describe('What stands before the `@`, 3 to 63 characters.').meta({ examples: ['hello-there'] }),
  }),
  async handler(work, { slug }): Promise<Mailbox> {
    await lockProjectFor(work, mailboxActions['project:mail:write']);
    return shownMailbox(work, await openMailbox(work, slug));
  },
  audit: ({ id, address }, _input, { project }) => ({
    action: 'mailbox.created',
    object: { kind: 'mailbox', id },
    details: { project_id: project.id, address },
  }),
  wire: MailboxWire,
  toWire: mailboxToWire,
});
