import { networkOf } from '../../core/network-of.ts';
import type { Context } from '../run/context.ts';
import { assertWithinRate, type Rate } from './rate-limit.ts';

/** How much of something one client may have, in each of some windows of time; credentials make no difference. */
export interface Budget {
  readonly name: string;
  readonly windows: readonly { readonly count: number; readonly seconds: number }[];
}

/** Of the audit gateway by contract 00, section 6.3; of vouchers by contract 04, section 1.7. */
export const budgets = {
  freeAudits: {
    name: 'audits',
    windows: [
      { count: 10, seconds: 60 },
      { count: 100, seconds: 86_400 },
    ],
  },
  /** Looks at transactions. */
  verifications: { name: 'verifications', windows: [{ count: 20, seconds: 60 }] },
  /** Vouchers tried. */
  redemptions: { name: 'redemptions', windows: [{ count: 120, seconds: 60 }] },
  /** Organizations of mail addresses. */
  emailOrgs: { name: 'email-organizations', windows: [{ count: 10, seconds: 60 }] },
  inquiries: { name: 'inquiries', windows: [{ count: 5, seconds: 60 }] },
} as const satisfies Record<string, Budget>;

interface Bucket {
  readonly name: string;
  readonly rate: Rate;
}

const bucketsOf = ({ name, windows }: Budget, client: string): Bucket[] =>
  windows.map(({ count, seconds }) => ({
    name: `${name}-of-${seconds}:${client}`,
    rate: { perSecond: count / seconds, burst: count },
  }));

/**
 * Takes one from a budget of the client, and tells in the answer's headers what is left in the window that has least.
 * A try that is refused costs nothing.
 *
 * @throws RATE_LIMITED
 */
export function chargeBudget({ services: { rateLimiter }, request, setHeader }: Context, budget: Budget): void {
  const buckets = bucketsOf(budget, networkOf(request.address));
  const wait = Math.max(...buckets.map(({ name, rate }) => rateLimiter.peek(name, rate)));
  if (wait === 0) for (const { name, rate } of buckets) rateLimiter.take(name, rate);
  if (setHeader !== undefined) {
    const lefts = buckets.map(({ name, rate }) => ({ limit: rate.burst, ...rateLimiter.left(name, rate) }));
    const least = lefts.reduce((one, other) => (other.tokens < one.tokens ? other : one));
    setHeader('ratelimit-limit', String(least.limit));
    setHeader('ratelimit-remaining', String(least.tokens));
    setHeader('ratelimit-reset', String(least.fullIn));
  }
  assertWithinRate(wait);
}
