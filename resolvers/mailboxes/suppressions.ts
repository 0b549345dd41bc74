import { sql } from '../../db/drizzle.ts';
import { mailSuppressions } from '../../db/schema/mailboxes.ts';
import { insertInto, pick, type RowOf, statement } from '../../db/sql.ts';
import type { Rows } from '../../db/statement.ts';
import { knownAs } from '../../kernel/input/email-address.ts';

const suppression = pick(mailSuppressions, 'scope', 'reason');

/** Why an address is not written to. */
type Suppression = RowOf<typeof suppression>;

/** What keeps a project from writing to an address, one that holds for all projects first; undefined when nothing does. */
export async function suppressionOf(rows: Rows, projectId: string, address: string): Promise<Suppression | undefined> {
  const [found] = await rows(suppressedStatement.with({ address: knownAs(address), projectId }));
  return found;
}

/**
 * Has an address written to no more.
 *
 * @param scope the project that it holds for; `*` for all of them
 * @param learnt the mail that it was learnt from
 */
export async function suppress(
  rows: Rows,
  learnt: { readonly id: string; readonly recipient: string },
  { scope, reason }: Suppression,
): Promise<void> {
  const given = { address: knownAs(learnt.recipient), scope, reason, messageId: learnt.id };
  await rows(suppressStatement.with(given));
}

const suppressedStatement = statement(
  'mailboxes.suppressed',
  { params: { ...pick(mailSuppressions, 'address'), projectId: mailSuppressions.scope }, row: suppression },
  ({ address, projectId }, row) => sql`select ${row} from ${mailSuppressions}
    where ${mailSuppressions.address} = ${address} and ${mailSuppressions.scope} in ('*', ${projectId})
    order by ${mailSuppressions.scope} limit 1`,
);

const suppressStatement = statement(
  'mailboxes.suppress',
  { params: pick(mailSuppressions, 'address', 'scope', 'reason', 'messageId') },
  (given) => sql`${insertInto(mailSuppressions, given)} on conflict do nothing`,
);
