import { z } from 'zod';
import type { Statement } from '../../db/pool.ts';
import { onOrg } from '../../kernel/access/access.ts';
import { orgId } from '../../kernel/input/fields.ts';
import { query } from '../../kernel/run/operation.ts';
import { orgActions } from './shared/actions.ts';
import { type MemberRow, selectMembers } from './shared/member-row.ts';
import { membershipStatusWire, roleWire } from './shared/wire.ts';

/** `GET /orgs/v1/:org_id/members`. Contract 01, section 6.4. */
export const listMembers = query({
  name: 'orgs.listMembers',
  tool: 'list_org_members',
  command: 'org member list',
  summary: 'The members of an organization, with their roles.',
  access: onOrg(orgActions['org:members:read'], ({ org }: { org: string }) => org),
  input: z.object({ org: orgId }),
  handler: ({ services, org }) => services.db.rows<MemberRow>(membersStatement, [org.id]),
  wire: z.object({
    members: z.array(
      z.object({
        principal_id: z.string(),
        role: roleWire,
        status: membershipStatusWire,
        wallet: z.string().nullable(),
        display_name: z.string().nullable(),
      }),
    ),
  }),
  toWire: (members) => ({
    members: members.map((member) => ({
      principal_id: member.principalId,
      role: member.role,
      status: member.status,
      wallet: member.wallet,
      display_name: member.displayName,
    })),
  }),
});

const membersStatement: Statement = {
  name: 'orgs.members',
  pipelined: true,
  text: `${selectMembers} and m.org_id = $1 order by m.created_at, m.principal_id`,
};
