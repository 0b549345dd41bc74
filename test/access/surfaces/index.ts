import { aiSurfaces } from './ai.ts';
import { appSurfaces } from './apps.ts';
import { archiveSurfaces } from './archives.ts';
import { assetSurfaces } from './assets.ts';
import { auditSurfaces } from './audits.ts';
import { billingSurfaces } from './billing.ts';
import { branchSurfaces } from './branches.ts';
import { channelSurfaces } from './channel-routes.ts';
import { ciSurfaces } from './ci.ts';
import { claimSurfaces } from './claims.ts';
import { contentSurfaces } from './content.ts';
import { credentialSurfaces } from './credentials.ts';
import { deploySurfaces } from './deploys.ts';
import { errorSurfaces } from './errors.ts';
import { escalationSurfaces } from './escalations.ts';
import { eventSurfaces } from './events.ts';
import { functionSurfaces } from './functions.ts';
import { grantSurfaces } from './grants.ts';
import { hostingSurfaces } from './hosting.ts';
import { hostSurfaces } from './hosts.ts';
import { identitySurfaces } from './identity.ts';
import { installationSurfaces } from './installation.ts';
import { jobSurfaces } from './jobs.ts';
import { mailSurfaces } from './mail.ts';
import { mailboxWebhookSurfaces } from './mailbox-webhooks.ts';
import { mailboxSurfaces } from './mailboxes.ts';
import { memberSurfaces } from './members.ts';
import { moneySurfaces } from './money.ts';
import { operatorContactSurfaces } from './operator-contact.ts';
import { orgSurfaces } from './orgs.ts';
import { productSurfaces } from './products.ts';
import { projectDataSurfaces } from './project-data.ts';
import { projectUserSurfaces } from './project-users.ts';
import { projectSurfaces } from './projects.ts';
import { roomArchiveSurfaces } from './room-archive.ts';
import { roomInviteSurfaces } from './room-invites.ts';
import { roomSurfaces } from './rooms.ts';
import { savedQuerySurfaces } from './saved-queries.ts';
import { secretSurfaces } from './secrets.ts';
import { signerSurfaces } from './signers.ts';
import { snapshotSurfaces } from './snapshots.ts';
import type { Stage, Surfaces } from './surface.ts';
import { transferSurfaces } from './transfers.ts';
import { vaultSurfaces } from './vaults.ts';

/** Every documented path, each with its row. */
export const allSurfaces = (stage: Stage): Surfaces => ({
  ...identitySurfaces(stage),
  ...hostSurfaces(stage),
  ...hostingSurfaces(stage),
  ...orgSurfaces(stage),
  ...memberSurfaces(stage),
  ...vaultSurfaces(stage),
  ...grantSurfaces(stage),
  ...credentialSurfaces(stage),
  // Before anything is under way that would keep the project where it is.
  ...transferSurfaces(stage),
  ...contentSurfaces(stage),
  ...assetSurfaces(stage),
  ...functionSurfaces(stage),
  ...signerSurfaces(stage),
  ...jobSurfaces(stage),
  ...aiSurfaces(stage),
  ...snapshotSurfaces(stage),
  ...branchSurfaces(stage),
  ...archiveSurfaces(stage),
  ...appSurfaces(stage),
  ...ciSurfaces(stage),
  ...channelSurfaces(stage),
  ...secretSurfaces(stage),
  ...deploySurfaces(stage),
  ...eventSurfaces(stage),
  ...roomSurfaces(stage),
  ...claimSurfaces(stage),
  ...roomInviteSurfaces(stage),
  // After what is said and claimed in the room, which it ends.
  ...roomArchiveSurfaces(stage),
  ...escalationSurfaces(stage),
  ...operatorContactSurfaces(stage),
  ...errorSurfaces(stage),
  ...billingSurfaces(stage),
  ...moneySurfaces(stage),
  ...auditSurfaces(stage),
  ...productSurfaces(stage),
  ...mailSurfaces(stage),
  ...mailboxSurfaces(stage),
  ...mailboxWebhookSurfaces(stage),
  ...installationSurfaces(stage),
  ...projectUserSurfaces(stage),
  ...projectDataSurfaces(stage),
  ...savedQuerySurfaces(stage),
  // Last, since they end with the project's deletion.
  ...projectSurfaces(stage),
});
