import type { GuardedFetch } from '../../../core/guarded-fetch.ts';
import { mailboxWebhookDeliveries } from '../../../db/schema/mailbox-webhooks.ts';
import { leasedStatements } from '../../../kernel/durability/leased-statements.ts';
import { type LeasedWork, startLeasedWork } from '../../../kernel/durability/leased-work.ts';
import type { Context, Services } from '../../../kernel/run/context.ts';
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

/** Deliveries that a node sends at a time, and of one project. */
const atOnce = 10;
const ofProject = 3;

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

/** @param contextOf the context of background work, which ends with the signal */
export const startWebhookWorkers = (services: Services, contextOf: (signal: AbortSignal) => Context) =>
  startLeasedWork({
    statements: leasedDeliveries,
    rows: services.db.rows,
    log: services.log,
    run: (item, signal) => sendDelivery(contextOf(signal), item),
    atOnce,
    perLane: ofProject,
    renewMs: 15_000,
    pollMs: 2_000,
  });
