import type { LeasedKind } from '../kernel/durability/leased-work.ts';
import type { Services } from '../kernel/run/context.ts';
import { forkWork } from '../resolvers/apps/make-fork.ts';
import { versionWork } from '../resolvers/apps/prepare-version.ts';
import { projectArchiveWork } from '../resolvers/archives/export/make-archive.ts';
import { archiveImportWork } from '../resolvers/archives/import/make-import.ts';
import { branchWork } from '../resolvers/branches/branch-workers.ts';
import { channelWork } from '../resolvers/channel-routes/route-workers.ts';
import { checkoutWork } from '../resolvers/checkouts/checkout-workers.ts';
import { faucetWork } from '../resolvers/faucet/send-drip.ts';
import { runWork } from '../resolvers/functions/runs/run-workers.ts';
import { jobCallbackWork, jobWork } from '../resolvers/jobs/job-workers.ts';
import { deliveryWork } from '../resolvers/mailboxes/webhooks/webhook-workers.ts';
import { noticeWork } from '../resolvers/notices/notice-workers.ts';
import { rehearsalWork } from '../resolvers/rehearsals/run-rehearsal.ts';
import { callWork } from '../resolvers/signers/calls/call-workers.ts';
import { copyWork } from '../resolvers/snapshots/copy-workers.ts';

/** Every kind of leased work, by the service that domains tell of it. */
export const leasedKinds = {
  functionRuns: [runWork],
  copies: copyWork,
  branchWork: [branchWork],
  rehearsalWork: [rehearsalWork],
  webhookDeliveries: [deliveryWork],
  noticeDeliveries: [noticeWork],
  faucetWork: [faucetWork],
  contractCalls: [callWork],
  checkoutWork: [checkoutWork],
  appVersionWork: [versionWork],
  appForkWork: [forkWork],
  projectArchiveWork: [projectArchiveWork],
  archiveImportWork: [archiveImportWork],
  jobWork: [jobWork],
  jobCallbackWork: [jobCallbackWork],
  channelPublishing: [channelWork],
} satisfies Partial<Record<keyof Services, readonly LeasedKind[]>>;

export type LeasedName = keyof typeof leasedKinds;

export const leasedNames = Object.keys(leasedKinds) as readonly LeasedName[];

/** Frees what a process held that is known to be gone. */
export const freeLeasedStatements = Object.values(leasedKinds)
  .flat()
  .map(({ statements }) => statements.free);
