import { z } from 'zod';
import type { MembershipStatus, Org, Role } from '../../../db/schema/orgs.ts';

export const roleWire = z.enum(['owner', 'admin', 'developer', 'billing', 'viewer']);
export const lifecycleWire = z.enum(['active', 'past_due', 'frozen', 'dormant', 'purged']);
export const membershipStatusWire = z.enum(['active', 'invited', 'suspended', 'revoked']);
export const tierWire = z.enum(['prototype', 'hobby', 'team']);

type Lease = Pick<Org, 'leasePerpetual' | 'leaseExpiresAt'>;

/** When an organization's lease ends; a perpetual one never does. */
export const leaseEndOf = ({ leasePerpetual, leaseExpiresAt }: Lease): Date | null =>
  leasePerpetual ? null : leaseExpiresAt;
export const leaseEndToWire = (org: Lease): string | null => leaseEndOf(org)?.toISOString() ?? null;

/** Contract 01, section 6.1. */
export const OrgSummaryWire = z
  .object({
    org_id: z.uuid(),
    display_name: z.string().nullable(),
    slug: z.string().nullable(),
    tier: tierWire.nullable(),
    lease_started_at: z.iso.datetime().nullable(),
    lease_expires_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Organization' });

/** An organization with the role of the caller, which is null without a membership. */
export const OrgWithRoleWire = OrgSummaryWire.extend({ role: roleWire.nullable() }).meta({
  id: 'OrganizationWithRole',
});

export const orgToWire = (org: Org) => ({
  org_id: org.id,
  display_name: org.displayName,
  slug: org.slug,
  tier: org.tier,
  lease_started_at: org.leaseStartedAt.toISOString(),
  lease_expires_at: leaseEndToWire(org),
});

export const MembershipWire = z
  .object({
    org_id: z.uuid(),
    display_name: z.string().nullable(),
    role: roleWire,
    status: membershipStatusWire,
  })
  .meta({ id: 'Membership' });

export const membershipToWire = (row: MembershipRow) => ({
  org_id: row.orgId,
  display_name: row.displayName,
  role: row.role,
  status: row.status,
});

export interface MembershipRow {
  readonly orgId: string;
  readonly displayName: string | null;
  readonly role: Role;
  readonly status: MembershipStatus;
}
