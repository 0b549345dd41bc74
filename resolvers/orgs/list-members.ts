import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { memberships } from '../../db/schema/orgs.ts';
import { pick, statement } from '../../db/sql.ts';
import { onOrg } from '../../kernel/access/access.ts';
import { orgId } from '../../kernel/input/fields.ts';
import { query } from '../../kernel/run/operation.ts';
import { orgActions } from './shared/actions.ts';
import { fromMemberships, memberColumns } from './shared/member-row.ts';
import { membershipStatusWire, roleWire } from './shared/wire.ts';

/** `GET /orgs/v1/:org_id/members`. Contract 01, section 6.4. */
export const listMembers = query({
  name: 'orgs.listMembers',
  tool: 'list_org_members',
  command: 'org member list',
  summary: 'The members of an organization, with their roles.',
  path: 'GET /orgs/v1/:org_id/members',
  access: onOrg(orgActions['org:members:read'], ({ org }: { org: string }) => org),
  input: z.object({ org: orgId }),
  handler: ({ services, org }) => services.db.rows(membersStatement.with({ orgId: org.id })),
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

const membersStatement = statement(
  'orgs.members',
  { params: pick(memberships, 'orgId'), row: memberColumns, pipelined: true },
  (given, row) => sql`select ${row} from ${fromMemberships}
    where ${memberships.status} <> 'revoked' and ${memberships.orgId} = ${given.orgId}
    order by ${memberships.createdAt}, ${memberships.principalId}`,
);
