import { type Plan, planPrices } from '../../../engines/licences/claims.ts';

/** In dollars. Contract 00, section 0.2. */
export type PlanPrice = 3 | 29 | 950;

/** The cheapest first. */
const plans: readonly Plan[] = ['starter', 'pro', 'buyout'];

export const priceOf = (plan: Plan): PlanPrice => Number(planPrices[plan]) as PlanPrice;

/** What was paid, in an asset whose unit is a dollar. */
interface Paid {
  /** In the smallest part of that unit. */
  readonly amount: bigint;
  readonly decimals: number;
}

export const covers = ({ amount, decimals }: Paid, price: number): boolean =>
  amount >= BigInt(price) * 10n ** BigInt(decimals);

/** The plan of a price, by default the best that is paid for; undefined when too little was paid. */
export function planFor(paid: Paid, price?: PlanPrice): Plan | undefined {
  return plans.findLast((plan) => covers(paid, priceOf(plan)) && (price === undefined || priceOf(plan) === price));
}

/** Dollars as text, with two digits of cents and as many more as there are. */
export function asDollars({ amount, decimals }: Paid): string {
  const unit = 10n ** BigInt(decimals);
  const cents = (amount % unit).toString().padStart(decimals, '0').replace(/0+$/, '').padEnd(2, '0');
  return `${amount / unit}.${cents}`;
}
