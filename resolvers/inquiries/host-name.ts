import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { parseTarget } from '../../engines/site-audit/target.ts';

/** A host name of the public internet, by its form alone: nothing is resolved. Contract 00, section 3.2, rules 4 and 5. */
export const hostName = z
  .string()
  .trim()
  .toLowerCase()
  .max(253, 'at most 253 characters')
  .refine(isHostName, 'must be a host name such as shop.example.org');

function isHostName(text: string): boolean {
  try {
    // An address is more than a name: a scheme, a port or a path.
    return !/[:/?#@]/.test(text) && parseTarget(text).hostname === text.replace(/\.$/, '');
  } catch (error) {
    if (error instanceof ServiceError) return false;
    throw error;
  }
}
