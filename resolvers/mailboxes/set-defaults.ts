import { z } from 'zod';
import { invalidField, ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { mailboxes } from '../../db/schema/mailboxes.ts';
import { pick, setOf, statement, typed } from '../../db/sql.ts';
import { onNamedOrOwnProject, ownerOf, type ProjectScope } from '../../kernel/access/access.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { itsProject } from '../../kernel/input/fields.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { lockProjectFor } from '../projects/shared/lock-project.ts';
import { mailboxesOf, namedMailbox } from './find-mailbox.ts';
import { mailboxName } from './mailbox.ts';
import { listOf, type MailboxList, MailboxListWire, mailboxListToWire } from './mailbox-list.ts';
import { mailboxActions } from './shared/actions.ts';

/** `PATCH /mailboxes/v1/settings`. Contract 02, section 6.2. */
export const setMailboxDefaults = mutation({
  name: 'email.setMailboxDefaults',
  tool: 'set_mailbox_defaults',
  command: 'email defaults',
  effects: ['destructive', 'idempotent'],
  summary: 'Choose the mailbox that sends what names none, and the one that sends the mails of sign-in.',
  access: onNamedOrOwnProject(mailboxActions['project:mail:write']),
  lifecycle: 'owned',
  input: z.object({
    project: itsProject,
    default_outbound_mailbox_id: mailboxName
      .nullish()
      .describe('The mailbox that sends what names none, `mbx_…` or its slug; null for none.'),
    auth_sender_mailbox_id: mailboxName
      .nullish()
      .describe(
        'The mailbox that sends the mails of sign-in, `mbx_…` or its slug; null for the platform’s own sender.',
      ),
  }),
  async handler(work, { default_outbound_mailbox_id: outbound, auth_sender_mailbox_id: auth }): Promise<MailboxList> {
    if (outbound === undefined && auth === undefined)
      throw invalidField('default_outbound_mailbox_id', 'or `auth_sender_mailbox_id` must be given');
    await lockProjectFor(work, mailboxActions['project:mail:write']);
    const owner = ownerOf(work);
    if (outbound !== undefined)
      await work.rows(outboundStatement.with({ ...owner, id: await activeId(work, outbound) }));
    if (auth !== undefined) await work.rows(authStatement.with({ ...owner, id: await activeId(work, auth) }));
    return listOf(work, await mailboxesOf(work.rows, work));
  },
  audit: ({ defaultOutboundMailboxId, authSenderMailboxId }, _input, { project }) => ({
    action: 'mailbox.defaults_set',
    object: { kind: 'project', id: project.id },
    details: {
      default_outbound_mailbox_id: defaultOutboundMailboxId,
      auth_sender_mailbox_id: authSenderMailboxId,
    },
  }),
  wire: MailboxListWire,
  toWire: mailboxListToWire,
});

/** @throws MAILBOX_NOT_FOUND, DEFAULT_MAILBOX_INVALID */
async function activeId(work: Work & ProjectScope, name: string | null): Promise<string | null> {
  if (name === null) return null;
  const { id, status } = await namedMailbox(work.rows, work, name);
  if (status !== 'active') throw new ServiceError('DEFAULT_MAILBOX_INVALID', { details: { mailbox_id: id, status } });
  return id;
}

const params = { ...pick(mailboxes, 'orgId', 'projectId'), id: typed<string | null>('text') };

const outboundStatement = statement(
  'mailboxes.set-default-outbound',
  { params },
  ({ orgId, projectId, id }) => sql`update ${mailboxes}
    ${setOf(mailboxes, { isDefaultOutbound: sql`${mailboxes.id} is not distinct from ${id}::text` })}
    where ${mailboxes.orgId} = ${orgId} and ${mailboxes.projectId} = ${projectId}`,
);

const authStatement = statement(
  'mailboxes.set-auth-sender',
  { params },
  ({ orgId, projectId, id }) => sql`update ${mailboxes}
    ${setOf(mailboxes, { isAuthSender: sql`${mailboxes.id} is not distinct from ${id}::text` })}
    where ${mailboxes.orgId} = ${orgId} and ${mailboxes.projectId} = ${projectId}`,
);
