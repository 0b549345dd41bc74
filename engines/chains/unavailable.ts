import { GuardedFetchError } from '../../core/guarded-fetch.ts';

/** How many causes are looked into. */
const deepest = 8;

/**
 * Why an endpoint could not be asked, in a word that a log may hold: the messages of libraries quote the address of the
 * endpoint with its key, and what it answered.
 */
export function reasonOf(error: unknown): string {
  let at: unknown = error;
  for (let depth = 0; depth < deepest && at instanceof Error; depth++) {
    if (at instanceof GuardedFetchError) return at.reason;
    at = at.cause;
  }
  return error instanceof Error && /^[A-Za-z]{1,64}$/.test(error.name) ? error.name : 'unknown';
}
