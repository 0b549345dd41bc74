import { addCredit } from './billing/add-credit.ts';
import { getBilling } from './billing/get-billing.ts';
import { listHistory } from './billing/list-history.ts';
import { lookupBilling } from './billing/lookup-billing.ts';
import { whoami } from './identity/whoami.ts';
import { setLeasePerpetual } from './lifecycle/set-lease-perpetual.ts';
import { listOutbox } from './mail/list-outbox.ts';
import { sendTestMail } from './mail/send-test-mail.ts';
import type { AnyOperation } from './operation.ts';
import { claimSlug } from './orgs/claim-slug.ts';
import { createOrg } from './orgs/create-org.ts';
import { getOrg } from './orgs/get-org.ts';
import { getOrgBySlug } from './orgs/get-org-by-slug.ts';
import { listMembers } from './orgs/list-members.ts';
import { listOrgs } from './orgs/list-orgs.ts';
import { setLimits } from './orgs/set-limits.ts';
import { createProject } from './projects/create-project.ts';
import { getProject } from './projects/get-project.ts';
import { getProjectKeys } from './projects/get-project-keys.ts';
import { listProjects } from './projects/list-projects.ts';
import { getMessage } from './rooms/get-message.ts';
import { getPresence } from './rooms/get-presence.ts';
import { getRoom } from './rooms/get-room.ts';
import { joinRoom } from './rooms/join-room.ts';
import { listMessages } from './rooms/list-messages.ts';
import { listPresences } from './rooms/list-presences.ts';
import { listRooms } from './rooms/list-rooms.ts';
import { openRoom } from './rooms/open-room.ts';
import { sendMessage } from './rooms/send-message.ts';
import { getTierStatus } from './tiers/get-tier-status.ts';
import { listTiers, quoteTiers } from './tiers/list-tiers.ts';
import { setTier } from './tiers/set-tier.ts';

/** Every operation there is. What walks over all of them (parity, workers, generated pages) starts here. */
export const operations: readonly AnyOperation[] = [
  whoami,
  createOrg,
  getOrg,
  listOrgs,
  listMembers,
  setLimits,
  createProject,
  getProject,
  getProjectKeys,
  listProjects,
  getMessage,
  getPresence,
  getRoom,
  joinRoom,
  listMessages,
  listPresences,
  listRooms,
  openRoom,
  sendMessage,
  listOutbox,
  sendTestMail,
  listTiers,
  quoteTiers,
  setTier,
  getTierStatus,
  claimSlug,
  getOrgBySlug,
  setLeasePerpetual,
  addCredit,
  getBilling,
  listHistory,
  lookupBilling,
];
