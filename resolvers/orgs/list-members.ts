import { z } from 'zod';
import type { Statement } from '../../db/pool.ts';
import type { MembershipStatus, Role } from '../../db/schema/orgs.ts';
import { onOrg } from '../access.ts';
import { orgId } from '../fields.ts';
import { query } from '../operation.ts';
import { roleWire } from './wire.ts';

export interface MemberRow {
  readonly orgId: string;
  readonly principalId: string;
  readonly displayName: string | null;
  readonly role: Role;
  readonly status: MembershipStatus;
  /** Lower case; null for a member without a wallet. */
  readonly wallet: string | null;
  readonly createdAt: Date;
}

/** `GET /orgs/v1/:org_id/members`. Contract 01, section 6.4. */
export const listMembers = query({
  name: 'orgs.listMembers',
  summary: 'The members of an organization, with their roles.',
  access: onOrg('org:members:read', ({ org }: { org: string }) => org),
  input: z.object({ org: orgId }),
  handler: ({ services, org }) => services.db.rows<MemberRow>(membersStatement, [org.id]),
  wire: z.object({
    members: z.array(
      z.object({
        principal_id: z.string(),
        role: roleWire,
        status: z.enum(['active', 'invited', 'suspended', 'revoked']),
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
  text: `select m.org_id as "orgId", m.principal_id as "principalId", p.display_name as "displayName", m.role, m.status,
      a.public_subject as wallet, m.created_at as "createdAt"
    from memberships m
    join principals p on p.id = m.principal_id
    left join lateral (
      select public_subject from authenticators
      where principal_id = m.principal_id and kind = 'wallet' and revoked_at is null order by created_at limit 1
    ) a on true
    where m.org_id = $1 and m.status <> 'revoked' order by m.created_at, m.principal_id`,
};
