import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { mailboxes } from '../../db/schema/mailboxes.ts';
import { pick, setOf, statement } from '../../db/sql.ts';
import { onNamedOrOwnProject } from '../../kernel/access/access.ts';
import { itsProject } from '../../kernel/input/fields.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { lockProjectFor } from '../projects/shared/lock-project.ts';
import { mailboxToRead, namedMailbox } from './find-mailbox.ts';
import { type Mailbox, MailboxWire, mailboxName, mailboxToWire, shownMailbox } from './mailbox.ts';
import { mailboxActions } from './shared/actions.ts';

/** `PATCH /mailboxes/v1/:mailbox_id`. Contract 02, section 6.2. */
export const updateMailbox = mutation({
  name: 'email.updateMailbox',
  tool: 'update_mailbox',
  command: 'email update',
  effects: ['destructive', 'idempotent'],
  summary: 'Choose whether mail of a mailbox says at its end where it was sent from.',
  access: onNamedOrOwnProject(mailboxActions['project:mail:write']),
  lifecycle: 'owned',
  input: z.object({
    project: itsProject,
    mailbox: mailboxName.optional().describe('The mailbox, `mbx_…` or its slug; the only one unless named.'),
    footer_policy: z
      .enum(['svc_transparency', 'none'])
      .describe('`svc_transparency`: a footer says it. `none`, from the tier hobby on: mail is sent as given.'),
  }),
  async handler(work, { mailbox, footer_policy: footerPolicy }): Promise<Mailbox> {
    await lockProjectFor(work, mailboxActions['project:mail:write']);
    const known = await mailboxToRead(work.rows, work, mailbox);
    if (footerPolicy === 'none' && work.org.tier === 'prototype')
      throw new ServiceError('FOOTER_POLICY_TIER_REQUIRED', { details: { tier: work.org.tier } });
    await work.rows(footerStatement.with({ id: known.id, footerPolicy }));
    return shownMailbox(work, await namedMailbox(work.rows, work, known.id));
  },
  audit: ({ id, footerPolicy }, _input, { project }) => ({
    action: 'mailbox.updated',
    object: { kind: 'mailbox', id },
    details: { project_id: project.id, footer_policy: footerPolicy },
  }),
  wire: MailboxWire,
  toWire: mailboxToWire,
});

const footerStatement = statement(
  'mailboxes.set-footer',
  { params: pick(mailboxes, 'id', 'footerPolicy') },
  ({ id, footerPolicy }) => sql`update ${mailboxes}
    ${setOf(mailboxes, { footerPolicy, updatedAt: sql`now()` })} where ${mailboxes.id} = ${id}`,
);
