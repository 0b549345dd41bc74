import { z } from 'zod';
import { givenName, shows } from '../../../kernel/input/fields.ts';

/** What an organization is called: in NFC and trimmed; nothing, or null, for none. Contract 01, section 6.2. */
export const orgDisplayName = z
  .string()
  .normalize('NFC')
  .trim()
  .pipe(givenName(100).refine((name) => name === '' || shows.test(name), 'must show something'))
  .nullable()
  .transform((name) => name || null);
