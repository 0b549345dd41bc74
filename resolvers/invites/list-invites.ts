import { z } from 'zod';
import type { Statement } from '../../db/pool.ts';
import { onOrg } from '../../kernel/access/access.ts';
import { orgId } from '../../kernel/input/fields.ts';
import { query } from '../../kernel/run/operation.ts';
import { type MemberRow, selectMemberships } from '../orgs/shared/member-row.ts';
import { inviteActions } from './shared/actions.ts';
import { InviteWire, inviteToWire } from './wire.ts';

/** `GET /orgs/v1/:org_id/invites`. Contract 01, section 6.5. */
export const listInvites = query({
  name: 'invites.list',
  tool: 'list_org_invites',
  command: 'org invite list',
  summary: 'The invitations that nobody has taken up, expired ones included.',
  access: onOrg(inviteActions['org:invites:read'], ({ org }: { org: string }) => org),
  input: z.object({ org: orgId }),
  handler: ({ services, org }) => services.db.rows<MemberRow>(invitesStatement, [org.id]),
  wire: z.object({ invites: z.array(InviteWire) }),
  toWire: (invites) => ({ invites: invites.map(inviteToWire) }),
});

/** Whether a membership is a pending invitation: to an address, and not yet taken up. */
export const isPending = ({ status, invitedEmail }: MemberRow): boolean =>
  status === 'invited' && invitedEmail !== null;

const invitesStatement: Statement = {
  name: 'invites.list',
  text: `${selectMemberships} where m.org_id = $1 and m.status = 'invited' and m.invited_email is not null
    order by m.created_at, m.principal_id`,
};
