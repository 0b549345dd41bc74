import type { IssuedCertificate } from '../../../engines/acme/order.ts';

const minute = 60_000;
const firstPause = 15 * minute;
const longestPause = 24 * 60 * minute;

/**
 * When a certificate is renewed: after two thirds of its life, or up to a thirtieth of it sooner, so that those of one day do not
 * come due together for ever.
 *
 * @param chance from 0 to 1
 */
export function renewalMoment(
  { notBefore, notAfter }: Pick<IssuedCertificate, 'notBefore' | 'notAfter'>,
  chance = Math.random(),
): Date {
  const life = notAfter.getTime() - notBefore.getTime();
  return new Date(notBefore.getTime() + life * (2 / 3 - chance / 30));
}

/**
 * When a failed order is tried again: after a quarter of an hour, then twice as long each time, up to a day. Public authorities
 * allow five failed proofs of a host in an hour.
 */
export const retryMoment = (failures: number, now: Date): Date =>
  new Date(now.getTime() + Math.min(firstPause * 2 ** Math.min(failures - 1, 10), longestPause));
