import { z } from 'zod';
import type { MemberRow } from '../orgs/shared/member-row.ts';
import { roleWire } from '../orgs/shared/wire.ts';

/** Contract 01, section 6.5. */
export const InviteWire = z
  .object({
    principal_id: z.string(),
    org_id: z.uuid(),
    invited_email: z.string(),
    role: roleWire,
    invited_by: z.string().nullable(),
    invite_expires_at: z.iso.datetime().nullable(),
    created_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Invite' });

export const inviteToWire = (member: MemberRow) => ({
  principal_id: member.principalId,
  org_id: member.orgId,
  invited_email: member.invitedEmail!,
  role: member.role,
  invited_by: member.invitedBy,
  invite_expires_at: member.inviteExpiresAt?.toISOString() ?? null,
  created_at: member.createdAt.toISOString(),
});
