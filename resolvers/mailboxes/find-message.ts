import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { mailboxMessages } from '../../db/schema/mailboxes.ts';
import { pick, type RowOf, statement } from '../../db/sql.ts';
import type { Rows } from '../../db/statement.ts';
import { messageColumns } from './message.ts';

const wholeColumns = {
  ...messageColumns,
  ...pick(mailboxMessages, 'bodyText', 'bodyHtml', 'variables', 'references', 'updatedAt'),
};

/** A message with its bodies. */
export type WholeMessage = RowOf<typeof wholeColumns>;

/** A message of a mailbox. @throws MESSAGE_NOT_FOUND */
export async function findMessage(rows: Rows, mailboxId: string, id: string): Promise<WholeMessage> {
  const [found] = await rows(findStatement.with({ id, mailboxId }));
  if (found === undefined) throw new ServiceError('MESSAGE_NOT_FOUND', { details: { message_id: id } });
  return found;
}

// Found by its id alone, and then checked: two indexes could serve both.
const findStatement = statement(
  'mailboxes.find-message',
  { params: pick(mailboxMessages, 'id', 'mailboxId'), row: wholeColumns },
  ({ id, mailboxId }, row) => sql`select ${row} from ${mailboxMessages}
    where ${mailboxMessages.id} = ${id} and (${mailboxMessages.mailboxId} || '') = ${mailboxId}`,
);
