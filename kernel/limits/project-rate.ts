import { networkOf } from '../../core/network-of.ts';
import type { Context } from '../run/context.ts';
import { networkShare, projectRate, reservedTokens } from './limits.ts';
import { assertWithinRate } from './rate-limit.ts';

/**
 * Counts a request against what its project may be asked. Alone, each caller has the whole rate. When there is more than
 * that, callers with nothing but the public key give way to those who have signed in or are about to, and a network that
 * asks for more than its share gives way to the others.
 *
 * @param isKept whether the caller showed a credential that holds beyond the public key, or signs in @throws RATE_LIMITED
 */
export function takeFromProject({ services, request }: Context, projectId: string, isKept: boolean): void {
  const { rateLimiter } = services;
  const name = `project:${projectId}`;
  const isWithinShare = rateLimiter.take(`${name}:${networkOf(request.address)}`, networkShare) === 0;
  const leaving = (isKept ? 0 : reservedTokens) + (isWithinShare ? 0 : reservedTokens);
  assertWithinRate(rateLimiter.take(name, projectRate, leaving));
}
