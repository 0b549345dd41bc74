import type { Tier } from '../../db/schema/orgs.ts';
import type { Limits } from './tier-limits.ts';

/** What functions may be, of all projects together and each by itself. */
export interface FunctionLimits {
  readonly max: number;
  readonly timeoutSeconds: number;
  readonly memoryMb: number;
  readonly scheduled: number;
  /** Shortest time between two runs of a schedule. */
  readonly minIntervalMinutes: number;
}

/** Everything a tier is. */
export interface TierRow {
  readonly description: string;
  /** Price of a lease where leases are on; see {@link offerOf}. */
  readonly price: bigint;
  /** Days of a lease where leases are on, and days after which requests are counted anew. */
  readonly leaseDays: number;
  readonly limits: Limits;
  readonly functions: FunctionLimits;
}

const mebibyte = 1_048_576;
const handedOut = { grantsPerProject: 500, delegatesPerProject: 500 };
const rates = { readsPerSecond: 200, readsBurst: 1_000, writesPerSecond: 50, writesBurst: 250 };

/** The one table of tiers, lowest first. Amounts are micro-dollars. Contract 01, section 5.1; contract 04, section 1.1. */
export const tiers: Readonly<Record<Tier, TierRow>> = {
  prototype: {
    description: 'For trying things out.',
    price: 0n,
    leaseDays: 7,
    limits: {
      ...rates,
      ...handedOut,
      projects: 100,
      members: 200,
      liveConnectionsPerProject: 50,
      apiCalls: 500_000,
      storageBytes: 250 * mebibyte,
      secrets: 10,
      messagesPerDay: 1_000,
      eventsPerDay: 1_000,
      emailsPerDay: 10,
      mailRecipients: 25,
    },
    functions: { max: 5, timeoutSeconds: 10, memoryMb: 128, scheduled: 1, minIntervalMinutes: 15 },
  },
  hobby: {
    description: 'For small projects that stay up.',
    price: 5_000_000n,
    leaseDays: 30,
    limits: {
      ...rates,
      ...handedOut,
      projects: 200,
      members: 1_000,
      liveConnectionsPerProject: 200,
      apiCalls: 5_000_000,
      storageBytes: 1_024 * mebibyte,
      secrets: 50,
      messagesPerDay: 10_000,
      eventsPerDay: 10_000,
      emailsPerDay: 50,
      mailRecipients: 200,
    },
    functions: { max: 25, timeoutSeconds: 30, memoryMb: 256, scheduled: 3, minIntervalMinutes: 5 },
  },
  team: {
    description: 'For teams and busy projects.',
    price: 20_000_000n,
    leaseDays: 30,
    limits: {
      ...rates,
      ...handedOut,
      projects: 1_000,
      members: 5_000,
      liveConnectionsPerProject: 200,
      apiCalls: 50_000_000,
      storageBytes: 10_240 * mebibyte,
      secrets: 200,
      messagesPerDay: 100_000,
      eventsPerDay: 100_000,
      emailsPerDay: 500,
      mailRecipients: 1_000,
    },
    functions: { max: 100, timeoutSeconds: 60, memoryMb: 512, scheduled: 10, minIntervalMinutes: 1 },
  },
};

/** Tiers, lowest first. */
export const tierNames = ['prototype', 'hobby', 'team'] as const satisfies readonly Tier[];

/** A tier as this installation offers it. */
export interface Offer {
  readonly tier: Tier;
  readonly description: string;
  /** 0 without leases: a tier is a choice of limits then. */
  readonly price: bigint;
  /** Null without leases: nothing ends. */
  readonly leaseDays: number | null;
  /** Days after which requests are counted anew. */
  readonly usageDays: number;
  readonly limits: Limits;
  readonly functions: FunctionLimits;
}

/** The one place that knows what a tier costs, in both modes. @param leases whether leases are on (`SVC_LEASES`) */
export function offerOf(tier: Tier, leases: boolean): Offer {
  const { price, leaseDays, ...row } = tiers[tier];
  return { ...row, tier, price: leases ? price : 0n, leaseDays: leases ? leaseDays : null, usageDays: leaseDays };
}

/** Storage in the unit of the price list. */
export const storageMb = ({ limits }: Pick<TierRow, 'limits'>): number => limits.storageBytes / mebibyte;

/** An amount as price lists write it, without the currency: `0.10`. */
export const dollars = (micros: bigint): string =>
  `${micros / 1_000_000n}.${String((micros % 1_000_000n) / 10_000n).padStart(2, '0')}`;
