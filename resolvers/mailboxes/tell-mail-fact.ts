import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { type MailFact, runMailFactHooks } from './shared/mail-facts.ts';
import { tellWebhooks } from './webhooks/tell-webhooks.ts';

/** Tells webhooks, and domains above, of something: exactly when the transaction that made it true is committed. */
export async function tellMailFact(work: Work, fact: MailFact): Promise<void> {
  await tellWebhooks(work, fact);
  await runMailFactHooks(work, fact);
}
