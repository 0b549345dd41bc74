import { dollars } from '../../design/amounts.ts';
import type { OrganizationProps } from './parts.ts';
import type { Tier, TiersQuery } from './usage.graphql.ts';

export type Offer = NonNullable<TiersQuery['tiers']>['edges'][number]['node'];

export interface PlanProps extends OrganizationProps {
  readonly offers: readonly Offer[];
  /** Whether the lease is valid or perpetual. */
  readonly active: boolean;
}

/** A tier in words. */
export const tierName = (tier: Tier): string => `${tier[0]}${tier.slice(1).toLowerCase()}`;

/** What a tier costs, in words. */
export const priceOf = ({ priceUsdMicros, leaseDays }: Offer): string =>
  `${priceUsdMicros === 0 ? 'free' : dollars(priceUsdMicros)}${leaseDays === null ? '' : ` for ${leaseDays} days`}`;
