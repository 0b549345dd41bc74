import { z } from 'zod';
import { signedIn } from '../../kernel/access/access.ts';
import { query } from '../../kernel/run/operation.ts';
import { membershipsStatement } from './shared/memberships.ts';
import { MembershipWire, membershipToWire } from './shared/wire.ts';

/** `GET /orgs/v1`. Contract 01, section 6.2. */
export const listOrgs = query({
  name: 'orgs.list',
  tool: 'list_orgs',
  command: 'org list',
  summary: 'The organizations the caller is an active member of.',
  path: 'GET /orgs/v1',
  access: signedIn('wallet', 'control_plane', 'operator'),
  input: z.object({}),
  handler: (ctx) => ctx.services.db.rows(membershipsStatement.with({ principalId: ctx.principal.principal.id })),
  wire: z.object({ orgs: z.array(MembershipWire) }),
  toWire: (memberships) => ({ orgs: memberships.map(membershipToWire) }),
});
