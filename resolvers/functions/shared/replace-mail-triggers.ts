import { sql } from '../../../db/drizzle.ts';
import { functionMailTriggers } from '../../../db/schema/function-mail-triggers.ts';
import type { MailEvent } from '../../../db/schema/mailbox-webhooks.ts';
import { insertInto, pick, statement } from '../../../db/sql.ts';
import type { FunctionTrigger, ReleasedFunction, ReleaseState } from '../../../engines/release/model.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';

/** A trigger that mail fires. */
export interface MailTrigger extends FunctionTrigger {
  readonly mailbox: string;
  readonly events: readonly MailEvent[];
}

/** The triggers of a function that mail fires. Contract 03, section 3.7. */
export const mailTriggersOf = ({ triggers }: Pick<ReleasedFunction, 'triggers'>): readonly MailTrigger[] =>
  triggers.filter((one): one is MailTrigger => one.type === 'email');

/** Puts the triggers of a release that mail fires in place of those before, in the transaction that makes it live. */
export async function replaceMailTriggers(
  work: Work,
  owner: { readonly orgId: string; readonly projectId: string },
  releaseId: string,
  { functions }: Pick<ReleaseState, 'functions'>,
): Promise<void> {
  await work.rows(removeStatement.with(owner));
  for (const [name, fn] of functions)
    for (const { id: triggerId, mailbox, events, run } of mailTriggersOf(fn))
      await work.rows(
        insertStatement.with({
          ...owner,
          function: name,
          triggerId,
          releaseId,
          mailbox,
          events: [...events],
          run: JSON.stringify(run),
        }),
      );
}

const removeStatement = statement(
  'mail-triggers.remove',
  { params: pick(functionMailTriggers, 'orgId', 'projectId') },
  ({ orgId, projectId }) => sql`delete from ${functionMailTriggers}
    where ${functionMailTriggers.orgId} = ${orgId} and ${functionMailTriggers.projectId} = ${projectId}`,
);

const insertStatement = statement(
  'mail-triggers.insert',
  {
    params: pick(
      functionMailTriggers,
      'orgId',
      'projectId',
      'function',
      'triggerId',
      'releaseId',
      'mailbox',
      'events',
      'run',
    ),
  },
  (given) => insertInto(functionMailTriggers, given),
);
