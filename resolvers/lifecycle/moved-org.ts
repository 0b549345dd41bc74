import type { Tier } from '../../db/schema/orgs.ts';

export interface MovedOrg {
  readonly id: string;
  readonly displayName: string | null;
  readonly tier: Tier;
  readonly leaseExpiresAt: Date;
  readonly movedAt: Date;
}
