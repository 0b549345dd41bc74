import type { MailEvent } from '../../../db/schema/mailbox-webhooks.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';

/** Something that happened to the mail of a mailbox. */
export interface MailFact {
  readonly orgId: string;
  readonly projectId: string;
  readonly mailboxId: string;
  readonly type: MailEvent;
  /** Tells this fact from others of its type, for good: the same fact is told once. */
  readonly discriminator: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

type MailFactHook = (work: Work, fact: MailFact) => Promise<void>;

const hooks: MailFactHook[] = [];

/** Has a domain above do its part, in the transaction that made a fact true. */
export const onMailFact = (hook: MailFactHook): void => void hooks.push(hook);

/** Does the parts of all domains, in the order of their registration. */
export async function runMailFactHooks(work: Work, fact: MailFact): Promise<void> {
  for (const hook of hooks) await hook(work, fact);
}
