import type { AnyOperation } from '../kernel/run/operation.ts';
import { operations } from '../resolvers/index.ts';
import { aiRoutes } from './ai.ts';
import { appRoutes } from './apps.ts';
import { archiveRoutes } from './archives.ts';
import { assetRoutes } from './assets.ts';
import { auditRoutes } from './audit.ts';
import { billingRoutes } from './billing.ts';
import { cacheRoutes } from './cache.ts';
import { channelRouteRoutes } from './channel-routes.ts';
import { ciRoutes } from './ci.ts';
import { claimRoutes } from './claims.ts';
import { contentRoutes } from './content.ts';
import { credentialRoutes } from './credentials.ts';
import { deployRoutes } from './deploys.ts';
import { errorRoutes } from './errors.ts';
import { escalationRoutes } from './escalations.ts';
import { eventRoutes } from './events.ts';
import { feedbackRoutes } from './feedback.ts';
import { functionRunRoutes } from './function-runs.ts';
import { grantRoutes } from './grants.ts';
import { hostRoutes } from './hosts.ts';
import { installationRoutes } from './installation.ts';
import { jobRoutes } from './jobs.ts';
import { mailRoutes } from './mail.ts';
import { mailboxRoutes } from './mailboxes.ts';
import { memberRoutes } from './members.ts';
import { noticeRoutes } from './notices.ts';
import { operatorContactRoutes } from './operator-contact.ts';
import { orgRoutes } from './orgs.ts';
import { productRoutes } from './products.ts';
import { projectDataRoutes } from './project-data.ts';
import { projectUserRoutes } from './project-users.ts';
import { projectRoutes } from './projects.ts';
import type { Method } from './rest-request.ts';
import { roomInviteRoutes } from './room-invites.ts';
import { roomRoutes } from './rooms.ts';
import { type Route, route } from './route.ts';
import { signerRoutes } from './signers.ts';
import { snapshotRoutes } from './snapshots.ts';
import { tierRoutes } from './tiers.ts';
import { transferRoutes } from './transfers.ts';
import { vaultRoutes } from './vaults.ts';
import { verificationRoutes } from './verifications.ts';
import { voucherRoutes } from './vouchers.ts';

/** The path that an operation declares. */
function ownRoute(op: AnyOperation): Route[] {
  if (op.path === undefined) return [];
  const [method, path, status = '200'] = op.path.split(' ') as [Method, string, string?];
  return [route(method, path, Number(status), op)];
}

/** Every documented path that an operation answers: the one table that the server matches and the tests walk. */
export const routes: readonly Route[] = [
  ...orgRoutes,
  ...memberRoutes,
  ...projectRoutes,
  ...projectDataRoutes,
  ...contentRoutes,
  ...assetRoutes,
  ...deployRoutes,
  ...functionRunRoutes,
  ...snapshotRoutes,
  ...appRoutes,
  ...transferRoutes,
  ...feedbackRoutes,
  ...hostRoutes,
  ...cacheRoutes,
  ...grantRoutes,
  ...credentialRoutes,
  ...eventRoutes,
  ...roomRoutes,
  ...roomInviteRoutes,
  ...escalationRoutes,
  ...noticeRoutes,
  ...operatorContactRoutes,
  ...errorRoutes,
  ...mailRoutes,
  ...mailboxRoutes,
  ...installationRoutes,
  ...vaultRoutes,
  ...tierRoutes,
  ...voucherRoutes,
  ...billingRoutes,
  ...projectUserRoutes,
  ...ciRoutes,
  ...signerRoutes,
  ...jobRoutes,
  ...aiRoutes,
  ...claimRoutes,
  ...auditRoutes,
  ...productRoutes,
  ...verificationRoutes,
  ...operations.flatMap(ownRoute),
  ...archiveRoutes,
  ...channelRouteRoutes,
];
