import { ServiceError } from '../../core/errors.ts';
import { isCollision, isConnectionLoss, isTimeout, OutcomeUnknownError } from '../../db/pool.ts';
import { Outdated } from '../durability/unit-of-work.ts';

/**
 * A database that cannot be reached, took too long or had others in the way is a refusal that a later try may heal.
 * Everything else stays what it is.
 *
 * @param key the request's idempotency key: with one, repeating a change that may have been made is safe
 */
export function asRefusal(error: unknown, key?: string): unknown {
  if (isCollision(error) || error instanceof Outdated) {
    return new ServiceError('UPSTREAM_UNAVAILABLE', {
      message: 'Others were changing the same things; nothing of this was kept.',
      details: { dependency: 'database', reason: 'collision' },
      mutationState: 'rolled_back',
      retryAfter: 1,
      cause: error,
    });
  }
  const tookTooLong = isTimeout(error);
  if (error instanceof ServiceError || !(tookTooLong || isConnectionLoss(error))) return error;
  const unknown = error instanceof OutcomeUnknownError;
  return new ServiceError('UPSTREAM_UNAVAILABLE', {
    message: tookTooLong ? 'The database took too long to answer.' : 'The database is not reachable right now.',
    details: { dependency: 'database' },
    retryAfter: 1,
    ...(unknown ? { mutationState: 'unknown', safeToRetry: key !== undefined } : {}),
    cause: error,
  });
}
