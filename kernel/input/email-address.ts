import { z } from 'zod';

const printable = /^[\x20-\x7e]*$/;

/**
 * A mail address in the one form by which a principal is known: trimmed and in lower case. Letters outside ASCII are
 * refused rather than folded, since they look like others and fold into them: a Kelvin sign would become a `k`.
 */
export const emailAddress = z
  .string()
  .trim()
  .refine((text) => printable.test(text), 'must be written in ASCII')
  .max(254)
  .pipe(z.email('must be a mail address, for example ada@example.com').toLowerCase())
  .refine((address) => address.indexOf('@') <= 64, 'at most 64 characters before the @')
  .meta({ format: 'email' });
