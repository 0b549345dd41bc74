import { ServiceError } from '../../core/errors.ts';
import type { Context } from '../run/context.ts';

/**
 * Reads what an answer tells besides a change that is committed already. Where that fails, the caller learns that the
 * change is there.
 *
 * @throws UPSTREAM_UNAVAILABLE with the mutation state `committed`
 */
export async function readAfterChange<Read>(
  read: () => Promise<Read>,
  { request }: Pick<Context, 'request'>,
  message: string,
  details: Readonly<Record<string, unknown>>,
): Promise<Read> {
  try {
    return await read();
  } catch (cause) {
    throw new ServiceError('UPSTREAM_UNAVAILABLE', {
      message,
      details: { dependency: 'database', ...details },
      mutationState: 'committed',
      safeToRetry: request.idempotencyKey !== undefined,
      retryAfter: 1,
      cause,
    });
  }
}
