import { auditSurfaces } from './audits.ts';
import { billingSurfaces } from './billing.ts';
import { claimSurfaces } from './claims.ts';
import { errorSurfaces } from './errors.ts';
import { escalationSurfaces } from './escalations.ts';
import { eventSurfaces } from './events.ts';
import { grantSurfaces } from './grants.ts';
import { identitySurfaces } from './identity.ts';
import { mailSurfaces } from './mail.ts';
import { memberSurfaces } from './members.ts';
import { operatorContactSurfaces } from './operator-contact.ts';
import { orgSurfaces } from './orgs.ts';
import { productSurfaces } from './products.ts';
import { projectDataSurfaces } from './project-data.ts';
import { projectUserSurfaces } from './project-users.ts';
import { projectSurfaces } from './projects.ts';
import { roomArchiveSurfaces } from './room-archive.ts';
import { roomInviteSurfaces } from './room-invites.ts';
import { roomSurfaces } from './rooms.ts';
import type { Stage, Surfaces } from './surface.ts';
import { vaultSurfaces } from './vaults.ts';

/** Every documented path, each with its row. */
export const allSurfaces = (stage: Stage): Surfaces => ({
  ...identitySurfaces(stage),
  ...orgSurfaces(stage),
  ...memberSurfaces(stage),
  ...vaultSurfaces(stage),
  ...grantSurfaces(stage),
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
  ...auditSurfaces(stage),
  ...productSurfaces(stage),
  ...mailSurfaces(stage),
  ...projectUserSurfaces(stage),
  ...projectDataSurfaces(stage),
  // Last, since they end with the project's deletion.
  ...projectSurfaces(stage),
});
