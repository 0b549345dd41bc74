import { billingRoutes } from './billing.ts';
import { grantRoutes } from './grants.ts';
import { identityRoutes } from './identity.ts';
import { mailRoutes } from './mail.ts';
import { memberRoutes } from './members.ts';
import { orgRoutes } from './orgs.ts';
import { projectDataRoutes } from './project-data.ts';
import { projectUserRoutes } from './project-users.ts';
import { projectRoutes } from './projects.ts';
import { roomRoutes } from './rooms.ts';
import type { Route } from './route.ts';
import { tierRoutes } from './tiers.ts';
import { vaultRoutes } from './vaults.ts';

/** Every documented path that an operation answers: the one table that the server matches and the tests walk. */
export const routes: readonly Route[] = [
  ...identityRoutes,
  ...orgRoutes,
  ...memberRoutes,
  ...projectRoutes,
  ...projectDataRoutes,
  ...grantRoutes,
  ...roomRoutes,
  ...mailRoutes,
  ...vaultRoutes,
  ...tierRoutes,
  ...billingRoutes,
  ...projectUserRoutes,
];
