import type { DomainStatus } from './judgement.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** When the gateway looks at a domain again by itself: often while its owner is at it, seldom when all is well. */
export function nextLook(
  status: DomainStatus,
  { createdAt, unanswered }: { readonly createdAt: Date; readonly unanswered: boolean },
  now: Date,
): Date {
  return new Date(now.getTime() + pauseOf(status, now.getTime() - createdAt.getTime(), unanswered));
}

function pauseOf(status: DomainStatus, age: number, unanswered: boolean): number {
  if (unanswered) return 10 * minute;
  if (status === 'active') return 6 * hour;
  if (status === 'needs_repair') return 30 * minute;
  if (status === 'failed') return day;
  return age < day ? 5 * minute : age < 14 * day ? hour : day;
}
