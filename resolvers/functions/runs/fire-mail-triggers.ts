import { sql } from '../../../db/drizzle.ts';
import { functionMailTriggers } from '../../../db/schema/function-mail-triggers.ts';
import { mailboxes } from '../../../db/schema/mailboxes.ts';
import { pick, statement, typed } from '../../../db/sql.ts';
import { inputDigest } from '../../../kernel/durability/idempotency.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import type { MailFact } from '../../mailboxes/shared/mail-facts.ts';
import { insertRun } from './insert-run.ts';
import { retryInput, retryOf } from './retry.ts';

/**
 * Makes a run of each function that waits for such mail, in the transaction that made it true. The key of a run is its
 * trigger and what happened: nothing that happened makes two runs of one trigger. Contract 02, section 6.8.
 */
export async function fireMailTriggers(work: Work, fact: MailFact): Promise<void> {
  const { orgId, projectId, mailboxId, type, discriminator } = fact;
  for (const { function: name, triggerId, releaseId, run } of await work.rows(
    waitingStatement.with({ orgId, projectId, mailboxId, type }),
  ))
    await insertRun(work, {
      orgId,
      projectId,
      function: name,
      eventType: run.eventType,
      source: {
        type: 'email',
        trigger_id: triggerId,
        release_id: releaseId,
        mailbox_id: mailboxId,
        event_type: type,
        discriminator,
      },
      idempotencyKey: ['email', projectId, name, releaseId, triggerId, type, discriminator].join(':'),
      intent: inputDigest(run),
      payload: { ...run.payload, event: eventOf(fact) },
      retry: retryOf(run.retry === undefined ? undefined : retryInput.parse(run.retry)),
      expiresAfterSeconds: run.expiresAfterSeconds,
    });
}

/** What happened, as a function is told. */
function eventOf({ type, payload }: MailFact): object {
  if (type !== 'mailbox_suspended') return { type, ...payload };
  const { reason, ...rest } = payload;
  return { type, ...rest, suspended_reason: reason };
}

const waitingStatement = statement(
  'mail-triggers.of-event',
  {
    params: {
      ...pick(functionMailTriggers, 'orgId', 'projectId'),
      mailboxId: typed<string>('text'),
      type: typed<string>('text'),
    },
    row: pick(functionMailTriggers, 'function', 'triggerId', 'releaseId', 'run'),
  },
  ({ orgId, projectId, mailboxId, type }, row) => sql`select ${row} from ${mailboxes}
    join ${functionMailTriggers} on ${functionMailTriggers.orgId} = ${orgId}
      and ${functionMailTriggers.projectId} = ${projectId}
      and ${functionMailTriggers.mailbox} in (${mailboxes.id}, ${mailboxes.slug})
    where ${mailboxes.id} = ${mailboxId} and ${type}::text = any(${functionMailTriggers.events})
    order by ${functionMailTriggers.function} collate "C", ${functionMailTriggers.triggerId} collate "C"`,
);
