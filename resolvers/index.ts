import type { AnyOperation } from '../kernel/run/operation.ts';
import { setDisplayName } from './accounts/set-display-name.ts';
import { whoami } from './accounts/whoami.ts';
import { getAuditStats } from './audits/audit-stats.ts';
import { buyAudit } from './audits/buy-audit.ts';
import { getPricing } from './audits/get-pricing.ts';
import { runAudit } from './audits/run-audit.ts';
import { watchAudit } from './audits/watch-audit.ts';
import { changeSettings, getSettings } from './auth/change-settings.ts';
import { createUser } from './auth/create-user.ts';
import { deleteUser } from './auth/delete-user.ts';
import { importUsers } from './auth/import-users.ts';
import { demoteUser, promoteUser } from './auth/promote-user.ts';
import { addCredit } from './billing/add-credit.ts';
import { getBilling } from './billing/get-billing.ts';
import { listHistory } from './billing/list-history.ts';
import { lookupBilling } from './billing/lookup-billing.ts';
import { addContact } from './contacts/add-contact.ts';
import { listContacts } from './contacts/list-contacts.ts';
import { removeContact } from './contacts/remove-contact.ts';
import { takeDownload } from './downloads/take-download.ts';
import { getError } from './errors/get-error.ts';
import { listErrors } from './errors/list-errors.ts';
import { reportActivation } from './errors/report-activation.ts';
import { reportFidelity } from './errors/report-fidelity.ts';
import { reportInvocations } from './errors/report-invocations.ts';
import { reportOccurrences } from './errors/report-occurrences.ts';
import { acknowledgeByToken } from './escalations/acknowledge-by-token.ts';
import { acknowledgeEscalation } from './escalations/acknowledge-escalation.ts';
import { getEscalation } from './escalations/get-escalation.ts';
import { listEscalations } from './escalations/list-escalations.ts';
import { openEscalationFeed } from './escalations/open-escalations.ts';
import { raiseEscalation } from './escalations/raise-escalation.ts';
import { resolveEscalation } from './escalations/resolve-escalation.ts';
import { emitEvent } from './events/emit-event.ts';
import { listOrgEvents, listProjectEvents } from './events/list-events.ts';
import { openEvents } from './events/open-events.ts';
import { createDelegate } from './grants/create-delegate.ts';
import { createGrant } from './grants/create-grant.ts';
import { listDelegates } from './grants/list-delegates.ts';
import { listGrants } from './grants/list-grants.ts';
import { revokeDelegate } from './grants/revoke-delegate.ts';
import { revokeGrant } from './grants/revoke-grant.ts';
import { rotateDelegate } from './grants/rotate-delegate.ts';
import { declareIncident } from './incidents/declare-incident.ts';
import { resolveIncident } from './incidents/resolve-incident.ts';
import { recordInquiry } from './inquiries/record-inquiry.ts';
import { createInvite } from './invites/create-invite.ts';
import { listInvites } from './invites/list-invites.ts';
import { revokeInvite } from './invites/revoke-invite.ts';
import { getKeys } from './licences/get-keys.ts';
import { setLeasePerpetual } from './lifecycle/set-lease-perpetual.ts';
import { openLive } from './live/open-live.ts';
import { listOutbox } from './mail/list-outbox.ts';
import { sendTestMail } from './mail/send-test-mail.ts';
import { removeMember } from './members/remove-member.ts';
import { revokeMemberKey } from './members/revoke-key.ts';
import { setMemberRole } from './members/set-role.ts';
import { addMember } from './members/shared/add-member.ts';
import { getContents } from './operator/get-contents.ts';
import { getOverview } from './operator/get-overview.ts';
import { getOperatorStatus } from './operator/get-status.ts';
import { listOperatorProjects } from './operator/list-projects.ts';
import { confirmEmail } from './operator-contact/confirm-email.ts';
import { connectChat } from './operator-contact/connect-chat.ts';
import { enrollPasskey } from './operator-contact/enroll-passkey.ts';
import { getContact } from './operator-contact/get-contact.ts';
import { sendVerification } from './operator-contact/send-verification.ts';
import { setContact } from './operator-contact/set-contact.ts';
import { createOrg } from './orgs/create-org.ts';
import { getOrg } from './orgs/get-org.ts';
import { getOrgBySlug } from './orgs/get-org-by-slug.ts';
import { getPayout } from './orgs/get-payout.ts';
import { listAudit } from './orgs/list-audit.ts';
import { listMembers } from './orgs/list-members.ts';
import { listOrgs } from './orgs/list-orgs.ts';
import { renameOrg } from './orgs/rename-org.ts';
import { setLimits } from './orgs/set-limits.ts';
import { setPayoutWallet } from './orgs/set-payout-wallet.ts';
import { claimSlug } from './orgs/shared/claim-slug.ts';
import { buyPack } from './products/buy-pack.ts';
import { buySource } from './products/buy-source.ts';
import { getPackageManifest } from './products/get-manifest.ts';
import { applyExpose } from './project-data/apply-expose.ts';
import { getExpose } from './project-data/get-expose.ts';
import { getSchema } from './project-data/get-schema.ts';
import { runSql } from './project-data/run-sql.ts';
import { validateExpose, validateManifest } from './project-data/validate-expose.ts';
import { archiveProject, reactivateProject } from './projects/archive-project.ts';
import { createProject } from './projects/create-project.ts';
import { deleteProject } from './projects/delete-project.ts';
import { getProject } from './projects/get-project.ts';
import { getProjectKeys } from './projects/get-project-keys.ts';
import { getUsage } from './projects/get-usage.ts';
import { listProjects } from './projects/list-projects.ts';
import { renameProject } from './projects/rename-project.ts';
import { setRepoName } from './projects/set-repo-name.ts';
import { claimRoomInvite } from './room-invites/claim-room-invite.ts';
import { listRoomInvites } from './room-invites/list-room-invites.ts';
import { mintRoomInvite } from './room-invites/mint-room-invite.ts';
import { revokeRoomInvite } from './room-invites/revoke-room-invite.ts';
import { ackMessage } from './rooms/ack-message.ts';
import { createClaim } from './rooms/claims/create-claim.ts';
import { listClaims } from './rooms/claims/list-claims.ts';
import { openClaims } from './rooms/claims/open-claims.ts';
import { releaseClaim } from './rooms/claims/release-claim.ts';
import { getMessage } from './rooms/get-message.ts';
import { getPresence } from './rooms/get-presence.ts';
import { getRoom } from './rooms/get-room.ts';
import { joinRoom } from './rooms/join-room.ts';
import { leaveRoom } from './rooms/leave-room.ts';
import { listMessages } from './rooms/list-messages.ts';
import { listPresences } from './rooms/list-presences.ts';
import { listRooms } from './rooms/list-rooms.ts';
import { openPresences } from './rooms/open-presences.ts';
import { openRoom } from './rooms/open-room.ts';
import { sendMessage } from './rooms/send-message.ts';
import { getTierStatus } from './tiers/get-tier-status.ts';
import { listTiers, quoteTiers } from './tiers/list-tiers.ts';
import { setTier } from './tiers/set-tier.ts';
import { admitWriter } from './vaults/admit-writer.ts';
import { enrolKey } from './vaults/enrol-key.ts';
import { takePush } from './vaults/push.ts';
import { registerVault } from './vaults/register-vault.ts';
import { reportLostKey } from './vaults/report-lost-key.ts';
import { rotateEpoch } from './vaults/rotate-epoch.ts';
import { verifyTransaction } from './verifications/verify-transaction.ts';

/** Every operation there is. What walks over all of them (parity, workers, generated pages) starts here. */
export const operations: readonly AnyOperation[] = [
  whoami,
  setDisplayName,
  createOrg,
  getOrg,
  listOrgs,
  listMembers,
  setLimits,
  renameOrg,
  setPayoutWallet,
  listAudit,
  createGrant,
  listGrants,
  revokeGrant,
  createDelegate,
  listDelegates,
  rotateDelegate,
  revokeDelegate,
  addMember,
  setMemberRole,
  removeMember,
  revokeMemberKey,
  listInvites,
  createInvite,
  revokeInvite,
  enrolKey,
  reportLostKey,
  registerVault,
  admitWriter,
  takePush,
  rotateEpoch,
  createProject,
  getProject,
  getProjectKeys,
  listProjects,
  renameProject,
  setRepoName,
  deleteProject,
  archiveProject,
  reactivateProject,
  getUsage,
  runSql,
  getSchema,
  applyExpose,
  getExpose,
  validateExpose,
  openLive,
  validateManifest,
  getMessage,
  getPresence,
  getRoom,
  joinRoom,
  listMessages,
  listPresences,
  listRooms,
  openRoom,
  sendMessage,
  ackMessage,
  mintRoomInvite,
  listRoomInvites,
  revokeRoomInvite,
  claimRoomInvite,
  listErrors,
  getError,
  reportOccurrences,
  reportActivation,
  reportInvocations,
  reportFidelity,
  listProjectEvents,
  listOrgEvents,
  openEvents,
  emitEvent,
  declareIncident,
  resolveIncident,
  listOutbox,
  sendTestMail,
  listTiers,
  quoteTiers,
  setTier,
  getTierStatus,
  claimSlug,
  getOrgBySlug,
  getPayout,
  setLeasePerpetual,
  addCredit,
  getBilling,
  listHistory,
  lookupBilling,
  promoteUser,
  demoteUser,
  createUser,
  getSettings,
  changeSettings,
  deleteUser,
  importUsers,
  leaveRoom,
  openPresences,
  createClaim,
  listClaims,
  releaseClaim,
  openClaims,
  raiseEscalation,
  listEscalations,
  getEscalation,
  acknowledgeEscalation,
  resolveEscalation,
  acknowledgeByToken,
  openEscalationFeed,
  listContacts,
  addContact,
  removeContact,
  setContact,
  getContact,
  sendVerification,
  confirmEmail,
  enrollPasskey,
  getOverview,
  listOperatorProjects,
  getContents,
  getOperatorStatus,
  connectChat,
  getPricing,
  runAudit,
  verifyTransaction,
  getAuditStats,
  recordInquiry,
  buyPack,
  buySource,
  getPackageManifest,
  getKeys,
  takeDownload,
  buyAudit,
  watchAudit,
];
