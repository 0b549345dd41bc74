import { ServiceError } from '../../../core/errors.ts';
import { StorageUnavailableError } from '../../../engines/objects/object-store.ts';
import type { Services } from '../../../kernel/run/context.ts';

/** What the object store refuses, as the platform's own; why, the operator reads in the log. @throws STORAGE_UNAVAILABLE */
export async function storing<Result>({ log }: Pick<Services, 'log'>, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof StorageUnavailableError)) throw error;
    log.warn({ err: error }, 'The object store could not be used.');
    throw new ServiceError('STORAGE_UNAVAILABLE', { cause: error, retryAfter: 1 });
  }
}
