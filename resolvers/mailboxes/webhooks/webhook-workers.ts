import type { GuardedFetch } from '../../../core/guarded-fetch.ts';
import { mailboxWebhookDeliveries } from '../../../db/schema/mailbox-webhooks.ts';
import { leasedStatements } from '../../../kernel/durability/leased-statements.ts';
import type { LeasedKind, LeasedWork } from '../../../kernel/durability/leased-work.ts';
import { sendDelivery } from './send-delivery.ts';

declare module '../../../kernel/run/context.ts' {
  interface Services {
    /** Sends what webhooks are told, on this node. */
    readonly webhookDeliveries: LeasedWork;
    /** Asks receivers of webhooks: ten seconds for an answer, whose body is not read. */
    readonly webhookFetch: GuardedFetch;
  }
}

/** How long a node that has a delivery is believed to be alive, in seconds. Contract 02, section 6.5. */
const leaseSeconds = 60;

/** Taking deliveries, and keeping them. */
const leasedDeliveries = leasedStatements(
  {
    table: mailboxWebhookDeliveries,
    id: mailboxWebhookDeliveries.id,
    lane: mailboxWebhookDeliveries.projectId,
    dueAt: mailboxWebhookDeliveries.dueAt,
    lease: mailboxWebhookDeliveries.lease,
  },
  leaseSeconds,
);

/** What webhooks of mailboxes are told, in turns between projects. */
export const deliveryWork: LeasedKind = {
  statements: leasedDeliveries,
  run: sendDelivery,
  atOnce: 10,
  perLane: 3,
  renewMs: 15_000,
};
