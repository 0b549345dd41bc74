import { whoami } from './identity/whoami.ts';
import { createInvite } from './invites/create-invite.ts';
import { listInvites } from './invites/list-invites.ts';
import { revokeInvite } from './invites/revoke-invite.ts';
import { listOutbox } from './mail/list-outbox.ts';
import { sendTestMail } from './mail/send-test-mail.ts';
import { addMember } from './members/add-member.ts';
import { removeMember } from './members/remove-member.ts';
import { revokeMemberKey } from './members/revoke-key.ts';
import { setMemberRole } from './members/set-role.ts';
import type { AnyOperation } from './operation.ts';
import { createOrg } from './orgs/create-org.ts';
import { getOrg } from './orgs/get-org.ts';
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
import { admitWriter } from './vaults/admit-writer.ts';
import { enrolKey } from './vaults/enrol-key.ts';
import { takePush } from './vaults/push.ts';
import { registerVault } from './vaults/register-vault.ts';
import { reportLostKey } from './vaults/report-lost-key.ts';
import { rotateEpoch } from './vaults/rotate-epoch.ts';

/** Every operation there is. What walks over all of them (parity, workers, generated pages) starts here. */
export const operations: readonly AnyOperation[] = [
  whoami,
  createOrg,
  getOrg,
  listOrgs,
  listMembers,
  setLimits,
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
];
