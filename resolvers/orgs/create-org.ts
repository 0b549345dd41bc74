import { z } from 'zod';
import type { Org } from '../../db/schema/orgs.ts';
import { signedIn } from '../../kernel/access/access.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { newOrg, orgCreated } from './shared/new-org.ts';
import { orgDisplayName } from './shared/org-input.ts';
import { OrgSummaryWire, orgToWire } from './shared/wire.ts';

/** `POST /orgs/v1`. Contract 01, section 6.2. */
export const createOrg = mutation({
  name: 'orgs.create',
  tool: 'create_org',
  command: 'org create',
  summary: 'Create an organization on the free tier; the caller becomes its owner.',
  access: signedIn('wallet', 'control_plane'),
  stepUp: 'org.create',
  input: z.strictObject({
    display_name: orgDisplayName.default(null).describe('Name for people, not unique, at most 100 characters.'),
  }),
  handler: (work, { display_name }): Promise<Org> =>
    newOrg(work, work.principal.principal.id, { displayName: display_name, home: false }),
  audit: orgCreated,
  wire: OrgSummaryWire,
  toWire: orgToWire,
});
