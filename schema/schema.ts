import { builder } from './builder.ts';
import './billing.ts';
import './identity.ts';
import './orgs.ts';
import './platform.ts';
import './projects.ts';
import './room-messages.ts';
import './rooms.ts';
import './slugs.ts';
import './tiers.ts';

/** The served schema; printed to `schema/schema.graphql`, which is checked in. */
export const schema = builder.toSchema();
