import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { mailAddresses, receiveTests } from '../../db/schema/mail-domains.ts';
import { mailboxWebhookDeliveries, mailboxWebhooks } from '../../db/schema/mailbox-webhooks.ts';
import { mailboxAttachments, mailboxes, mailboxMessages } from '../../db/schema/mailboxes.ts';
import { pick, setOf, statement } from '../../db/sql.ts';
import { onNamedOrOwnProject, ownerOf } from '../../kernel/access/access.ts';
import { itsProject } from '../../kernel/input/fields.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { giveUpContent } from '../content/shared/named-content.ts';
import { lockProjectFor } from '../projects/shared/lock-project.ts';
import { namedMailbox } from './find-mailbox.ts';
import { type Mailbox, mailboxName, shownMailbox } from './mailbox.ts';
import { mailboxActions } from './shared/actions.ts';

/** `DELETE /mailboxes/v1/:mailbox_id`. Contract 02, section 6.2. */
export const deleteMailbox = mutation({
  name: 'email.deleteMailbox',
  tool: 'delete_mailbox',
  command: 'email delete',
  effects: ['destructive', 'idempotent'],
  summary: 'Delete a mailbox of a project with all its mail, for good. Its address rests for 30 days.',
  access: onNamedOrOwnProject(mailboxActions['project:mail:write']),
  lifecycle: 'owned',
  input: z.object({ project: itsProject, mailbox: mailboxName.describe('The mailbox, `mbx_…` or its slug.') }),
  async handler(work, { mailbox }): Promise<Mailbox> {
    await lockProjectFor(work, mailboxActions['project:mail:write']);
    const known = await namedMailbox(work.rows, work, mailbox);
    await work.rows(deleteStatement.with({ id: known.id }));
    const held = await work.rows(forgetStatement.with({ mailboxId: known.id }));
    for (const forget of forgetStatements) await work.rows(forget.with({ mailboxId: known.id }));
    const sha256s = [...new Set(held.flatMap(({ rawSha256 }) => rawSha256 ?? []))];
    await giveUpContent(work.rows, ownerOf(work), sha256s);
    return shownMailbox(work, { ...known, status: 'deleted', isDefaultOutbound: false, isAuthSender: false });
  },
  audit: ({ id, address }, _input, { project }) => ({
    action: 'mailbox.deleted',
    object: { kind: 'mailbox', id },
    details: { project_id: project.id, address },
  }),
  wire: z.object({
    status: z.literal('deleted'),
    mailbox_id: z.string(),
    address: z.string(),
    managed_address: z.string(),
  }),
  toWire: ({ id, address, managedAddress }) => ({
    status: 'deleted' as const,
    mailbox_id: id,
    address,
    managed_address: managedAddress,
  }),
});

const deleteStatement = statement(
  'mailboxes.delete',
  { params: pick(mailboxes, 'id') },
  ({ id }) =>
    sql`update ${mailboxes} ${setOf(mailboxes, {
      status: sql`'deleted'`,
      isDefaultOutbound: sql`false`,
      isAuthSender: sql`false`,
      deletedAt: sql`now()`,
      updatedAt: sql`now()`,
    })} where ${mailboxes.id} = ${id}`,
);

const forgetStatement = statement(
  'mailboxes.forget-messages',
  { params: pick(mailboxMessages, 'mailboxId'), row: pick(mailboxMessages, 'rawSha256') },
  ({ mailboxId }, row) => sql`with gone as (
      delete from ${mailboxMessages} where ${mailboxMessages.mailboxId} = ${mailboxId} returning ${mailboxMessages}.*
    ), forgotten as (
      delete from ${mailboxAttachments} where ${mailboxAttachments.messageId} in (select id from gone)
    ) select ${row} from gone ${mailboxMessages}`,
);

const forgetStatements = [mailboxWebhookDeliveries, mailboxWebhooks, mailAddresses, receiveTests].map((table, at) =>
  statement(
    `mailboxes.forget-parts-${at}`,
    { params: pick(mailboxMessages, 'mailboxId') },
    ({ mailboxId }) => sql`delete from ${table} where ${table.mailboxId} = ${mailboxId}`,
  ),
);
