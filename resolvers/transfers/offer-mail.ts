import { queueMail } from '../../kernel/durability/outbox.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { offerMailRate } from '../../kernel/limits/limits.ts';
import { assertWithinRate } from '../../kernel/limits/rate-limit.ts';
import type { Transfer } from '../projects/shared/transfer-summary.ts';

/** Queues the mail that tells somebody of an offer. @throws RATE_LIMITED when the organization causes too many */
export async function mailOffer(work: Work, transfer: Transfer): Promise<void> {
  const { services } = work;
  assertWithinRate(services.rateLimiter.take(`offers:${transfer.orgId}`, offerMailRate));
  await queueMail(work, {
    orgId: transfer.orgId,
    to: transfer.recipient,
    subject: `You are offered the project ${transfer.projectName}`,
    text: [
      `You are offered the project ${transfer.projectName} (${transfer.projectId}), with all that is in it.`,
      ...(transfer.message === null ? [] : ['', 'Whoever offers it says:', ...quoted(transfer.message)]),
      '',
      `Look at it, and claim it, signed in with this address before ${transfer.expiresAt.toISOString()}:`,
      `${services.settings.mailBaseUrl}/console/transfers/${transfer.id}`,
      '',
      'If you expected no such offer, nothing needs to be done.',
    ].join('\n'),
  });
}

/** What somebody wrote, told from what the platform says by how each line begins. */
const quoted = (message: string) => message.split(/\r\n|[\n\r\u2028\u2029]/).map((line) => `> ${line}`);
