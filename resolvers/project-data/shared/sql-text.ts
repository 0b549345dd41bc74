import { z } from 'zod';

/** The SQL that one request may bring, in bytes. */
export const sqlBytesMax = 1024 * 1024;

/** A text of SQL, of any contents. */
export const sqlText = z
  .string()
  .min(1)
  .refine((text) => Buffer.byteLength(text) <= sqlBytesMax, `at most ${sqlBytesMax} bytes`);
