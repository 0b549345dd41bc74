import { builder } from './builder.ts';
import './audit.ts';
import './delegates.ts';
import './grants.ts';
import './billing.ts';
import './identity.ts';
import './live.ts';
import './org-settings.ts';
import './members.ts';
import './orgs.ts';
import './platform.ts';
import './project-data.ts';
import './project-mutations.ts';
import './project-users.ts';
import './projects.ts';
import './room-messages.ts';
import './rooms.ts';
import './vaults.ts';
import './slugs.ts';
import './tiers.ts';

/** The served schema; printed to `schema/schema.graphql`, which is checked in. */
export const schema = builder.toSchema();
