import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { mailboxes } from '../../db/schema/mailboxes.ts';
import { pick, statement } from '../../db/sql.ts';
import type { Rows } from '../../db/statement.ts';
import { ownerOf, type ProjectScope } from '../../kernel/access/access.ts';
import { type MailboxRow, mailboxColumns } from './mailbox.ts';

/** The mailboxes of a project that are not deleted, newest first. */
export const mailboxesOf = (rows: Rows, scope: ProjectScope): Promise<MailboxRow[]> =>
  rows(listStatement.with(ownerOf(scope)));

/** @param name an id, or a slug @throws MAILBOX_NOT_FOUND */
export async function namedMailbox(rows: Rows, scope: ProjectScope, name: string): Promise<MailboxRow> {
  const found = (await mailboxesOf(rows, scope)).find(({ id, slug }) => id === name || slug === name);
  if (found === undefined) throw new ServiceError('MAILBOX_NOT_FOUND', { details: { mailbox: name } });
  return found;
}

/**
 * The mailbox that reads what names none: the only one. Contract 02, section 6.3.
 *
 * @throws MAILBOX_NOT_FOUND, AMBIGUOUS_MAILBOX
 */
export async function mailboxToRead(rows: Rows, scope: ProjectScope, name: string | undefined): Promise<MailboxRow> {
  if (name !== undefined) return namedMailbox(rows, scope, name);
  const [only, ...more] = await mailboxesOf(rows, scope);
  if (only === undefined) throw new ServiceError('MAILBOX_NOT_FOUND');
  if (more.length > 0) throw new ServiceError('AMBIGUOUS_MAILBOX');
  return only;
}

/**
 * The mailbox that sends what names none: the default one. Contract 02, section 6.3.
 *
 * @throws MAILBOX_NOT_FOUND, DEFAULT_MAILBOX_REQUIRED, DEFAULT_MAILBOX_INVALID, MAILBOX_NOT_SEND_READY
 */
export async function mailboxToSend(rows: Rows, scope: ProjectScope, name: string | undefined): Promise<MailboxRow> {
  if (name !== undefined) {
    const named = await namedMailbox(rows, scope, name);
    if (named.status === 'suspended')
      throw new ServiceError('MAILBOX_NOT_SEND_READY', { details: { send_blocked_reason: 'mailbox_suspended' } });
    return named;
  }
  const usual = (await mailboxesOf(rows, scope)).find(({ isDefaultOutbound }) => isDefaultOutbound);
  if (usual === undefined) throw new ServiceError('DEFAULT_MAILBOX_REQUIRED');
  if (usual.status === 'suspended')
    throw new ServiceError('DEFAULT_MAILBOX_INVALID', { details: { send_blocked_reason: 'mailbox_suspended' } });
  return usual;
}

// A project has five at most.
const listStatement = statement(
  'mailboxes.list',
  { params: pick(mailboxes, 'orgId', 'projectId'), row: mailboxColumns },
  (given, row) => sql`select ${row} from ${mailboxes} where ${mailboxes.orgId} = ${given.orgId}
    and ${mailboxes.projectId} = ${given.projectId} and ${mailboxes.deletedAt} is null
    order by ${mailboxes.createdAt} desc, ${mailboxes.id} desc`,
);
