import { z } from 'zod';

const printable = /^[\x20-\x7e]*$/;

const ascii = z
  .string()
  .trim()
  .refine((text) => printable.test(text), 'must be written in ASCII')
  .max(254);

const plain = z
  .email('must be a mail address, for example ada@example.com')
  .refine((address) => address.indexOf('@') <= 64, 'at most 64 characters before the @');

/**
 * A mail address as it was written, for whoever mail goes to: what stands before the `@` is the receiver's own to read.
 * {@link knownAs} is the form by which it is known.
 */
export const writtenAddress = ascii.pipe(plain).meta({ format: 'email' });

/** The one form by which a mail address is known, however it is written. */
export const knownAs = (address: string): string => address.trim().toLowerCase();

/**
 * A mail address in the one form by which a principal is known: trimmed and in lower case. Letters outside ASCII are
 * refused rather than folded, since they look like others and fold into them: a Kelvin sign would become a `k`.
 */
export const emailAddress = ascii.pipe(plain.toLowerCase()).meta({ format: 'email' });
