import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { memberships } from '../../db/schema/orgs.ts';
import { pick, statement } from '../../db/sql.ts';
import { onOrg } from '../../kernel/access/access.ts';
import { orgId } from '../../kernel/input/fields.ts';
import { query } from '../../kernel/run/operation.ts';
import { fromMemberships, type MemberRow, memberColumns } from '../orgs/shared/member-row.ts';
import { inviteActions } from './shared/actions.ts';
import { InviteWire, inviteToWire } from './wire.ts';

/** `GET /orgs/v1/:org_id/invites`. Contract 01, section 6.5. */
export const listInvites = query({
  name: 'invites.list',
  tool: 'list_org_invites',
  command: 'org invite list',
  summary: 'The invitations that nobody has taken up, expired ones included.',
  path: 'GET /orgs/v1/:org_id/invites',
  access: onOrg(inviteActions['org:invites:read'], ({ org }: { org: string }) => org),
  input: z.object({ org: orgId }),
  handler: ({ services, org }) => services.db.rows(invitesStatement.with({ orgId: org.id })),
  wire: z.object({ invites: z.array(InviteWire) }),
  toWire: (invites) => ({ invites: invites.map(inviteToWire) }),
});

/** Whether a membership is a pending invitation: to an address, and not yet taken up. */
export const isPending = ({ status, invitedEmail }: MemberRow): boolean =>
  status === 'invited' && invitedEmail !== null;

const invitesStatement = statement(
  'invites.list',
  { params: pick(memberships, 'orgId'), row: memberColumns },
  (given, row) => sql`select ${row} from ${fromMemberships} where ${memberships.orgId} = ${given.orgId}
    and ${memberships.status} = 'invited' and ${memberships.invitedEmail} is not null
    order by ${memberships.createdAt}, ${memberships.principalId}`,
);
